// SPDX-License-Identifier: Apache-2.0
// Reads lists in arguments of Megatron-LM, such as ([0]*3+[1]*58).
#include "kernels/frameworks/megatron/megatron_private.h"

#include <string.h>

struct list {
    const char *c;
    bool *values;
    int64_t n, room;
    int depth;
    bool failed;
};

static bool take(struct list *l, char c)
{
    while (*l->c == ' ')
        l->c++;
    if (*l->c != c)
        return false;
    l->c++;
    return true;
}

static int64_t take_number(struct list *l)
{
    int64_t x = 0;
    while (*l->c == ' ')
        l->c++;
    l->failed = l->failed || *l->c < '0' || *l->c > '9';
    for (; *l->c >= '0' && *l->c <= '9'; l->c++)
        x = x < 1 << 20 ? 10 * x + (*l->c - '0') : x;
    return x;
}

static void put(struct list *l, bool value)
{
    if (l->n < l->room)
        l->values[l->n] = value;
    l->failed = l->failed || l->n >= l->room;
    l->n++;
}

static void sum(struct list *l);

// [0, 1] or ( sum ), with a repetition behind or before it.
static void term(struct list *l)
{
    int64_t times = 1;
    const bool before = l->c[strspn(l->c, " ")] >= '0' && l->c[strspn(l->c, " ")] <= '9';
    if (before) {
        times = take_number(l);
        l->failed = l->failed || !take(l, '*');
    }
    const int64_t first = l->n;
    if (take(l, '[')) {
        while (!l->failed && !take(l, ']')) {
            put(l, take_number(l) != 0);
            take(l, ',');
        }
    } else if (take(l, '(') && ++l->depth < 20) {
        sum(l);
        l->depth--;
        l->failed = l->failed || !take(l, ')');
    } else {
        l->failed = true;
    }
    if (!before && take(l, '*'))
        times = take_number(l);
    const int64_t n = l->n - first;
    if (times == 0)
        l->n = first;
    for (int64_t i = 1; i < times && !l->failed && n > 0; i++)
        for (int64_t k = 0; k < n && !l->failed; k++)
            put(l, l->values[first + k]);
}

static void sum(struct list *l)
{
    do
        term(l);
    while (!l->failed && take(l, '+'));
}

bool megatron_read_frequency(const char *text, bool *experts, int64_t n)
{
    struct list l = {.c = text, .values = experts, .room = n};
    if (strspn(text, "0123456789") == strlen(text) && *text != '\0') {
        const int64_t period = take_number(&l);
        for (int64_t i = 0; i < n && period > 0; i++)
            experts[i] = i % period == 0;
        return period > 0;
    }
    sum(&l);
    while (*l.c == ' ')
        l.c++;
    return !l.failed && *l.c == '\0' && l.n == n;
}
