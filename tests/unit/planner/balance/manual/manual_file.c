// SPDX-License-Identifier: Apache-2.0
// Files of strategies: places of faults, warnings, and strategies that were written by this program.
#include "planner/balance/manual/manual_file.h"

#include "kernels/balance/output/lists_text.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/kernels/balance_golden.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct balance_layers layers_of(int32_t n)
{
    struct balance_layers layers = {.layers = n, .forward = 1, .parameter_mb = 1};
    for (int kind = 0; kind < BALANCE_KINDS; kind++) {
        layers.has[kind] = true;
        layers.activation_mb[kind] = 10 - kind;
        layers.backward[kind] = 2 + 0.1 * kind;
    }
    return layers;
}

Test(manual_file, faults_have_file_line_and_column)
{
    const struct balance_layers layers = layers_of(8);
    struct balance_manual_file file;
    struct pps_error err;
    enter();
    spill("m.yaml", "right:\n  offset: 0\nwrong:\n  offset: [0, 0, 1, 0]\n");
    cr_assert(balance_manual_file_read(&file, "m.yaml", &layers, 4, 1, &err) == PPS_OK, "%s",
              err.text);
    cr_assert(balance_manual_file_fail(&file, 0, &err) == PPS_OK);
    cr_assert(balance_manual_file_fail(&file, 1, &err) == PPS_E_INPUT);
    cr_assert_str_eq(err.file, "m.yaml");
    cr_assert(err.line == 4 && err.column == 11, "%d:%d", err.line, err.column);
    balance_manual_file_free(&file);
    spill("m.yaml", "a: [1, 2\n");
    cr_assert(balance_manual_file_read(&file, "m.yaml", &layers, 4, 1, &err) == PPS_E_INPUT);
    cr_assert(err.line > 0);
    spill("m.yaml", "");
    cr_assert(balance_manual_file_read(&file, "m.yaml", &layers, 4, 1, &err) == PPS_E_INPUT);
    cr_assert(balance_manual_file_read(&file, "none.yaml", &layers, 4, 1, &err) == PPS_E_INPUT);
    leave();
}

Test(manual_file, unknown_keys_are_warnings, .init = cr_redirect_stderr)
{
    const struct balance_layers layers = layers_of(8);
    struct balance_manual_file file;
    struct pps_error err;
    enter();
    spill("m.yaml", "a:\n  offset: 0\n  select_recomput: [1, 1, 1, 1]\n");
    cr_assert(balance_manual_file_read(&file, "m.yaml", &layers, 4, 1, &err) == PPS_OK);
    cr_assert(balance_manual_file_fail(&file, 0, &err) == PPS_OK);
    fflush(stderr);
    cr_assert_stderr_eq_str(
        "warning   m.yaml:3:3: unknown key select_recomput has no effect; did "
        "you mean select_recompute?\n");
    balance_manual_file_free(&file);
    leave();
}

// Draws a canonical strategy and the number of its layers.
static struct balance_strategy drawn(struct random *r, int32_t *layers)
{
    const int32_t stages = 1 + (int32_t)random_below(r, 6),
                  chunks = 1 + (int32_t)random_below(r, 3), all = stages * chunks;
    struct balance_strategy strategy = {stages, chunks,
                                        calloc(BALANCE_KINDS * (size_t)all, sizeof(int32_t))};
    *layers = 0;
    for (int32_t k = 0; k < all; k++)
        for (int kind = 0; kind < BALANCE_KINDS; kind++) {
            int32_t *count = &strategy.count[kind * all + k];
            *count = (int32_t)random_below(r, 4);
            if (kind == BALANCE_SELECT_COMM && strategy.count[BALANCE_SELECT * all + k] > 0)
                *count = 0;
            *layers += *count;
        }
    return strategy;
}

// A fragment that is written is the same strategy when it is read, for any number of chunks.
Test(manual_file, fragments_read_back)
{
    struct random r = {20};
    struct balance_manual_file file;
    struct pps_error err;
    enter();
    for (int i = 0; i < 300; i++) {
        struct text_buffer text = {0};
        int32_t n;
        struct balance_strategy strategy = drawn(&r, &n);
        const struct balance_layers layers = layers_of(n);
        cr_assert(balance_is_canonical(&strategy));
        balance_fragment_text(&layers, &strategy, &text);
        spill("f.yaml", text.text);
        cr_assert(balance_manual_file_read(&file, "f.yaml", &layers, strategy.stages, 2,
                                           &err) == PPS_OK,
                  "%s", err.text);
        cr_assert(balance_manual_file_fail(&file, 0, &err) == PPS_OK, "%s\n%s", text.text,
                  err.text);
        const struct balance_strategy *read = &file.manual.entries[0].strategy;
        cr_assert(read->chunks == strategy.chunks);
        cr_assert(memcmp(read->count, strategy.count,
                         BALANCE_KINDS * sizeof(int32_t) * (size_t)strategy.stages *
                             (size_t)strategy.chunks) == 0,
                  "%s", text.text);
        balance_manual_file_free(&file);
        free(strategy.count);
        text_buffer_free(&text);
    }
    leave();
}

Test(manual_file, text_of_a_fragment)
{
    int32_t count[BALANCE_KINDS * 2] = {[2 * BALANCE_NONE] = 3,
                                        [2 * BALANCE_FULL + 1] = 1,
                                        [2 * BALANCE_SELECT + 1] = 1};
    const struct balance_layers layers = layers_of(5);
    struct balance_strategy strategy = {2, 1, count};
    struct text_buffer text = {0};
    balance_fragment_text(&layers, &strategy, &text);
    cr_assert_str_eq(text.text,
                     "# 5 layers over 2 stages; offsets against 2 layers per stage.\n"
                     "# model.model_config:\n"
                     "offset: [1, 0]\n"
                     "pp_interleave_num: 1\n"
                     "# parallel.pipeline_config:\n"
                     "pipeline_interleave: false\n"
                     "# recompute_config:\n"
                     "recompute: [0, 1]\n"
                     "select_recompute: [0, 2]\n"
                     "select_comm_recompute: [0, 1]\n");
    text_buffer_clear(&text);
    strategy = (struct balance_strategy){1, 2, count};
    balance_fragment_text(&layers, &strategy, &text);
    cr_assert_not_null(strstr(text.text, "offset: [[1], [0]]\npp_interleave_num: 2\n"
                                         "# recompute_config:\nrecompute: [[0], [1]]\n"));
    text_buffer_free(&text);
}
