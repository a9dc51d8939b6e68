// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/drawn_configuration.h"

#include "kernels/schedule/catalogue/catalogue.h"
#include "tests/unit/support/kernels/nd_points.h"

#include <criterion/criterion.h>
#include <stdlib.h>

// Moves layers between parts and makes some of them again.
static void draw_parts(struct random *r, struct configuration *c)
{
    int32_t *lists = calloc(3 * (size_t)c->n_parts, sizeof *lists), *full = lists + c->n_parts,
            *select = full + c->n_parts;
    cr_assert_not_null(lists);
    for (int32_t k = 0; k < c->n_parts; k++)
        lists[k] = configuration_part_layers(&c->parts[k]);
    for (int32_t k = 0; k < c->n_parts; k++) {
        const int32_t moved = (int32_t)random_below(r, lists[k] + 1);
        lists[k] -= moved;
        lists[random_below(r, c->n_parts)] += moved;
    }
    for (int32_t k = 0; k < c->n_parts; k++) {
        full[k] = (int32_t)random_below(r, lists[k] + 1);
        select[k] = (int32_t)random_below(r, lists[k] - full[k] + 1);
    }
    configuration_set_layers(c, lists, full, select);
    free(lists);
}

// Draws a family for the chunks of a device.
static const struct family *draw_family(struct random *r, int32_t vp)
{
    static const char *const names[] = {"bfs_loop",  "interleaved", "pytorch_bfs", "pytorch_zb",
                                        "dualpipev", "pytorch_zbv", "zbv"};
    return family_named(vp == 1 ? "gpipe" : names[random_below(r, vp == 2 ? 7 : 4)]);
}

struct configuration drawn_configuration(struct random *r)
{
    struct nd_setting s;
    struct nd_point p;
    struct configuration c;
    char why[256];
    for (;;) {
        random_setting(r, &s, 1);
        p = random_nd_point(r, &s.model);
        p.strategy.op = p.strategy.op < 1 ? p.strategy.dp * p.strategy.cp : p.strategy.op;
        c = (struct configuration){.model = s.model,
                                   .cluster = s.cluster,
                                   .training = s.training,
                                   .strategy = p.strategy,
                                   .recompute_group = 1 + (int32_t)random_below(r, 2)};
        c.model.seq_length = p.seq_length;
        c.training.gbs = p.gbs;
        c.cluster.world_size =
            (int64_t)p.strategy.dp * p.strategy.tp * p.strategy.cp * p.strategy.pp;
        configuration_set_schedule(&c);
        if (random_coin(r) && p.strategy.pp > 1)
            c.family = draw_family(r, p.strategy.vp);
        if (c.family == family_named("dualpipev"))
            c.training.schedule = TRAINING_DUALPIPE;
        if (random_below(r, 4) == 0) {
            const int32_t n = configuration_micro_batches(&c), runs = 1 + random_below(r, 4);
            c.run_batch = n % runs == 0 ? c.strategy.mbs * n / runs : 0;
        }
        cr_assert(configuration_spread(&c));
        if (configuration_micro_batches(&c) >= 1 && configuration_micro_batches(&c) < 512 &&
            configuration_has_order(&c, why, sizeof why))
            break;
        configuration_free(&c);
    }
    draw_parts(r, &c);
    return c;
}
