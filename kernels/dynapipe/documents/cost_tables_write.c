// SPDX-License-Identifier: Apache-2.0
// Writes cost tables as JSON.
#include "kernels/dynapipe/documents/cost_tables_write.h"

#include <math.h>

static void add_axis(const struct cost_tables *t, enum cost_axis axis, const char *name,
                     struct text_buffer *out)
{
    text_buffer_add(out, "\"%s\": [", name);
    for (int32_t k = 0; k < t->nodes[axis]; k++)
        text_buffer_add(out, "%s%.15g", k > 0 ? ", " : "", t->axis[axis][k]);
    text_buffer_add(out, "],\n");
}

// Writes nested lists; returns the values behind those that it wrote.
static const double *add_values(const struct cost_tables *t, const enum cost_axis *axes, int n,
                                const double *values, struct text_buffer *out)
{
    if (n == 0) {
        if (isnan(*values))
            text_buffer_add(out, "null");
        else
            text_buffer_add(out, "%.5g", *values);
        return values + 1;
    }
    text_buffer_add(out, "[");
    for (int32_t k = 0; k < t->nodes[axes[0]]; k++) {
        if (k > 0)
            text_buffer_add(out, ", ");
        values = add_values(t, axes + 1, n - 1, values, out);
    }
    text_buffer_add(out, "]");
    return values;
}

static void add_type(const struct cost_tables *t, int type, struct text_buffer *out)
{
    text_buffer_add(out, "  \"%s\": {\n", cost_recompute_names[type]);
    for (int q = 0; q < COST_QUANTITIES; q++) {
        enum cost_axis axes[COST_AXES];
        int n;
        if (t->values[type][q] == NULL)
            continue;
        cost_axes_of(t, (enum cost_quantity)q, axes, &n);
        text_buffer_add(out, "    \"%s\": ", cost_quantity_names[q]);
        add_values(t, axes, n, t->values[type][q], out);
        text_buffer_add(out, ",\n");
    }
    text_buffer_add(out,
                    "    \"model_state_params_mb\": {\"embedding\": %.10g, \"encoder\": %.10g",
                    t->embedding, t->encoder);
    if (t->has_decoder)
        text_buffer_add(out, ", \"decoder\": %.10g", t->decoder);
    text_buffer_add(out, "}}");
}

void cost_tables_write(const struct cost_tables *t, struct text_buffer *out)
{
    bool first = true;
    text_buffer_add(out, "{\"tensor_parallel\": %d,\n", (int)t->tensor_parallel);
    add_axis(t, COST_ROWS, "micro_batch_sizes", out);
    add_axis(t, COST_INPUT, "sequence_lengths", out);
    if (t->has_decoder)
        add_axis(t, COST_TARGET, "target_lengths", out);
    text_buffer_add(out, "\"recompute\": {\n");
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        if (!t->has[type])
            continue;
        text_buffer_add(out, first ? "" : ",\n");
        add_type(t, type, out);
        first = false;
    }
    text_buffer_add(out, "}}");
}
