// SPDX-License-Identifier: Apache-2.0
// Writes plans as JSON.
#include "kernels/common/plan/plan_json.h"

#include "base/edit/json_write.h"
#include "kernels/common/plan/order_text.h"
#include "kernels/common/plan/plan_json_private.h"

#include <math.h>

static void write_field(struct text_buffer *out, const char *key, double value)
{
    text_buffer_add(out, ", \"%s\": ", key);
    json_write_number(out, value);
}

static void write_stages(const struct pipeline *p, struct text_buffer *out)
{
    text_buffer_add(out, "  \"stage\": [\n");
    for (int32_t s = 0; s < p->shape.stages; s++) {
        const struct pipeline_stage *stage = &p->stage[s];
        text_buffer_add(out, "    {\"device\": %d", pipeline_device(p, 0, s));
        if (p->shape.directions == 2)
            text_buffer_add(out, ", \"device_reverse\": %d", pipeline_device(p, 1, s));
        write_field(out, "f", stage->f);
        write_field(out, "b", stage->b);
        write_field(out, "w", stage->w);
        write_field(out, "r", stage->r);
        write_field(out, "kept_until_b", stage->kept_until_b);
        write_field(out, "kept_until_w", stage->kept_until_w);
        write_field(out, "forward_bytes", stage->forward_bytes);
        write_field(out, "backward_bytes", stage->backward_bytes);
        text_buffer_add(out, s + 1 < p->shape.stages ? "},\n" : "}\n");
    }
    text_buffer_add(out, "  ],\n");
}

static void write_devices(const struct pipeline *p, struct text_buffer *out)
{
    text_buffer_add(out, "  \"device\": [\n");
    for (int32_t d = 0; d < p->shape.devices; d++) {
        text_buffer_add(out, "    {\"fixed\": ");
        json_write_number(out, p->fixed[d]);
        if (isfinite(p->limit[d]))
            write_field(out, "limit", p->limit[d]);
        if (isfinite(p->pair[d]))
            write_field(out, "pair", p->pair[d]);
        text_buffer_add(out, d + 1 < p->shape.devices ? "},\n" : "}\n");
    }
    text_buffer_add(out, "  ],\n");
}

static void write_table(const char *key, const double *table, int32_t devices,
                        struct text_buffer *out)
{
    if (table == NULL)
        return;
    text_buffer_add(out, ",\n    \"%s\": [\n", key);
    for (int32_t from = 0; from < devices; from++) {
        for (int32_t to = 0; to < devices; to++) {
            text_buffer_add(out, to == 0 ? "      [" : ", ");
            json_write_number(out, table[(int64_t)from * devices + to]);
        }
        text_buffer_add(out, from + 1 < devices ? "],\n" : "]\n");
    }
    text_buffer_add(out, "    ]");
}

static void write_links(const struct pipeline *p, struct text_buffer *out)
{
    const struct pipeline_links *links = &p->links;
    static const char *const channels[] = {"free", "links", "cards", "blocking"};
    text_buffer_add(out, "  \"links\": {\"channels\": \"%s\"", channels[links->channels]);
    write_field(out, "latency", links->latency);
    write_field(out, "occupation", links->occupation);
    write_table("latencies", links->latencies, p->shape.devices, out);
    write_table("bandwidths", links->bandwidths, p->shape.devices, out);
    text_buffer_add(out, "}");
}

static void write_order(const struct plan *plan, struct text_buffer *out)
{
    const struct order *order = plan->order;
    text_buffer_add(out, ",\n  \"order\": [\n");
    for (int32_t d = 0; d < order->devices; d++) {
        text_buffer_add(out, "    \"");
        order_text_write(order, d, plan->pipeline->shape.slices, out);
        text_buffer_add(out, d + 1 < order->devices ? "\",\n" : "\"\n");
    }
    text_buffer_add(out, "  ]");
}

static void write_maker(const struct plan_maker *maker, const char *part,
                        struct text_buffer *out)
{
    text_buffer_add(out, "\"%s\": {\"by\": ", part);
    json_write_text(out, maker->by);
    if (maker->objective[0] != '\0') {
        text_buffer_add(out, ", \"objective\": ");
        json_write_text(out, maker->objective);
    }
    if (isfinite(maker->value))
        write_field(out, "value", maker->value);
    if (isfinite(maker->bound))
        write_field(out, "bound", maker->bound);
    text_buffer_add(out, "}");
}

static bool is_known(const struct plan_maker *maker)
{
    return maker->by[0] != '\0' || maker->objective[0] != '\0' || isfinite(maker->value) ||
           isfinite(maker->bound);
}

static void write_makers(const struct plan *plan, struct text_buffer *out)
{
    bool any = false;
    for (int k = 0; k < PLAN_PARTS; k++) {
        if (!is_known(&plan->makers[k]))
            continue;
        text_buffer_add(out, any ? ",\n    " : ",\n  \"makers\": {\n    ");
        write_maker(&plan->makers[k], plan_part_names[k], out);
        any = true;
    }
    text_buffer_add(out, any ? "\n  }" : "");
}

void plan_json_write(const struct plan *plan, struct text_buffer *out)
{
    const struct pipeline_shape *shape = &plan->pipeline->shape;
    text_buffer_add(
        out, "{\n  \"plan\": %d,\n  \"units\": {\"time\": \"s\", \"memory\": \"bytes\"},\n",
        plan->configuration != NULL ? PLAN_JSON_VERSION : 1);
    text_buffer_add(out,
                    "  \"devices\": %d, \"stages\": %d, \"micro_batches\": %d, \"slices\": %d, "
                    "\"directions\": %d,\n",
                    shape->devices, shape->stages, shape->micro_batches, shape->slices,
                    shape->directions);
    write_stages(plan->pipeline, out);
    write_devices(plan->pipeline, out);
    write_links(plan->pipeline, out);
    if (plan->order != NULL)
        write_order(plan, out);
    if (plan->layers != NULL)
        plan_write_layers(plan, out);
    write_makers(plan, out);
    if (plan->configuration != NULL)
        text_buffer_add(out, ",\n  \"configuration\": %s", plan->configuration);
    text_buffer_add(out, "\n}\n");
}
