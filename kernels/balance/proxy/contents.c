// SPDX-License-Identifier: Apache-2.0
// Lists the contents of chunks, one layer more at a time, and drops the dominated ones.
#include "kernels/balance/proxy/contents.h"

#include <math.h>
#include <string.h>

// Kinds that a chunk may mix: a chunk with both selective kinds would change its meaning in written lists.
static const enum balance_kind excluded[2] = {BALANCE_SELECT_COMM, BALANCE_SELECT};

// Sums of the same kinds differ by rounding only up to this, relatively.
#define EQUAL 1e-13

static size_t kinds_of(const struct balance_layers *layers, int family)
{
    size_t n = 0;
    for (int k = 0; k < BALANCE_KINDS; k++)
        n += layers->has[k] && k != (int)excluded[family];
    return n;
}

// Contents of n layers of some of q kinds, at most `most`.
static size_t choose(size_t n, size_t q, size_t most)
{
    size_t count = 1; // C(n + q - 1, q - 1)
    for (size_t i = 1; i < q; i++) {
        count = count * (n + i) / i;
        if (count > most)
            return most;
    }
    return count;
}

// Returns the largest front of one family of up to layers_max layers; adds up all in *sum.
static size_t caps(const struct balance_layers *layers, int32_t layers_max, size_t *sum)
{
    size_t largest = 0;
    *sum = 0;
    for (int32_t n = 0; n <= layers_max; n++) {
        for (int family = 0; family < 2; family++) {
            const size_t front =
                choose((size_t)n, kinds_of(layers, family), CONTENTS_FRONT_MAX);
            largest = front > largest ? front : largest;
            *sum += front;
        }
        if (*sum > CONTENTS_LIST_MAX) {
            *sum = CONTENTS_LIST_MAX;
            return CONTENTS_FRONT_MAX;
        }
    }
    return largest;
}

size_t contents_cap(const struct balance_layers *layers, int32_t layers_max)
{
    size_t sum;
    caps(layers, layers_max, &sum);
    return sum;
}

void contents_take(struct contents *contents, const struct balance_layers *layers,
                   int32_t layers_max, struct room *room)
{
    struct contents counted = {.layers_max = layers_max};
    counted.front_cap = caps(layers, layers_max, &counted.list_cap);
    counted.first = room_take(room, (size_t)layers_max + 2, sizeof *counted.first);
    counted.list = room_take(room, counted.list_cap, sizeof *counted.list);
    for (int family = 0; family < 2; family++)
        for (int i = 0; i < 2; i++)
            counted.front[family][i] =
                room_take(room, counted.front_cap, sizeof *counted.front[family][i]);
    *contents = counted;
}

static void open_contents(struct contents *contents, const struct balance_layers *layers)
{
    contents->layers = layers;
    contents->built = -1;
    contents->is_full = false;
    contents->first[0] = 0;
    contents->least_backward = contents->least_activation_mb = (double)INFINITY;
    for (int k = 0; k < BALANCE_KINDS; k++)
        if (layers->has[k]) {
            contents->least_backward = fmin(contents->least_backward, layers->backward[k]);
            contents->least_activation_mb =
                fmin(contents->least_activation_mb, layers->activation_mb[k]);
        }
}

int contents_ways(const struct balance_layers *layers)
{
    return layers->working_mb > 0 && layers->has[BALANCE_FULL] ? CONTENT_WAYS : 1;
}

int contents_open_ways(struct contents contents[CONTENT_WAYS],
                       const struct balance_layers *layers, struct balance_layers *not_full)
{
    const int n = contents_ways(layers);
    open_contents(&contents[CONTENT_ALL_KINDS], layers);
    if (n == 1)
        return n;
    *not_full = *layers;
    not_full->has[BALANCE_FULL] = false;
    open_contents(&contents[CONTENT_NOT_FULL], not_full);
    return n;
}

