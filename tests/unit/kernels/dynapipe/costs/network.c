// SPDX-License-Identifier: Apache-2.0
// Tests of costs of stages against published figures. They would catch a wrong interpolation, a cell outside the tables
// that counts as inside, wrong units, and transfers, states or peaks of another stage.
#include "kernels/dynapipe/costs/network.h"

#include "kernels/dynapipe/documents/cost_tables_read.h"
#include "kernels/dynapipe/methods/methods.h"
#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/kernels/plan_case.h"
#include "tests/unit/support/near.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void load(struct cost_tables *tables, const char *name)
{
    char file[128];
    struct pps_fault fault;
    snprintf(file, sizeof file, "%s.json", name);
    cJSON *document = golden_of("dynapipe", file);
    cr_assert(cost_tables_read(document, 1, tables, &fault), "%s", fault.text);
    cJSON_Delete(document);
}

static int index_of(const char *const *names, int n, const char *name)
{
    for (int k = 0; k < n; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    cr_assert_fail("%s", name);
    return -1;
}

Test(dynapipe_costs, interpolation)
{
    cJSON *document = golden_of("dynapipe", "interp_01_decoder_only.json");
    const cJSON *expected = golden_item(document, "expected"), *one;
    struct cost_tables tables;
    load(&tables, golden_word(golden_item(document, "input"), "cost_grid"));
    cJSON_ArrayForEach (one, golden_item(expected, "queries")) {
        const int32_t at[COST_AXES] = {golden_whole(one, "micro_batch_size"),
                                       golden_whole(one, "sequence_length"),
                                       golden_whole(one, "target_length")};
        const int type = index_of(cost_recompute_names, DYNAPIPE_RECOMPUTE_TYPES,
                                  golden_word(one, "recompute")),
                  quantity = index_of(cost_quantity_names, COST_QUANTITIES,
                                      golden_word(one, "quantity"));
        double value = -1;
        const bool known = cost_tables_lookup(&tables, (enum dynapipe_recompute)type,
                                              (enum cost_quantity)quantity, at, &value);
        cr_assert_eq(known, !golden_is(one, "out_of_range"));
        if (known)
            near(value, golden_real(one, "value"), 1e-6, "%s", golden_word(one, "quantity"));
    }
    cJSON_ArrayForEach (one, golden_item(expected, "model_state_factors")) {
        const int32_t zero = golden_whole(one, "zero_stage"),
                      ranks = golden_whole(one, "data_parallel");
        const double published = golden_real(one, "factor_original");
        if (zero < 3 || ranks == 1)
            cr_assert_float_eq(cost_state_factor(zero, ranks), published, 1e-12);
    }
    cr_assert_float_eq(cost_state_factor(3, 2), 4, 1e-12); // published: 3.5 and 1.625
    cr_assert_float_eq(cost_state_factor(3, 4), 2, 1e-12);
    cost_tables_free(&tables);
    cJSON_Delete(document);
}

// Values at nodes are exact; between nodes of one axis they lie on a line; nodes that were not measured make cells
// unknown, but not their neighbours.
Test(dynapipe_costs, nodes_and_holes)
{
    struct cost_tables t = {.nodes = {2, 3, 2}, .has_decoder = true, .has = {true}};
    struct random r = {51};
    cr_assert(cost_tables_allocate(&t));
    memcpy(t.axis[COST_ROWS], (double[]){1, 4}, 2 * sizeof(double));
    memcpy(t.axis[COST_INPUT], (double[]){8, 16, 32}, 3 * sizeof(double));
    memcpy(t.axis[COST_TARGET], (double[]){8, 24}, 2 * sizeof(double));
    double *values = t.values[0][COST_DECODER_FORWARD], value;
    for (int k = 0; k < 12; k++)
        values[k] = 1 + random_unit(&r);
    const enum cost_quantity q = COST_DECODER_FORWARD;
    for (int k = 0; k < 12; k++) {
        const int32_t at[COST_AXES] = {(int32_t)t.axis[0][k / 6], (int32_t)t.axis[1][k / 2 % 3],
                                       (int32_t)t.axis[2][k % 2]};
        cr_assert(cost_tables_lookup(&t, DYNAPIPE_KEEP, q, at, &value));
        cr_assert_eq(value, values[k]);
    }
    cr_assert(cost_tables_lookup(&t, DYNAPIPE_KEEP, q, (int32_t[]){1, 24, 24}, &value));
    cr_assert_float_eq(value, (values[3] + values[5]) / 2, 1e-12);
    values[11] = (double)NAN;
    cr_assert(!cost_tables_lookup(&t, DYNAPIPE_KEEP, q, (int32_t[]){2, 24, 24}, &value));
    cr_assert(cost_tables_lookup(&t, DYNAPIPE_KEEP, q, (int32_t[]){1, 24, 24}, &value));
    cr_assert(cost_tables_lookup(&t, DYNAPIPE_KEEP, q, (int32_t[]){2, 16, 24}, &value));
    cr_assert(!cost_tables_lookup(&t, DYNAPIPE_KEEP, q, (int32_t[]){5, 16, 24}, &value));
    cr_assert(!cost_tables_lookup(&t, DYNAPIPE_FULL, q, (int32_t[]){1, 16, 24}, &value));
    values[0] = 0;
    values[1] = 4;
    cr_assert(cost_tables_lookup(&t, DYNAPIPE_KEEP, q, (int32_t[]){1, 8, 1}, &value));
    cr_assert_eq(value, 0); // the line would be below 0
    cost_tables_free(&t);
}

struct spec {
    struct network network;
    struct network_links links;
    struct network_stages stages;
    struct cost_tables tables;
    cJSON *document;
    const cJSON *input, *expected;
};

static void open(struct spec *s, const char *name)
{
    int32_t devices[64], n = 0;
    const cJSON *one;
    char text[512];
    s->document = golden_of("dynapipe", name);
    s->input = golden_item(s->document, "input");
    s->expected = golden_item(s->document, "expected");
    load(&s->tables, golden_word(s->input, "cost_grid"));
    s->network = (struct network){
        golden_whole(s->input, "n_encoder_layers"), golden_whole(s->input, "n_decoder_layers"),
        golden_whole(s->input, "hidden"), golden_whole(s->input, "bytes_per_element")};
    s->links = (struct network_links){2, golden_real(s->input, "intra_node_bw_gbps"),
                                      golden_real(s->input, "inter_node_bw_gbps"),
                                      golden_real(s->input, "intra_node_lat_us"),
                                      golden_real(s->input, "inter_node_lat_us")};
    cJSON_ArrayForEach (one, golden_item(s->input, "device_assignment"))
        devices[n++] = one->valueint;
    cr_assert(network_assign(&s->network, devices, &s->stages, text, sizeof text), "%s", text);
}

static void compare(const cJSON *expected, const char *name, const double *got, int32_t n)
{
    const cJSON *value;
    int32_t k = 0;
    cJSON_ArrayForEach (value, golden_item(expected, name)) {
        if (k < n)
            near(got[k], value->valuedouble, 1e-6, "%s[%d]", name, (int)k);
        k++;
    }
}

static void check(const char *name)
{
    struct spec s;
    struct plan_case c;
    open(&s, name);
    const cJSON *shapes = golden_item(s.input, "batch_shapes"),
                *merged = golden_item(s.expected, "merged_stages"), *one;
    const int32_t count = cJSON_GetArraySize(shapes), stages = s.stages.stages;
    double state[16];
    plan_case_open(&c, s.stages.devices, stages, count);
    network_state(&s.network, &s.stages, &s.tables,
                  cost_state_factor(golden_whole(s.input, "zero_stage"),
                                    golden_whole(s.input, "data_parallel")),
                  state);
    memcpy(c.device_of, s.stages.device_of, (size_t)stages * sizeof *c.device_of);
    memcpy(c.state, state, (size_t)s.stages.devices * sizeof *state);
    if (s.stages.devices == stages)
        compare(merged, "model_state_mb", state, stages);
    for (int32_t m = 0; m < count; m++) {
        const cJSON *shape = cJSON_GetArrayItem(shapes, m);
        const struct network_shape of = {cJSON_GetArrayItem(shape, 0)->valueint,
                                         cJSON_GetArrayItem(shape, 1)->valueint,
                                         cJSON_GetArrayItem(shape, 2)->valueint};
        cr_assert(network_fill(&s.network, &s.stages, &s.links, &s.tables, DYNAPIPE_KEEP, false,
                               &of, m, &c.of[0]));
        one = cJSON_GetArrayItem(golden_item(merged, "microbatches"), m);
        const int64_t at = micro_batches_at(&c.of[0], m, 0);
        compare(one, "fw", c.of[0].forward + at, stages);
        compare(one, "bw", c.of[0].backward + at, stages);
        compare(one, "stored", c.of[0].stored + at, stages);
        compare(one, "peak", c.of[0].peak + at, stages);
        compare(one, "fw_comm", c.of[0].activation + at, stages - 1);
        // At the border of encoders and decoders the published gradient is larger than what is sent.
        for (int32_t b = 0; b < stages - 1; b++)
            if (s.stages.first_layer[b + 1] != s.network.encoders || s.network.decoders == 0)
                near(c.of[0].gradient[at + b],
                     cJSON_GetArrayItem(golden_item(one, "bw_comm"), b)->valuedouble, 1e-6,
                     "gradient %d", (int)b);
            else
                cr_assert_eq(c.of[0].gradient[at + b], c.of[0].activation[at + b]);
    }
    plan_case_close(&c);
    cost_tables_free(&s.tables);
    cJSON_Delete(s.document);
}

// The memory of a stage of three layers with recomputation: in the forward two layers have left what the type keeps, and one
// runs; in the backward one layer is made again beside what all of them keep. The published planner takes the peak of
// layers that keep everything.
Test(dynapipe_costs, recomputation_lowers_the_peak)
{
    const struct network network = {3, 0, 64, 2};
    const struct network_shape shape = {2, 128, 0};
    const int32_t at[COST_AXES] = {2, 128, 0}, layers[] = {0, 0, 0};
    const struct network_links links = {2, 100, 100, 0, 0};
    static struct network_stages stages;
    struct cost_tables t;
    struct plan_case c;
    char text[64];
    load(&t, "grid_decoder_only");
    cr_assert(network_assign(&network, layers, &stages, text, sizeof text));
    plan_case_open(&c, 1, 1, 1);
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        struct micro_batches *b = &c.of[type];
        double stored, own, whole, all;
        cost_tables_lookup(&t, type, COST_ENCODER_STORED, at, &stored);
        cost_tables_lookup(&t, type, COST_ENCODER_PEAK, at, &own);
        cost_tables_lookup(&t, DYNAPIPE_KEEP, COST_ENCODER_PEAK, at, &whole);
        cost_tables_lookup(&t, DYNAPIPE_KEEP, COST_ENCODER_STORED, at, &all);
        cr_assert(network_fill(&network, &stages, &links, &t, type, false, &shape, 0, b));
        cr_assert_float_eq(b->stored[0], 3 * stored, 1e-9);
        cr_assert_float_eq(b->peak[0], 2 * stored + own, 1e-9);
        cr_assert_float_eq(b->backward_peak[0], type == DYNAPIPE_KEEP ? 0 : whole - stored,
                           1e-9);
        cr_assert(network_fill(&network, &stages, &links, &t, type, true, &shape, 0, b));
        cr_assert_float_eq(b->peak[0], 2 * all + whole, 1e-9);
        cr_assert_eq(b->backward_peak[0], 0);
    }
    plan_case_close(&c);
    cost_tables_free(&t);
}

