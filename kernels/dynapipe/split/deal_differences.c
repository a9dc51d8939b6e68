// SPDX-License-Identifier: Apache-2.0
// Makes a first deal by largest differences: the two partial deals with the largest spread are joined repeatedly.
#include "kernels/dynapipe/split/deal_private.h"

static bool goes_first(const struct deal_tuple *a, const struct deal_tuple *b)
{
    return a->spread > b->spread || (a->spread >= b->spread && a->age < b->age);
}

static void push(struct deal_tuple *heap, int32_t *n, struct deal_tuple tuple)
{
    int32_t at = (*n)++;
    for (; at > 0 && goes_first(&tuple, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = tuple;
}

static struct deal_tuple pop(struct deal_tuple *heap, int32_t *n)
{
    const struct deal_tuple first = heap[0], last = heap[--*n];
    int32_t at = 0;
    for (int32_t child = 1; child < *n; child = 2 * at + 1) {
        if (child + 1 < *n && goes_first(&heap[child + 1], &heap[child]))
            child++;
        if (!goes_first(&heap[child], &last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

// Lists the bins of a tuple, the largest first. Returns their number.
static int32_t list_bins(const struct split_dealer *d, int32_t largest, int32_t *list)
{
    int32_t n = 0;
    for (int32_t bin = largest; bin >= 0; bin = d->bins[bin].next)
        list[n++] = bin;
    return n;
}

static void pour(struct split_dealer *d, int32_t into, int32_t from)
{
    struct deal_bin *bin = &d->bins[into];
    d->next[bin->last] = d->bins[from].first;
    bin->last = d->bins[from].last;
    bin->sum += d->bins[from].sum;
}

// Inserts a bin into a list of bins, the largest first; behind those of equal sum.
static void insert(struct split_dealer *d, int32_t *largest, int32_t bin)
{
    int32_t *link = largest;
    while (*link >= 0 && d->bins[*link].sum >= d->bins[bin].sum)
        link = &d->bins[*link].next;
    d->bins[bin].next = *link;
    *link = bin;
}

// Joins the smallest bins of one tuple with the largest of the other.
static struct deal_tuple join(struct split_dealer *d, const struct deal_tuple *a,
                              const struct deal_tuple *b, int64_t age)
{
    const int32_t n_left = list_bins(d, a->largest, d->left),
                  n_right = list_bins(d, b->largest, d->right);
    struct deal_tuple joined = {.age = age, .largest = -1};
    int32_t n = 0, bin;
    for (int32_t p = 0; p < n_left; p++) {
        const int32_t mirror =
            d->k - 1 - p; // of the bins on the right; an empty bin from n_right on
        if (mirror < n_right) {
            pour(d, d->left[p], d->right[mirror]);
            d->right[mirror] = -1;
        }
    }
    for (int32_t p = n_left; p-- > 0; n++)
        insert(d, &joined.largest, d->left[p]);
    for (int32_t p = 0; p < n_right; p++)
        if (d->right[p] >= 0) {
            insert(d, &joined.largest, d->right[p]);
            n++;
        }
    for (bin = joined.largest; d->bins[bin].next >= 0;)
        bin = d->bins[bin].next;
    joined.spread = d->bins[joined.largest].sum - (n == d->k ? d->bins[bin].sum : 0);
    return joined;
}

bool deal_by_differences(struct split_dealer *d, struct poll *poll)
{
    int32_t n = 0;
    bool is_whole = true;
    for (int32_t i = 0; i < d->n; i++) {
        const int32_t m = d->sorted[i];
        d->bins[i] = (struct deal_bin){d->times[m], m, m, -1};
        d->next[m] = -1;
        push(d->heap, &n, (struct deal_tuple){d->k > 1 ? d->times[m] : 0, i, i});
    }
    for (int64_t age = d->n; n > 1; age++) {
        const struct deal_tuple a = pop(d->heap, &n), b = pop(d->heap, &n);
        push(d->heap, &n, join(d, &a, &b, age));
        is_whole = !poll_over_after(poll, (uint64_t)d->k) &&
                   is_whole; // goes on: the deal must be whole
    }
    int32_t replica = 0;
    for (int32_t bin = n > 0 ? d->heap[0].largest : -1; bin >= 0;
         bin = d->bins[bin].next, replica++)
        for (int32_t m = d->bins[bin].first; m >= 0; m = d->next[m])
            d->replica[m] = replica;
    return is_whole;
}
