// SPDX-License-Identifier: Apache-2.0
// Tests of the bound of a batch: random divisions, of pairs and of single samples, are never below it. They would catch a
// bound that misses cheap rows, lengths below the tables, the limit of memory, or packed rows.
#include "kernels/dynapipe/step/batch_bound.h"

#include "kernels/dynapipe/documents/cost_tables_read.h"
#include "kernels/dynapipe/methods/methods.h"
#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 24, BATCHES = 20, DIVISIONS = 40 };

struct fixture {
    struct network network;
    struct network_stages stages;
    struct network_links links;
    struct cost_tables tables;
    struct step_setup setup;
    struct micro_batches of[DYNAPIPE_RECOMPUTE_TYPES];
    void *memory;
};

static void take(struct fixture *f, struct room *room)
{
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        micro_batches_take(&f->of[type], SAMPLES, f->stages.stages, room);
}

// memory: MB beside the largest state; INFINITY: no limit.
static void open(struct fixture *f, const char *grid, bool decoder, double memory)
{
    int32_t devices[16];
    char text[512];
    struct pps_fault fault;
    struct room room = {NULL, 0};
    cJSON *document = golden_of("dynapipe", grid);
    cr_assert(cost_tables_read(document, 1, &f->tables, &fault), "%s", fault.text);
    cJSON_Delete(document);
    f->network = (struct network){decoder ? 8 : 16, decoder ? 8 : 0, 1024, 2};
    cr_assert(network_spread(&f->network, 4, decoder ? 2 : 1, devices, text, sizeof text));
    cr_assert(network_assign(&f->network, devices, &f->stages, text, sizeof text));
    f->links = (struct network_links){2, 4800, 200, 10, 20};
    f->setup = (struct step_setup){.network = &f->network,
                                   .stages = &f->stages,
                                   .links = &f->links,
                                   .tables = &f->tables,
                                   .replicas = 1,
                                   .limit = HUGE_VAL};
    double state = 0;
    for (int round = 0; round < 2; round++) {
        cr_assert_eq(step_setup_open(&f->setup), -1);
        for (int32_t d = 0; d < f->stages.devices; d++)
            state = fmax(state, f->setup.state[d]);
        f->setup.limit = state + memory;
    }
    take(f, &room);
    f->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){f->memory, 0};
    take(f, &room);
}

static void close(struct fixture *f)
{
    cost_tables_free(&f->tables);
    free(f->memory);
}

static int32_t fill(struct fixture *f, const struct network_shape *shape, int32_t m)
{
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        if (!network_fill(&f->network, &f->stages, &f->links, &f->tables,
                          (enum dynapipe_recompute)type, false, shape, m, &f->of[type]))
            return -1;
    return m + 1;
}

// Divides the samples at random: neighbours share a micro-batch, or a row of it. Returns its bound; INFINITY: it cannot run.
static double divide(struct fixture *f, const struct split_samples *s, bool packs,
                     struct random *r)
{
    const int32_t most = 1 + (int32_t)random_below(r, 8);
    int32_t n = 0;
    for (int32_t i = 0; i < s->count && n >= 0;) {
        struct network_shape shape = {0, 0, 0};
        const int32_t rows = 1 + (int32_t)random_below(r, most);
        for (; shape.rows < rows && i < s->count; shape.rows++, i++) {
            int32_t input = split_input_of(s, i), target = split_target_of(s, i);
            for (; packs && i + 1 < s->count && random_below(r, 3) > 0; i++) {
                input += split_input_of(s, i + 1);
                target += split_target_of(s, i + 1);
            }
            shape.input = input > shape.input ? input : shape.input;
            shape.target = target > shape.target ? target : shape.target;
        }
        n = fill(f, &shape, n);
    }
    int32_t device;
    double needs;
    struct plan_task task = {.pipeline = &f->setup.pipeline};
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES && n > 0; type++) {
        f->of[type].count = n;
        task.of[type] = &f->of[type];
    }
    return n > 0 && plan_is_feasible(&task, &device, &needs)
               ? method_bound(&f->setup.pipeline, &f->of[DYNAPIPE_KEEP])
               : HUGE_VAL;
}

static void compare(const char *grid, bool decoder, double memory, bool packs, uint64_t seed)
{
    struct fixture f;
    struct batch_bound bound;
    struct random r = {seed};
    int32_t input[SAMPLES], target[SAMPLES], runs = 0;
    double closest = HUGE_VAL;
    open(&f, grid, decoder, memory);
    cr_assert(batch_bound_open(&bound, &f.setup, true));
    for (int b = 0; b < BATCHES; b++) {
        const struct split_samples s = {1 + (int32_t)random_below(&r, SAMPLES), input,
                                        decoder ? target : NULL, 0, NULL};
        for (int32_t i = 0; i < s.count; i++) {
            input[i] = (int32_t)(4 * exp(4 * random_unit(&r)));
            target[i] = (int32_t)(2 * exp(4 * random_unit(&r)));
        }
        const double least = batch_bound_of(&bound, &s, packs);
        cr_assert_gt(least, 0);
        for (int k = 0; k < DIVISIONS; k++) {
            const double found = divide(&f, &s, packs, &r);
            cr_assert_geq(found * (1 + 1e-12), least, "%s batch %d division %d", grid, b, k);
            closest = fmin(closest, found / least);
            runs += found < HUGE_VAL;
        }
    }
    cr_assert_gt(runs, BATCHES * DIVISIONS / 20, "%s: %d divisions", grid, (int)runs);
    cr_assert_lt(closest, 1.5, "%s: %g", grid, closest);
    batch_bound_close(&bound);
    close(&f);
}

Test(dynapipe_batch_bound, no_division_is_below_it)
{
    for (int packs = 0; packs < 2; packs++) {
        compare("grid_decoder_only.json", false, HUGE_VAL, packs > 0, 3);
        compare("grid_decoder_only.json", false, 60, packs > 0, 4);
        compare("grid_encoder_decoder.json", true, HUGE_VAL, packs > 0, 5);
        compare("grid_encoder_decoder.json", true, 60, packs > 0, 6);
    }
}
