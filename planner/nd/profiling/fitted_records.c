// SPDX-License-Identifier: Apache-2.0
// Rounds fitted factors and writes their records.
#include "planner/nd/profiling/fitted_records.h"

#include "base/edit/json_write.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A record has as many digits as a fit is worth.
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

static void add_record(struct text_buffer *text, const char *key, cJSON *record)
{
    text->failed |= record == NULL;
    if (record == NULL)
        return;
    text_buffer_add(text, "{\"%s\": ", key);
    json_write_tree(text, record);
    text_buffer_add(text, "}\n");
    cJSON_Delete(record);
}

static struct nd_measurement fitted(const struct nd_measurement *measurement,
                                    const struct nd_unknown *unknowns,
                                    int n)
{
    struct nd_measurement m = *measurement;
    struct nd_unknown values[ND_UNKNOWNS];
    for (int k = 0; k < n; k++) {
        values[k] = unknowns[k];
        values[k].value = rounded(values[k].value);
    }
    nd_take_unknowns(&m, values, n);
    return m;
}

void nd_add_hardware_record(struct text_buffer *text,
                            const struct nd_measurement *measurement,
                            const struct nd_unknown *unknowns,
                            int n)
{
    struct nd_measurement m = fitted(measurement, unknowns, n);
    m.hardware.calibrated = true;
    add_record(text, "hardware", hardware_document(&m.hardware));
}

static bool fits_rates(const struct nd_unknown *unknowns, int n)
{
    for (int k = 0; k < n; k++)
        if (unknowns[k].factor >= ND_RATE_GEMM && unknowns[k].factor <= ND_RATE_LINK)
            return true;
    return false;
}

// Without fitted rates the stack keeps those that it has on single devices.
void nd_add_stack_record(struct text_buffer *text,
                         const struct nd_measurement *measurement,
                         const struct nd_unknown *unknowns,
                         int n,
                         double scale)
{
    const struct stack *was = &measurement->training.stack;
    struct stack stack = fitted(measurement, unknowns, n).training.stack;
    if (!fits_rates(unknowns, n)) {
        stack.rates = was->rates;
        memcpy(stack.on, was->on, sizeof stack.on);
        stack.n_on = was->n_on;
    }
    snprintf(stack.base, sizeof stack.base, "%s", stack_base(was));
    snprintf(stack.name, sizeof stack.name, "calibrated");
    stack.scale = rounded(scale * was->scale);
    add_record(text, "stack", stack_document(&stack));
}
