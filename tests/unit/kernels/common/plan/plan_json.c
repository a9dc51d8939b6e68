// SPDX-License-Identifier: Apache-2.0
// Tests plans as JSON: random plans come back bit for bit, and wrong documents are refused with a place.
#include "kernels/common/plan/plan_json.h"

#include "tests/unit/support/documents.h"
#include "tests/unit/support/kernels/plan_equal.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// ---- random plans -------------------------------------------------------------------------------

// Numbers of all sizes: zero, whole, above 2^53, tiny, subnormal.
static double random_number(struct random *r)
{
    union {
        uint64_t bits;
        double value;
    } any;
    switch (random_below(r, 6)) {
    case 0:
        return 0;
    case 1:
        return (double)random_below(r, 1000);
    case 2:
        return (double)(random_bits(r) >> 2); // whole, mostly above 2^53
    case 3:
        return random_unit(r);
    case 4:
        return random_unit(r) * 0x1p-1030;
    default:
        any.bits = random_bits(r) >> 1;
        return any.value < 1e100 ? any.value : 0.1;
    }
}

static void fill_pipeline(struct random *r, struct pipeline *p)
{
    for (int32_t k = 0; k < p->shape.directions * p->shape.stages; k++)
        p->device_of[k] = (int32_t)random_below(r, p->shape.devices);
    for (int32_t s = 0; s < p->shape.stages; s++)
        p->stage[s] = (struct pipeline_stage){
            random_number(r), random_number(r), random_number(r), random_number(r),
            random_number(r), random_number(r), random_number(r), random_number(r)};
    for (int32_t d = 0; d < p->shape.devices; d++) {
        p->fixed[d] = random_number(r);
        if (random_coin(r))
            p->limit[d] = random_number(r);
        if (random_coin(r))
            p->pair[d] = random_number(r);
    }
    p->links.channels = (enum pipeline_channels)random_below(r, 4);
    p->links.latency = random_number(r);
    p->links.occupation = random_number(r);
}

// [devices * devices]; the plan copies it.
static double *random_table(struct random *r, int32_t devices, bool bandwidths)
{
    const int32_t n = devices * devices;
    double *table = calloc((size_t)n, sizeof *table);
    for (int32_t i = 0; i < n; i++) {
        const double x = random_number(r);
        table[i] = bandwidths && x == 0 ? HUGE_VAL : x;
    }
    return table;
}

static struct order *random_operations(struct random *r, const struct pipeline *p)
{
    struct order *order = order_new(p->shape.devices, 40);
    for (int i = 0; i < 20; i++) {
        const int32_t k = (int32_t)random_below(r, p->shape.directions),
                      s = (int32_t)random_below(r, p->shape.stages),
                      d = pipeline_device(p, k, s);
        const int64_t at = order_at(order, d, order->n[d]);
        order_add(order, d, (enum operation_type)random_below(r, OPERATION_TYPES),
                  (int32_t)random_below(r, pipeline_items(p)), s);
        order->operations[at].direction = (uint8_t)k;
        if (order->operations[at].type == OPERATION_F && random_coin(r)) {
            order_add(order, d, OPERATION_BW, 0, s);
            order->operations[at + 1].direction = (uint8_t)k;
            order->paired[at] = 1;
        }
    }
    return order;
}

static void make_some(struct random *r, struct plan *plan)
{
    static const char *const names[] = {"", "zb_auto", "a \"profile\"\\ of\ttwo", "\xc3\xa9"};
    for (int k = 0; k < PLAN_PARTS; k++)
        if (random_coin(r))
            plan_made_by(plan, (enum plan_part)k, names[random_below(r, 4)],
                         random_coin(r) ? "makespan" : "",
                         random_coin(r) ? -random_number(r) : (double)NAN,
                         random_coin(r) ? random_number(r) : (double)NAN);
}

