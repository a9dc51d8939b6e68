// SPDX-License-Identifier: Apache-2.0
// Finds the best weight of gradient synchronisations for several numbers of micro-batches, with
// libppsweep. Compile it with
//   cc evaluate.c $(pkg-config --cflags --libs ppsweep)
#include <ppsweep.h>
#include <stdio.h>

enum { WEIGHTS = 101 };

// Prints an error as "file:line:column: text". Returns 1.
static int fail(const struct ppsweep_error *error)
{
    if (error->line > 0)
        fprintf(stderr, "%s:%d:%d: ", error->file, error->line, error->column);
    fprintf(stderr, "%s\n", error->text);
    return 1;
}

// Evaluates all weights with n micro-batches and prints the best one.
static int optimise(struct ppsweep_model *model, double n, struct ppsweep_error *error)
{
    const double *param[64] = {NULL}; // one pointer per parameter; NULL: its default
    double *column[64] = {NULL};      // one pointer per column; NULL: not wanted
    double ns[WEIGHTS], weight[WEIGHTS], time[WEIGHTS];
    unsigned char outcome[WEIGHTS];
    int best = -1;
    for (int i = 0; i < WEIGHTS; i++) {
        ns[i] = n;
        weight[i] = i / 100.0;
    }
    const int n_param = ppsweep_model_find_param(model, "n", error);
    const int sync = ppsweep_model_find_param(model, "p_grad_sync", error);
    const int total = ppsweep_model_find_column(model, "total_time", error);
    if (n_param < 0 || sync < 0 || total < 0)
        return PPSWEEP_E_INPUT;
    param[n_param] = ns;
    param[sync] = weight;
    column[total] = time;
    const struct ppsweep_points points = {.size = sizeof points,
                                          .n = WEIGHTS,
                                          .param = param,
                                          .column = column,
                                          .outcome = outcome};
    const int code = ppsweep_evaluate(model, &points, error);
    for (int i = 0; i < WEIGHTS && code == PPSWEEP_OK; i++)
        if (outcome[i] == PPSWEEP_DONE && (best < 0 || time[i] < time[best]))
            best = i;
    if (best >= 0)
        printf("n=%g: p_grad_sync=%g takes %.4f\n", n, weight[best], time[best]);
    return code;
}

int main(void)
{
    struct ppsweep_model *model;
    struct ppsweep_error error;
    if (ppsweep_model_open(&model, "contention", NULL, &error) != PPSWEEP_OK)
        return fail(&error);
    int code = PPSWEEP_OK;
    for (double n = 8; n <= 32 && code == PPSWEEP_OK; n *= 2)
        code = optimise(model, n, &error);
    ppsweep_model_close(model);
    return code == PPSWEEP_OK ? 0 : fail(&error);
}
