// SPDX-License-Identifier: Apache-2.0
// Tests of pieces of a sequence: the figures of the worked example, and pieces that are too short.
#include "kernels/balance/model/sequence.h"

#include "tests/unit/support/near.h"

#include <criterion/criterion.h>

static const struct balance_training training = {.batch = 8,
                                                 .sequence = 8192,
                                                 .heads = 32,
                                                 .hidden = 4096,
                                                 .vocabulary = 32000,
                                                 .intermediate = 11008,
                                                 .tensor_parallel = 4};

static struct balance_layers layers_of(void)
{
    return (struct balance_layers){.layers = 16,
                                   .head = 30,
                                   .tail = 90,
                                   .head_backward = 60,
                                   .tail_backward = 180,
                                   .transfer = 3,
                                   .forward = 180,
                                   .backward = {360, 374.4},
                                   .has = {true, true, false, false, true},
                                   .activation_mb = {4229, 4098, 0, 0, 9},
                                   .parameter_mb = 368,
                                   .head_mb = 5288,
                                   .tail_mb = 10030};
}

Test(balance_sequence, worked_example)
{
    struct balance_layers layers = layers_of();
    balance_cut_sequence(&layers, &training, 2);
    near(layers.activation_mb[BALANCE_NONE], 2242.5, 1e-12, "none");
    near(layers.activation_mb[BALANCE_SELECT], 2177, 1e-12, "select");
    near(layers.parameter_mb, 880, 1e-12, "parameters");
    near(layers.head_mb, 4904, 1e-12, "head");
    near(layers.tail_mb, 8030, 1e-12, "tail");
    near(layers.forward, 90, 1e-12, "forward");
    near(layers.tail_backward, 90, 1e-12, "backward of the tail");
    near(layers.transfer, 1.5, 1e-12, "transfer");
    near(layers.backward[BALANCE_SELECT], 187.2, 1e-12, "backward");
    cr_expect_not(layers.has[BALANCE_FULL]);
}

Test(balance_sequence, one_device_for_a_layer)
{
    struct balance_layers layers = layers_of();
    struct balance_training alone = training;
    alone.tensor_parallel = 1;
    balance_cut_sequence(&layers, &alone, 2);
    near(layers.head_mb, 4344, 1e-12, "head");
}

Test(balance_sequence, short_pieces)
{
    struct balance_training t = training;
    cr_expect_eq(balance_pieces_of(&t, 1), 1);
    cr_expect_eq(balance_pieces_of(&t, 2), 2);
    cr_expect_eq(balance_pieces_of(&t, 4), 2);
    t.sequence = 8191;
    cr_expect_eq(balance_pieces_of(&t, 2), 1);
    cr_expect_eq(balance_pieces_of(&t, 3), 1);
    t.sequence = 2048;
    cr_expect_eq(balance_pieces_of(&t, 4), 1);
}
