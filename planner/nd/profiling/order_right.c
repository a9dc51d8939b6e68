// SPDX-License-Identifier: Apache-2.0
// Holds the table. measured_steps (bench) prints it on its page, and its check compares it.
#include "planner/nd/profiling/order_right.h"

#include <math.h>
#include <stdio.h>

static const struct nd_order_right table[] = {
    {0.01, 170, 92}, {0.02, 146, 91},   {0.05, 389, 258},       {0.1, 567, 441},
    {0.2, 845, 729}, {0.5, 1518, 1454}, {HUGE_VAL, 1748, 1747},
};

enum { N_TABLE = sizeof table / sizeof *table };

// Rows closer than the second entry have an order no better than chance.
enum { EQUAL = 2 };

const struct nd_order_right *nd_order_right_all(int *n)
{
    *n = N_TABLE;
    return table;
}

static int entry_of(double apart)
{
    int k = 0;
    while (k < N_TABLE - 1 && apart >= table[k].below)
        k++;
    return k;
}

const char *nd_order_text(const double *times, size_t n, char text[ND_ORDER_TEXT])
{
    size_t equal = 1;
    if (n < 2)
        return NULL;
    while (equal < n && entry_of(times[equal] / times[0] - 1) < EQUAL)
        equal++;
    const int first = entry_of(times[1] / times[0] - 1);
    if (equal > 1) {
        int pairs = 0, right = 0;
        for (int k = 0; k < EQUAL; k++) {
            pairs += table[k].pairs;
            right += table[k].right;
        }
        snprintf(text, ND_ORDER_TEXT,
                 "rows 1 to %zu are equal for the model: within %.0f %%, where %.0f %% of %d "
                 "published pairs were in the predicted order",
                 equal, 100 * table[EQUAL - 1].below, 100.0 * right / pairs, pairs);
    } else {
        snprintf(
            text, ND_ORDER_TEXT,
            "row 2 is %.1f %% slower than row 1: %.0f %% of %d published pairs as close were "
            "in the predicted order",
            100 * (times[1] / times[0] - 1), 100.0 * table[first].right / table[first].pairs,
            table[first].pairs);
    }
    return text;
}
