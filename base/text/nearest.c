// SPDX-License-Identifier: Apache-2.0
// Finds the known name nearest to a mistyped name: edit distance with swaps of neighbours.
// Names have at most LONGEST characters, so that no memory is allocated and hostile words cost
// nothing.
#include "base/text/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 64

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Three rows of the table of distances: two rows before, one row before, current.
struct rows {
    size_t older[LONGEST + 1], old[LONGEST + 1], now[LONGEST + 1];
};

static void next_row(struct rows *rows, const char *a, size_t i, const char *b, size_t n_b)
{
    rows->now[0] = i;
    for (size_t j = 1; j <= n_b; j++) {
        char x = fold(a[i - 1]), y = fold(b[j - 1]);
        size_t best = rows->old[j - 1] + (x != y);
        best = least(best, rows->old[j] + 1);
        best = least(best, rows->now[j - 1] + 1);
        if (i > 1 && j > 1 && x == fold(b[j - 2]) && y == fold(a[i - 2]))
            best = least(best, rows->older[j - 2] + 1);
        rows->now[j] = best;
    }
}

static size_t distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    struct rows rows = {0};
    for (size_t j = 0; j <= n_b; j++)
        rows.now[j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        memcpy(rows.older, rows.old, sizeof rows.old);
        memcpy(rows.old, rows.now, sizeof rows.now);
        next_row(&rows, a, i, b, n_b);
    }
    return rows.now[n_b];
}

struct pps_nearest pps_nearest_to(const char *word)
{
    const size_t n = strnlen(word, LONGEST + 1);
    return (struct pps_nearest){word, NULL, n < 6 ? 2 : n / 3 + 1};
}

// Returns the number of equal characters at the start of both names.
static size_t same_start(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != '\0' && b[n] != '\0' && fold(a[n]) == fold(b[n]))
        n++;
    return n;
}

void pps_nearest_consider(struct pps_nearest *nearest, const char *name)
{
    const size_t n_word = strnlen(nearest->word, LONGEST + 1);
    const size_t n_name = strnlen(name, LONGEST + 1);
    if (n_word > LONGEST || n_name > LONGEST)
        return;
    const size_t d = distance(nearest->word, n_word, name, n_name);
    const bool ties =
        d == nearest->limit && nearest->name != NULL &&
        same_start(nearest->word, name) > same_start(nearest->word, nearest->name);
    // At least one character must match: "x" is not near "n".
    if ((d < nearest->limit || ties) && (d < n_word || d < n_name)) {
        nearest->limit = d;
        nearest->name = name;
    }
}

const char *pps_suggest(const char *word, const char *const *names, size_t n)
{
    struct pps_nearest nearest = pps_nearest_to(word);
    for (size_t i = 0; i < n; i++)
        pps_nearest_consider(&nearest, names[i]);
    return nearest.name;
}

struct pps_hint pps_did_you_mean(const char *word, const char *const *names, size_t n)
{
    struct pps_hint hint = {""};
    const char *near = pps_suggest(word, names, n);
    if (near != NULL)
        snprintf(hint.text, sizeof hint.text, "; did you mean %s?", near);
    return hint;
}