static void set_layers(struct random *r, struct plan *plan)
{
    struct plan_layers layers = {
        .count = 1 + (int32_t)random_below(r, 100),
        .f = random_number(r),
        .bytes = random_number(r),
        .has = {true},
        .head = {.f = random_number(r), .b = random_number(r), .bytes = -random_number(r)},
        .tail = {.f = random_number(r), .b = random_number(r), .bytes = random_number(r)},
        .stage_bytes = random_number(r),
        .transfer = random_number(r)};
    for (int k = 0; k < PLAN_RECOMPUTES; k++) {
        layers.has[k] = layers.has[k] || random_coin(r);
        if (!layers.has[k])
            continue;
        layers.b[k] = random_number(r);
        layers.kept[k] = 1 + random_number(r);
    }
    cr_assert(plan_set_layers(plan, &layers));
}

static struct plan *random_plan(struct random *r)
{
    const struct pipeline_shape shape = {.devices = 1 + (int32_t)random_below(r, 4),
                                         .stages = 1 + (int32_t)random_below(r, 6),
                                         .micro_batches = 1 + (int32_t)random_below(r, 9),
                                         .slices = 1 + (int32_t)random_below(r, 3),
                                         .directions = 1 + (int32_t)random_below(r, 2)};
    struct pipeline *p = pipeline_new(&shape);
    fill_pipeline(r, p);
    double *latencies = random_coin(r) ? random_table(r, shape.devices, false) : NULL,
           *bandwidths = random_coin(r) ? random_table(r, shape.devices, true) : NULL;
    p->links.latencies = latencies;
    p->links.bandwidths = bandwidths;
    struct order *order = random_coin(r) ? random_operations(r, p) : NULL;
    struct plan *plan = plan_new(p, order);
    make_some(r, plan);
    if (random_coin(r))
        set_layers(r, plan);
    free(latencies);
    free(bandwidths);
    order_free(order);
    pipeline_free(p);
    return plan;
}

// Would catch a number that is rounded, a key that one side does not know, and whole numbers above 2^53,
// which the reader of documents refuses without a point.
Test(plan_json, round_trips)
{
    struct random r = {.state = 4};
    for (int i = 0; i < 500; i++) {
        struct plan *plan = random_plan(&r);
        struct text_buffer text = {.text = NULL};
        struct pps_json json;
        struct pps_error err;
        struct pps_fault fault;
        plan_json_write(plan, &text);
        cr_assert_eq(pps_json_parse(&json, "plan", text.text, text.n, &err), PPS_OK, "%s\n%s",
                     text.text, err.text);
        cr_assert(plan_json_is_plan(json.root));
        struct plan *again = plan_json_read(json.root, &fault);
        cr_assert_not_null(again, "%s\n%s", text.text, fault.text);
        cr_assert(plan_equal(plan, again), "%s", text.text);
        pps_json_free(&json);
        text_buffer_free(&text);
        plan_free(again);
        plan_free(plan);
    }
}

// ---- documents ----------------------------------------------------------------------------------

Test(plan_json, what_is_absent)
{
    struct pps_fault fault;
    struct pps_json json =
        document_of("{'plan': 1, 'devices': 2, 'stages': 2, 'micro_batches': 3,"
                    "'stage': [{'device': 1, 'f': 2}, {'device': 0}]}");
    struct plan *plan = plan_json_read(json.root, &fault);
    cr_assert_not_null(plan, "%s", fault.text);
    const struct pipeline *p = plan->pipeline;
    cr_assert(p->device_of[0] == 1 && p->device_of[1] == 0);
    cr_assert(p->stage[0].f == 2 && p->stage[0].r == 2 && p->stage[0].b == 0);
    cr_assert(p->shape.slices == 1 && p->shape.directions == 1);
    cr_assert(isinf(p->limit[1]) && isnan(p->pair[1]) && p->fixed[1] == 0);
    cr_assert(p->links.channels == PIPELINE_FREE && p->links.latencies == NULL);
    cr_assert(plan->order == NULL && plan->makers[PLAN_ORDER].by[0] == '\0' &&
              isnan(plan->makers[PLAN_ORDER].value));
    plan_free(plan);
    pps_json_free(&json);
}

#define SHAPE  "{'plan': 1, 'devices': 2, 'stages': 2, 'micro_batches': 3"
#define STAGES ", 'stage': [{'device': 0}, {'device': 1}]"

