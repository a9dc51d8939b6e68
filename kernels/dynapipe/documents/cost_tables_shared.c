// SPDX-License-Identifier: Apache-2.0
// Averages parameters and lists degrees.
#include "kernels/dynapipe/documents/cost_tables_private.h"

#include <stdio.h>

bool cost_parameters_set(const struct cost_parameters *sum, struct cost_tables *t)
{
    double *const parameters[3] = {&t->embedding, &t->encoder, &t->decoder};
    for (int k = 0; k < 3; k++)
        *parameters[k] = sum->n[k] > 0 ? sum->of[k] / sum->n[k] : 0;
    t->has_decoder = sum->n[2] > 0;
    return sum->n[0] > 0 && sum->n[1] > 0;
}

void cost_degrees_add(struct cost_degrees *degrees, int32_t degree)
{
    const int32_t room = (int32_t)(sizeof degrees->degree / sizeof *degrees->degree);
    for (int32_t k = 0; k < degrees->n; k++)
        if (degrees->degree[k] == degree)
            return;
    if (degrees->n < room)
        degrees->degree[degrees->n++] = degree;
}

bool cost_degrees_refuse(const struct cost_degrees *degrees, int32_t wanted,
                         const struct cJSON *root, struct pps_fault *fault)
{
    char list[256] = "";
    size_t n = 0;
    for (int32_t k = 0; k < degrees->n && n < sizeof list - 16; k++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%d", k > 0 ? ", " : "",
                              (int)degrees->degree[k]);
    return pps_fault_set(
        fault, root, false,
        "there are no cost tables of tensor-parallel degree %d; there are those of "
        "degree %s; choose one with tp",
        (int)wanted, list);
}
