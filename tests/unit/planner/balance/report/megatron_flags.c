// SPDX-License-Identifier: Apache-2.0
// Arguments of Megatron-LM of strategies.
#include "planner/balance/report/megatron_flags.h"

#include <criterion/criterion.h>
#include <string.h>

// n: layers of each chunk, [chunk * stages + stage].
static void check(int32_t stages, int32_t chunks, const int32_t *n, const char *wanted)
{
    int32_t count[BALANCE_KINDS * 16] = {0};
    const struct balance_strategy strategy = {stages, chunks, count};
    struct balance_layers layers = {.layers = 0};
    struct text_buffer text = {0};
    for (int32_t k = 0; k < stages * chunks; k++) {
        layers.layers += n[k];
        // Recomputed layers count as layers.
        count[n[k] > 1 ? k : BALANCE_FULL * stages * chunks + k] = n[k];
    }
    balance_megatron_flags(&layers, &strategy, &text);
    cr_assert_str_eq(text.text, wanted);
    text_buffer_free(&text);
}

Test(megatron_flags, only_a_layout)
{
    check(4, 1, (int32_t[]){3, 2, 1, 2},
          "--num-layers 8 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "
          "'Et*3|tt|t|ttL'\n");
    check(2, 2, (int32_t[]){2, 2, 2, 1},
          "--num-layers 7 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout "
          "'Ett|(tt|)*2tL'\n");
    check(1, 1, (int32_t[]){5},
          "--num-layers 5 --pipeline-model-parallel-size 1 --pipeline-model-parallel-layout "
          "'Et*5L'\n");
}

Test(megatron_flags, even_splits)
{
    check(2, 2, (int32_t[]){2, 2, 2, 2},
          "--num-layers 8 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout "
          "'Ett|(tt|)*2ttL'\n"
          "--num-layers 8 --pipeline-model-parallel-size 2 "
          "--num-virtual-stages-per-pipeline-rank 2\n");
}

// The counts of Megatron-LM are those of all chunks of a stage.
Test(megatron_flags, ends_that_differ)
{
    check(
        4, 1, (int32_t[]){1, 3, 3, 2},
        "--num-layers 9 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "
        "'Et|(t*3|)*2ttL'\n"
        "--num-layers 9 --pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 1 "
        "--decoder-last-pipeline-num-layers 2\n");
    check(3, 2, (int32_t[]){1, 2, 2, 1, 2, 2},
          "--num-layers 10 --pipeline-model-parallel-size 3 --pipeline-model-parallel-layout "
          "'Et|(tt|)*2t|tt|ttL'\n"
          "--num-layers 10 --pipeline-model-parallel-size 3 "
          "--num-virtual-stages-per-pipeline-rank 2 --decoder-first-pipeline-num-layers 2 "
          "--decoder-last-pipeline-num-layers 4\n");
    check(
        2, 1, (int32_t[]){1, 3},
        "--num-layers 4 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout "
        "'Et|t*3L'\n"
        "--num-layers 4 --pipeline-model-parallel-size 2 --decoder-first-pipeline-num-layers 1 "
        "--decoder-last-pipeline-num-layers 3\n");
}