// @ stands before the place of the fault.
static const struct {
    const char *text, *message;
} refused[] = {
    {"@[]", "expected an object that describes a plan"},
    {"@{'plan': 1}", "a plan needs the key \"devices\""},
    {"@" SHAPE "}", "a plan needs the key \"stage\""},
    {"{'plan': @3, 'devices': 2, 'stages': 2, 'micro_batches': 3}", "newer"},
    {"{'plan': 1, 'devices': @2.5, 'stages': 2, 'micro_batches': 3}", "devices: expected"},
    {SHAPE ", 'units': {'time': @'ms', 'memory': 'bytes'}}", "the only unit of time is \"s\""},
    {SHAPE ", @'stages_': 3}", "did you mean stages?"},
    {SHAPE ", 'stage': @[{'device': 0}]}", "expected a list of 2 items"},
    {SHAPE ", 'stage': [{'device': 0}, {'device': @2}]}", "numbered from 0 to 1"},
    {SHAPE ", 'stage': [{'device': 0}, @{'f': 2}]}", "needs the key \"device\""},
    {SHAPE ", 'stage': [{'device': 0, 'f': @-1}, {'device': 1}]}", "f: expected a number"},
    {SHAPE ", 'stage': [{'device': 0, @'device_reverse': 1}, {'device': 1}]}", "one direction"},
    {SHAPE STAGES ", 'device': [{'limit': @-1}, {}]}", "limit: expected a number"},
    {SHAPE STAGES ", 'links': {'channels': @'cable'}}", "channels: expected"},
    {SHAPE STAGES ", 'links': {'latencies': [[0, 1], [@-1, 0]]}}",
     "latencies: expected a number"},
    {SHAPE STAGES ", 'links': {'bandwidths': [[0, @0], [1, 0]]}}",
     "bandwidths: expected a number"},
    {SHAPE STAGES ", 'order': @['F0.0']}", "expected a list of 2 items"},
    {SHAPE STAGES ", 'order': ['F0.0', @'F0.X']}", "order[1], character 4: expected a number"},
    {SHAPE STAGES ", 'order': ['F0.0', @'F0.0']}", "stage 0 is on device 0"},
    {SHAPE STAGES ", 'order': ['F0.0', @'F3.1']}", "order[1], operation 1: the plan has no"},
    {SHAPE STAGES ", 'order': ['F0.0', @'F0.1r']}", "the plan has no"},
    {SHAPE STAGES ", 'order': ['F0.0', @'F0:1.1']}", "too large"},
    {SHAPE STAGES ", 'makers': {@'ordre': {}}}", "ordre: the parts of a plan are"},
    {SHAPE STAGES ", 'makers': {'order': {'by': @5}}}", "by: expected a text"},
    {SHAPE STAGES ", 'layers': @{'head': {}}}", "layers need the key \"body\""},
    {SHAPE STAGES ", 'layers': {'body': @{'count': 3, 'f': 1}}}",
     "the body needs the key \"none\""},
    {SHAPE STAGES ", 'layers': {'body': {'count': 3, 'none': @{'b': 1}}}}",
     "none: expected the backward b and the bytes kept"},
};

Test(plan_json, faults)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char text[300];
        snprintf(text, sizeof text, "%s", refused[i].text);
        char *const mark = strchr(text, '@');
        memmove(mark, mark + 1, strlen(mark));
        struct pps_json json = document_of(text);
        struct pps_fault fault;
        struct pps_error err = {.column = 0};
        cr_assert_null(plan_json_read(json.root, &fault), "%s", text);
        (void)(fault.at_key ? pps_json_fail_key(&json, fault.item, &err, "-")
                            : pps_json_fail(&json, fault.item, &err, "-"));
        cr_assert(strstr(fault.text, refused[i].message) != NULL, "%s\n%s", text, fault.text);
        cr_assert_eq(err.column, mark - text + 1, "%s\ncolumn %d: %s", text, err.column,
                     fault.text);
        pps_json_free(&json);
    }
}
