// SPDX-License-Identifier: Apache-2.0
// Searches a short path through many points: 2-opt and moves of points, tried among near neighbours.
#include "kernels/dynapipe/split/path_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    STARTS = 4,         // the extreme points of both diagonals,
    STARTS_OF_MANY = 2, // of more than MANY points
    MANY = 512,
    SEGMENT = 3, // most points that or-opt moves at once
};

// The steps that a change of the path removes or adds.
struct steps {
    int64_t sum, largest;
};

// Adds the step between the points at two places. There is no step to a place before or behind the path.
static void add_step(const struct path_task *t, struct steps *steps, int32_t p, int32_t q)
{
    if (p < 0 || q < 0 || p >= t->n || q >= t->n)
        return;
    const int64_t step = path_step(t, t->path->trial[p], t->path->trial[q]);
    steps->sum += step;
    if (step > steps->largest)
        steps->largest = step;
}

static bool is_shorter(const struct path_task *t, const struct steps *added,
                       const struct steps *removed)
{
    return t->total == SPLIT_TOTAL_SUM ? added->sum < removed->sum
                                       : added->largest < removed->largest;
}

static void put(const struct path_task *t, int32_t place, int32_t point)
{
    t->path->trial[place] = point;
    t->path->place[point] = place;
}

// Points whose steps changed wait to be tried again. The queue is a ring.
struct waiting {
    int32_t head, count;
};

static void wait_for(const struct path_task *t, struct waiting *w, int32_t place)
{
    if (place < 0 || place >= t->n || t->path->is_queued[t->path->trial[place]])
        return;
    t->path->queue[(w->head + w->count++) % t->n] = t->path->trial[place];
    t->path->is_queued[t->path->trial[place]] = true;
}

// Reverses the places from..to if that shortens the path.
static bool try_reversal(const struct path_task *t, struct waiting *w, int32_t from, int32_t to)
{
    struct steps removed = {0, 0}, added = {0, 0};
    if (from >= to)
        return false;
    add_step(t, &removed, from - 1, from);
    add_step(t, &removed, to, to + 1);
    add_step(t, &added, from - 1, to);
    add_step(t, &added, from, to + 1);
    if (!is_shorter(t, &added, &removed))
        return false;
    for (int32_t i = from, j = to; i < j; i++, j--) {
        const int32_t point = t->path->trial[i];
        put(t, i, t->path->trial[j]);
        put(t, j, point);
    }
    const int32_t changed[] = {from - 1, from, to, to + 1};
    for (int k = 0; k < 4; k++)
        wait_for(t, w, changed[k]);
    return true;
}

// Moves the places from..to between the places left and left + 1, which are outside, reversed or not, if that
// shortens the path.
static bool try_move(const struct path_task *t, struct waiting *w, int32_t from, int32_t to,
                     int32_t left, bool reversed)
{
    struct steps removed = {0, 0}, added = {0, 0};
    add_step(t, &removed, from - 1, from);
    add_step(t, &removed, to, to + 1);
    add_step(t, &removed, left, left + 1);
    add_step(t, &added, from - 1, to + 1);
    add_step(t, &added, left, reversed ? to : from);
    add_step(t, &added, reversed ? from : to, left + 1);
    if (!is_shorter(t, &added, &removed))
        return false;
    int32_t segment[SEGMENT];
    const int32_t size = to - from + 1;
    memcpy(segment, t->path->trial + from, (size_t)size * sizeof *segment);
    if (left < from)
        for (int32_t p = from - 1; p > left; p--)
            put(t, p + size, t->path->trial[p]);
    else
        for (int32_t p = to + 1; p <= left; p++)
            put(t, p - size, t->path->trial[p]);
    const int32_t at = left < from ? left + 1 : left + 1 - size;
    for (int32_t k = 0; k < size; k++)
        put(t, at + k, segment[reversed ? size - 1 - k : k]);
    const int32_t gap = left < from ? to : from - 1;
    const int32_t changed[] = {at - 1, at, at + size - 1, at + size, gap, gap + 1};
    for (int k = 0; k < 6; k++)
        wait_for(t, w, changed[k]);
    return true;
}