static void add_layer(const struct balance_layers *layers, struct content *content, int kind)
{
    content->count[kind]++;
    content->backward = content->activation_mb = 0;
    for (int k = 0; k < BALANCE_KINDS; k++)
        if (content->count[k] > 0) {
            content->backward += content->count[k] * layers->backward[k];
            content->activation_mb += content->count[k] * layers->activation_mb[k];
        }
}

// Appends a content to a front, which grows by increasing backward. Returns false if there is no memory.
static bool append(struct content *front, size_t *n, size_t cap, const struct content *content)
{
    if (*n > 0) {
        struct content *last = &front[*n - 1];
        if (content->activation_mb >= last->activation_mb * (1 - EQUAL))
            return true;
        if (content->backward <= last->backward * (1 + EQUAL)) {
            *last = *content;
            return true;
        }
    }
    if (*n == cap)
        return false;
    front[(*n)++] = *content;
    return true;
}

static bool is_before(const struct content *a, const struct content *b)
{
    return a->backward < b->backward ||
           (a->backward == b->backward && a->activation_mb < b->activation_mb);
}

// Makes the next front of a family from its previous one: one more layer of any of its kinds.
static bool extend_family(struct contents *c, int family)
{
    const struct content *from = c->front[family][c->now];
    struct content *to = c->front[family][1 - c->now], head[BALANCE_KINDS];
    const size_t n_from = c->n_front[family];
    size_t at[BALANCE_KINDS] = {0}, n = 0;
    for (int k = 0; k < BALANCE_KINDS; k++) {
        at[k] = c->layers->has[k] && k != (int)excluded[family] ? 0 : n_from;
        if (at[k] < n_from)
            add_layer(c->layers, memcpy(&head[k], &from[0], sizeof head[k]), k);
    }
    for (;;) {
        int first = -1;
        for (int k = 0; k < BALANCE_KINDS; k++)
            if (at[k] < n_from && (first < 0 || is_before(&head[k], &head[first])))
                first = k;
        if (first < 0)
            break;
        if (!append(to, &n, c->front_cap, &head[first]))
            return false;
        if (++at[first] < n_from)
            add_layer(c->layers, memcpy(&head[first], &from[at[first]], sizeof *head), first);
    }
    c->n_front[family] = n;
    return true;
}

// Writes the list of some layers from the fronts of the families.
static bool merge(struct contents *c, int32_t layers)
{
    struct content *list = c->list + c->first[layers];
    const size_t cap = c->list_cap - c->first[layers];
    size_t at[2] = {0, 0}, n = 0;
    while (at[0] < c->n_front[0] || at[1] < c->n_front[1]) {
        const struct content *a = &c->front[0][c->now][at[0]], *b = &c->front[1][c->now][at[1]];
        const bool second =
            at[0] == c->n_front[0] || (at[1] < c->n_front[1] && is_before(b, a));
        if (!append(list, &n, cap, second ? b : a))
            return false;
        at[second]++;
    }
    c->first[layers + 1] = c->first[layers] + n;
    return true;
}

// Makes the list of one more layer.
static bool extend(struct contents *c)
{
    if (c->built < 0) {
        c->now = 0;
        for (int family = 0; family < 2; family++) {
            c->n_front[family] = 1;
            c->front[family][0][0] = (struct content){.backward = 0};
        }
    } else {
        if (!extend_family(c, 0) || !extend_family(c, 1))
            return false;
        c->now = 1 - c->now;
    }
    if (!merge(c, c->built + 1))
        return false;
    c->built++;
    return true;
}

bool contents_extend(struct contents *contents, int32_t n)
{
    while (!contents->is_full && contents->built < n)
        contents->is_full = !extend(contents);
    return contents->built >= n;
}

const struct content *contents_lightest(const struct contents *contents, int32_t n,
                                        double slowest)
{
    const struct content *list = contents->list + contents->first[n];
    size_t low = 0, high = contents->first[n + 1] - contents->first[n];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].backward <= slowest)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? NULL : &list[low - 1];
}
