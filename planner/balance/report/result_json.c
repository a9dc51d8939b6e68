// SPDX-License-Identifier: Apache-2.0
// Writes strategies and their replays as JSON.
#include "planner/balance/report/result_json.h"

#include "base/edit/json_write.h"
#include "kernels/balance/output/lists_text.h"
#include "planner/balance/report/megatron_flags.h"

#include <math.h>
#include <stddef.h>

#define FITS_MB 1e-6 // above the limit

static void add_number(struct text_buffer *text, const char *before, double value)
{
    text_buffer_add(text, "%s", before);
    json_write_number(text, value);
}

static void add_shape(const struct balance_reported *r, struct text_buffer *text)
{
    const struct balance_shape *shape = r->shape;
    text_buffer_add(text, "\n  {\"name\": ");
    json_write_text(text, r->name);
    text_buffer_add(text,
                    ", \"stages\": %d, \"chunks\": %d, \"micro_batches\": %d, \"pieces\": %d, "
                    "\"order\": \"%s\",\n",
                    shape->stages, shape->chunks, shape->micro_batches, shape->pieces,
                    shape->order == BALANCE_LESS_MEMORY ? "less" : "big");
}

static void add_result(const struct balance_reported *r,
                       double limit_mb,
                       double first,
                       struct text_buffer *text)
{
    const struct balance_result *result = r->result;
    add_number(text, "   \"step_time\": ", result->makespan);
    add_number(text,
               ", \"relative_speed\": ", result->makespan > 0 ? first / result->makespan : 1);
    text_buffer_add(text, ", \"fits\": %s,\n",
                    result->peak_mb[result->worst] <= limit_mb + FITS_MB ? "true" : "false");
    add_number(text, "   \"bubble\": {\"real\": ", result->bubble.real);
    add_number(text, ", \"ideal\": ", result->bubble.ideal);
    add_number(text, ", \"imbalance\": ", result->bubble.imbalance);
    add_number(text, ", \"recompute\": ", result->bubble.recompute);
    add_number(text, ", \"transfer\": ", result->bubble.transfer);
    text_buffer_add(text, "},\n   \"peak_mib\": ");
    for (int32_t s = 0; s < r->shape->stages; s++)
        add_number(text, s == 0 ? "[" : ", ", result->peak_mb[s]);
    text_buffer_add(text, "], \"worst_stage\": %d,\n", result->worst);
}

static void add_lists(const struct balance_layers *layers,
                      const struct balance_reported *r,
                      struct text_buffer *text)
{
    for (int list = 0; list < BALANCE_LISTS; list++) {
        text_buffer_add(text, "   \"%s\": ", balance_list_names[list]);
        balance_list_text(layers, r->strategy, (enum balance_list)list, text);
        text_buffer_add(text, ",\n");
    }
    text_buffer_add(text, "   \"layout\": \"");
    balance_megatron_layout(r->strategy, text);
    text_buffer_add(text, "\", \"canonical\": %s,\n",
                    balance_is_canonical(r->strategy) ? "true" : "false");
}

static void add_chunks(const struct balance_layers *layers,
                       const struct balance_reported *r,
                       const char *name,
                       size_t offset,
                       struct text_buffer *text)
{
    text_buffer_add(text, "   \"%s\": ", name);
    for (int32_t v = 0; v < r->shape->chunks; v++) {
        text_buffer_add(text, "%s", v == 0 ? "[" : ", ");
        for (int32_t s = 0; s < r->shape->stages; s++) {
            const struct balance_chunk chunk = balance_chunk_of(layers, r->strategy, v, s);
            const double *value = (const double *)(const void *)((const char *)&chunk + offset);
            add_number(text, s == 0 ? "[" : ", ", *value);
        }
        text_buffer_add(text, "]");
    }
    text_buffer_add(text, "],\n");
}

static void add_strategy(const struct balance_layers *layers,
                         double limit_mb,
                         const struct balance_reported *r,
                         double first,
                         struct text_buffer *text)
{
    add_shape(r, text);
    add_result(r, limit_mb, first, text);
    add_lists(layers, r, text);
    add_chunks(layers, r, "forward", offsetof(struct balance_chunk, forward), text);
    add_chunks(layers, r, "backward", offsetof(struct balance_chunk, backward), text);
    add_chunks(layers, r, "activation_mib", offsetof(struct balance_chunk, activation_mb),
               text);
    text_buffer_add(text, "   \"static_mib\": ");
    for (int32_t s = 0; s < r->shape->stages; s++)
        add_number(text, s == 0 ? "[" : ", ", balance_static_mb(layers, r->strategy, s));
    text_buffer_add(text, "]}");
}

void balance_result_json(const struct balance_layers *layers,
                         double limit_mb,
                         const struct balance_reported *strategies,
                         int n,
                         struct text_buffer *text)
{
    text_buffer_add(text, "{\"model\": ");
    json_write_text(text, layers->name);
    text_buffer_add(text, ", \"layers\": %d, \"limit_mib\": ", layers->layers);
    json_write_number(text, limit_mb);
    text_buffer_add(text, ", \"strategies\": [");
    for (int i = 0; i < n; i++) {
        text_buffer_add(text, "%s", i == 0 ? "" : ",");
        add_strategy(layers, limit_mb, &strategies[i], strategies[0].result->makespan, text);
    }
    text_buffer_add(text, "\n]}\n");
}
