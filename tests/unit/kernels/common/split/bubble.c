// SPDX-License-Identifier: Apache-2.0
// The causes of idle time.
#include "kernels/common/split/playback.h"

#include <criterion/criterion.h>

Test(bubble, parts_add_up)
{
    // 4 stages, 8 micro-batches, perfectly balanced, nothing recomputed: the ideal bubble alone.
    struct bubble_work work = {4, 1, 8, 8 * 4 * 3.0, 8 * 4 * 3.0, 11 * 3.0, 11 * 3.0};
    struct bubble bubble = bubble_split(&work);
    cr_assert_float_eq(bubble.total, 3.0 / 8, 1e-12);
    cr_assert_float_eq(bubble.ideal, 3.0 / 8, 1e-12);
    cr_assert_float_eq(bubble.imbalance, 0, 1e-12);
    work = (struct bubble_work){4, 2, 8, 96, 120, 50, 45};
    bubble = bubble_split(&work);
    cr_assert_float_eq(bubble.ideal, 3.0 / 16, 1e-12);
    cr_assert_float_eq(bubble.recompute, 0.25, 1e-12);
    cr_assert_float_eq(bubble.transfer, 4 * 5 / 96.0, 1e-12);
    cr_assert_float_eq(bubble.ideal + bubble.recompute + bubble.transfer + bubble.imbalance,
                       bubble.total, 1e-12);
}