Test(dynapipe_costs, stages_of_encoders)
{
    check("spec_01_decoder_only.json");
}

Test(dynapipe_costs, stages_with_decoders)
{
    check("spec_02_encoder_decoder.json");
}

Test(dynapipe_costs, assignments)
{
    const struct network plain = {8, 0, 64, 2}, mixed = {4, 4, 64, 2};
    static struct network_stages s;
    int32_t device[8];
    char text[512];
    cr_assert(
        !network_assign(&plain, (int32_t[]){0, 0, 2, 2, 1, 1, 0, 0}, &s, text, sizeof text));
    cr_assert(strstr(text, "layer 2 is on device 2") != NULL, "%s", text);
    cr_assert(
        !network_assign(&mixed, (int32_t[]){0, 0, 0, 1, 1, 2, 2, 2}, &s, text, sizeof text));
    cr_assert(strstr(text, "last encoder layer") != NULL, "%s", text);
    cr_assert(
        network_assign(&plain, (int32_t[]){0, 1, 1, 1, 2, 1, 1, 0}, &s, text, sizeof text));
    cr_assert_eq(s.stages, 5);
    cr_assert_eq(s.layers, 3);
    cr_assert_eq(s.chunks, 2);
    for (int32_t devices = 1; devices <= 4; devices++)
        for (int32_t chunks = 1; devices * chunks <= 8; chunks++)
            for (int kind = 0; kind < 2; kind++) {
                const struct network *n = kind == 0 ? &plain : &mixed;
                cr_assert(network_spread(n, devices, chunks, device, text, sizeof text));
                cr_assert(network_assign(n, device, &s, text, sizeof text), "%s", text);
                cr_assert_eq(s.stages, devices == 1 ? 1 : devices * chunks);
            }
    cr_assert(!network_spread(&plain, 3, 3, device, text, sizeof text));
}
