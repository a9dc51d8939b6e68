// SPDX-License-Identifier: Apache-2.0
// Reads the small languages in arguments of Megatron-LM: layouts such as Et*3|(tt|)*29m|L, and
// lists such as ([0]*3+[1]*58).
#include "planner/frameworks/megatron/megatron_private.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LETTERS = 1 << 16 };

// ---- layouts ---------------------------------------------------------------------------------

struct letters {
    char *text;
    size_t n;
    bool failed;
};

static void add(struct letters *letters, const char *text, size_t n)
{
    if (letters->n + n > MOST_LETTERS) {
        letters->failed = true;
        return;
    }
    memmove(letters->text + letters->n, text, n);
    letters->n += n;
}

// Reads the number of a repetition "*12" and returns its length; 0: none.
static size_t repetition(const char *text, int64_t *times)
{
    size_t n = 1;
    if (text[0] != '*' || text[1] < '0' || text[1] > '9')
        return 0;
    for (*times = 0; text[n] >= '0' && text[n] <= '9'; n++)
        *times = *times < MOST_LETTERS ? 10 * *times + (text[n] - '0') : MOST_LETTERS;
    return n;
}

static void repeat(struct letters *letters, const char *text, size_t n, int64_t times)
{
    for (int64_t i = 0; i < times && !letters->failed && n > 0; i++)
        add(letters, text, n);
}

// Replaces each group (...)*n by n copies of its text. Groups do not nest.
static void unroll_groups(struct letters *to, const char *text)
{
    while (*text != '\0') {
        const char *end = *text == '(' ? strchr(text, ')') : NULL;
        int64_t times;
        const size_t n = end != NULL ? repetition(end + 1, &times) : 0;
        if (n > 0) {
            repeat(to, text + 1, (size_t)(end - text - 1), times);
            text = end + 1 + n;
        } else {
            if (*text != ',')
                add(to, text, 1);
            text++;
        }
    }
    add(to, "", 1);
}

// Replaces each x*n by n letters x.
static void unroll_letters(struct letters *to, const char *text)
{
    while (*text != '\0') {
        int64_t times = 1;
        const size_t n = repetition(text + 1, &times);
        repeat(to, text, 1, times);
        text += 1 + n;
    }
    add(to, "", 1);
}

static size_t count_stages(const char *text, int64_t *split, int64_t *mtp, const char **why)
{
    size_t n = 1;
    split[0] = mtp[0] = 0;
    for (; *text != '\0'; text++) {
        if (*text == '|' && n == MEGATRON_MOST_CHUNKS) {
            *why = "too many stages";
            return 0;
        }
        if (*text == '|') {
            split[n] = mtp[n] = 0;
            n++;
        } else if (*text == 't' || *text == 'm') {
            (*text == 't' ? split : mtp)[n - 1]++;
        } else if (*text != 'E' && *text != 'L' && *text != ',') {
            *why =
                "expected the letters E, t, m, L, the sign |, and repetitions such as t*3 or "
                "(tt|)*4";
            return 0;
        }
    }
    return n;
}

size_t megatron_read_layout(const char *text, int64_t *split, int64_t *mtp, const char **why)
{
    struct letters first = {malloc(MOST_LETTERS), 0, false};
    struct letters second = {malloc(MOST_LETTERS), 0, false};
    size_t n = 0;
    *why = "the layout is too long";
    first.failed = second.failed = first.text == NULL || second.text == NULL;
    if (!first.failed)
        unroll_groups(&first, text);
    if (!first.failed)
        unroll_letters(&second, first.text);
    if (!first.failed && !second.failed)
        n = count_stages(second.text, split, mtp, why);
    free(first.text);
    free(second.text);
    return n;
}

// ---- lists -----------------------------------------------------------------------------------

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
