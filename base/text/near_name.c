// SPDX-License-Identifier: Apache-2.0
// Computes the edit distance with three rows of the table, as names are short. base/text/nearest.c uses
// the same distance; neither module includes the other.
#include "base/text/near_name.h"

#include <stdbool.h>
#include <string.h>

struct rows {
    int older[NEARNAME_LONGEST + 1], old[NEARNAME_LONGEST + 1], now[NEARNAME_LONGEST + 1];
};

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// The row of the first i letters of a, from the two rows before it.
static void next_row(struct rows *rows, const char *a, int i, const char *b, int n_b)
{
    rows->now[0] = i;
    for (int j = 1; j <= n_b; j++) {
        const bool differ = fold(a[i - 1]) != fold(b[j - 1]);
        int cost = least(rows->old[j - 1] + differ, least(rows->old[j], rows->now[j - 1]) + 1);
        if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
            fold(a[i - 2]) == fold(b[j - 1]))
            cost = least(cost, rows->older[j - 2] + 1);
        rows->now[j] = cost;
    }
}

int nearname_distance(const char *a, const char *b)
{
    const int n_a = (int)strnlen(a, NEARNAME_LONGEST + 1);
    const int n_b = (int)strnlen(b, NEARNAME_LONGEST + 1);
    struct rows rows = {0};
    if (n_a > NEARNAME_LONGEST || n_b > NEARNAME_LONGEST)
        return NEARNAME_FAR;
    for (int j = 0; j <= n_b; j++)
        rows.now[j] = j;
    for (int i = 1; i <= n_a; i++) {
        memcpy(rows.older, rows.old, sizeof rows.old);
        memcpy(rows.old, rows.now, sizeof rows.now);
        next_row(&rows, a, i, b, n_b);
    }
    return rows.now[n_b];
}

int nearname_limit(const char *word)
{
    const int n = (int)strnlen(word, NEARNAME_LONGEST + 1);
    return n < 6 ? 1 : n / 3;
}
