// SPDX-License-Identifier: Apache-2.0
// The published form of a strategy and its replay, to the character.
#include "planner/balance/report/published.h"

#include "tests/unit/support/kernels/balance_golden.h"

#include <criterion/criterion.h>
#include <string.h>

Test(published, report_of_the_published_strategy)
{
    struct text_buffer text = {0};
    struct balance_golden_replayed r =
        balance_golden_replayed("simulate_05_vp1_published.json", 0);
    published_lists(&r.layers, &r.strategy, &text);
    published_result(&r.shape, &r.result, &text);
    cr_assert_str_eq(
        text.text,
        "To put in yaml configuration:\n"
        "\toffset: [[-1, 0, 0, -1, -2, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1]]\n"
        "\trecompute: [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]\n"
        "\tselect_recompute: [[5, 6, 5, 5, 0, 3, 6, 6, 1, 1, 1, 1, 1, 1, 1, 0]]\n"
        "\tselect_comm_recompute: [[5, 4, 5, 0, 0, 3, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0]]\n"
        "————————————— pp:16, vp: 1, micro: 16 ————————————\n"
        "--------------------  bubble  --------------------\n"
        "   real    =   ideal   +   imba    + recompute\n"
        "  1.1064   =  0.9375   +  0.1382   +  0.0307\n"
        "--------------------  memory  --------------------\n"
        "peak memory: 50745.00, 63378.00, 58146.00, 63186.00, 58170.00, 61533.00, 61488.00, "
        "56790.00, 57972.00, 46092.00, 57495.00, 50700.00, 43905.00, 37110.00, 30315.00, "
        "23186.00\n");
    balance_golden_done(&r);
    text_buffer_free(&text);
}

// Without recomputation there is no such column, and the last one has no blanks at its end.
Test(published, report_without_recomputation)
{
    struct text_buffer text = {0};
    struct balance_golden_replayed r =
        balance_golden_replayed("simulate_03_doc_pictures.json", 0);
    r.result.bubble.imbalance = -1e-9; // rounding
    published_result(&r.shape, &r.result, &text);
    cr_assert(strstr(text.text, "————————————— pp:16, vp: 3, micro: 16 ————————————\n"
                                "--------------------  bubble  --------------------\n"
                                "   real    =   ideal   +   imba\n"
                                "  0.7576   =  0.3125   +  0.0000\n"
                                "--------------------  memory  --------------------\n"
                                "peak memory: 98883.00, 94638.00, ") == text.text,
              "%s", text.text);
    text_buffer_clear(&text);
    published_bubble_line(&r.result.bubble, &text);
    cr_assert_str_eq(text.text,
                     "real bubble: 0.7576, ideal bubble: 0.3125, imba bubble: 0.0000");
    balance_golden_done(&r);
    text_buffer_free(&text);
}

Test(published, line_of_the_pictures)
{
    struct text_buffer text = {0};
    const struct balance_bubble bubble = {.real = 0.53167,
                                          .ideal = 0.3125,
                                          .imbalance = 0.12507,
                                          .recompute = 0.0941,
                                          .recomputes = true};
    published_bubble_line(&bubble, &text);
    cr_assert_str_eq(text.text, "real bubble: 0.5317, ideal bubble: 0.3125, imba bubble: "
                                "0.1251, recompute bubble: 0.0941");
    text_buffer_free(&text);
}