// Tries to make the point at place q the neighbour of the point at place p.
static bool try_neighbours(const struct path_task *t, struct waiting *w, int32_t p, int32_t q)
{
    const int32_t low = p < q ? p : q, high = p < q ? q : p;
    if (try_reversal(t, w, low + 1, high) || try_reversal(t, w, low, high - 1))
        return true;
    for (int32_t size = 1; size <= SEGMENT; size++)
        for (int k = 0; k < 4; k++) {
            // The segment starts or ends at p and goes before or behind q.
            const int32_t from = k & 1 ? p - size + 1 : p, to = from + size - 1,
                          left = k & 2 ? q - 1 : q;
            const bool is_outside = left + 1 < from || left > to;
            // p is next to q: at the left end of the segment behind q, at its right end before q.
            const bool reversed = (k & 2) ? to != p : from != p;
            if (from >= 0 && to < t->n && is_outside &&
                try_move(t, w, from, to, left, reversed))
                return true;
        }
    return false;
}

// Tries the nearest points as neighbours of a point until none shortens the path. A new step that is not shorter
// than those of the point now is left to the other points that the change concerns.
static void try_point(const struct path_task *t, struct waiting *w, int32_t point)
{
    const int32_t *near = t->path->near + (int64_t)point * SPLIT_NEAR;
    for (int32_t k = 0; k < SPLIT_NEAR && near[k] >= 0; k++) {
        const int32_t place = t->path->place[point];
        struct steps now = {0, 0};
        add_step(t, &now, place - 1, place);
        add_step(t, &now, place, place + 1);
        if (path_step(t, point, near[k]) >= now.largest)
            return;
        if (try_neighbours(t, w, place, t->path->place[near[k]]))
            k = -1;
    }
}

static bool improve(const struct path_task *t, struct poll *poll)
{
    struct waiting w = {0, 0};
    memset(t->path->is_queued, 0, (size_t)t->n * sizeof *t->path->is_queued);
    for (int32_t p = 0; p < t->n; p++)
        wait_for(t, &w, p);
    while (w.count > 0) {
        const int32_t point = t->path->queue[w.head];
        w.head = (w.head + 1) % t->n;
        w.count--;
        t->path->is_queued[point] = false;
        try_point(t, &w, point);
        if (poll_over_after(poll, SPLIT_NEAR * SEGMENT * 4))
            return false;
    }
    return true;
}

// Near points of a point while they are found, in the order of (step, number).
struct finding {
    const struct path_task *t;
    int32_t point, n;
    int32_t *near; // [SPLIT_NEAR]
    int64_t far[SPLIT_NEAR];
};

static void offer(struct finding *f, int32_t other)
{
    const int64_t step = path_step(f->t, f->point, other);
    int32_t k = f->n;
    if (k == SPLIT_NEAR &&
        (step > f->far[k - 1] || (step == f->far[k - 1] && other > f->near[k - 1])))
        return;
    k = k < SPLIT_NEAR ? f->n++ : k - 1;
    for (; k > 0 && (f->far[k - 1] > step || (f->far[k - 1] == step && f->near[k - 1] > other));
         k--) {
        f->far[k] = f->far[k - 1];
        f->near[k] = f->near[k - 1];
    }
    f->far[k] = step;
    f->near[k] = other;
}

// Returns whether all points from a distance in x on are farther than those found.
static bool is_enough(const struct finding *f, int64_t dx)
{
    const int64_t least = f->t->measure == SPLIT_MEASURE_SQUARES ? dx * dx : dx;
    return f->n == SPLIT_NEAR && least > f->far[SPLIT_NEAR - 1];
}

static int by_x(const void *a, const void *b)
{
    const struct split_path_key *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

// Looks at the points around place s of those sorted by x, the nearer side first.
static void find_around(struct finding *f, int32_t s)
{
    const struct split_path_key *keys = f->t->path->keys;
    for (int32_t left = s - 1, right = s + 1; left >= 0 || right < f->t->n;) {
        const int64_t l = left >= 0 ? keys[s].x - keys[left].x : INT64_MAX,
                      r = right < f->t->n ? keys[right].x - keys[s].x : INT64_MAX;
        if (is_enough(f, l < r ? l : r))
            return;
        offer(f, keys[l < r ? left-- : right++].point);
    }
}

static bool find_near(const struct path_task *t, struct poll *poll)
{
    for (int32_t i = 0; i < t->n; i++)
        t->path->keys[i] = (struct split_path_key){t->points[i].x, i};
    qsort(t->path->keys, (size_t)t->n, sizeof *t->path->keys, by_x);
    for (int32_t s = 0; s < t->n; s++) {
        const int32_t point = t->path->keys[s].point;
        struct finding f = {.t = t,
                            .point = point,
                            .near = t->path->near + (int64_t)point * SPLIT_NEAR};
        find_around(&f, s);
        for (int32_t k = f.n; k < SPLIT_NEAR; k++)
            f.near[k] = -1;
        if (poll_over_after(poll, SPLIT_NEAR * SEGMENT))
            return false;
    }
    return true;
}

// Returns the point with the largest x * dx + y * dy.
static int32_t extreme(const struct path_task *t, int64_t dx, int64_t dy)
{
    int32_t best = 0;
    for (int32_t i = 1; i < t->n; i++)
        if (t->points[i].x * dx + t->points[i].y * dy >
            t->points[best].x * dx + t->points[best].y * dy)
            best = i;
    return best;
}

// Exchanges the points at two places.
static void exchange(const struct path_task *t, int32_t p, int32_t q)
{
    const int32_t point = t->path->trial[p];
    put(t, p, t->path->trial[q]);
    put(t, q, point);
}

// Returns the place of the nearest point at the places from p on, of equal ones that with the lowest number. Mostly it is
// one of the near points of the point before.
static int32_t nearest_left(const struct path_task *t, int32_t p)
{
    const int32_t *trial = t->path->trial, last = trial[p - 1],
                  *near = t->path->near + (int64_t)last * SPLIT_NEAR;
    int32_t best = p;
    int64_t least = INT64_MAX;
    for (int32_t k = 0; k < SPLIT_NEAR && near[k] >= 0; k++)
        if (t->path->place[near[k]] >= p)
            return t->path->place[near[k]];
    for (int32_t q = p; q < t->n; q++) {
        const int64_t step = path_step(t, last, trial[q]);
        if (step < least || (step == least && trial[q] < trial[best])) {
            least = step;
            best = q;
        }
    }
    return best;
}

// Starts at a point and goes to the nearest point that is left.
static bool follow_nearest(const struct path_task *t, int32_t first, struct poll *poll)
{
    for (int32_t i = 0; i < t->n; i++)
        put(t, i, i);
    exchange(t, 0, first);
    for (int32_t p = 1; p < t->n; p++) {
        exchange(t, p, nearest_left(t, p));
        if (poll_over_after(poll, (uint64_t)(t->n - p)))
            return false;
    }
    return true;
}

bool path_search(const struct path_task *t, struct poll *poll, int32_t *sequence)
{
    int64_t least = INT64_MAX;
    if (!find_near(t, poll))
        return false;
    for (int s = 0; s < (t->n > MANY ? STARTS_OF_MANY : STARTS); s++) {
        const int32_t first = extreme(t, s & 1 ? -1 : 1, s & 2 ? -1 : 1);
        if (!follow_nearest(t, first, poll) || !improve(t, poll))
            return false;
        const int64_t length =
            split_path_length(t->points, t->path->trial, t->n, t->measure, t->total);
        if (length < least) {
            least = length;
            memcpy(sequence, t->path->trial, (size_t)t->n * sizeof *sequence);
        }
    }
    return true;
}
