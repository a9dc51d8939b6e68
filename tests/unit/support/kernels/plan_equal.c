// SPDX-License-Identifier: Apache-2.0
// Compares plans.
#include "tests/unit/support/kernels/plan_equal.h"

#include <math.h>
#include <string.h>

// All values that are not numbers are equal.
static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static bool same_numbers(const double *a, const double *b, size_t n)
{
    if (a == NULL || b == NULL)
        return a == b;
    for (size_t i = 0; i < n; i++)
        if (!same_number(a[i], b[i]))
            return false;
    return true;
}

static bool same_pipeline(const struct pipeline *a, const struct pipeline *b)
{
    const struct pipeline_shape *shape = &a->shape;
    const size_t devices = (size_t)shape->devices, stages = (size_t)shape->stages;
    return memcmp(shape, &b->shape, sizeof *shape) == 0 &&
           memcmp(a->device_of, b->device_of,
                  (size_t)shape->directions * stages * sizeof *a->device_of) == 0 &&
           same_numbers(&a->stage->f, &b->stage->f,
                        stages * (sizeof *a->stage / sizeof(double))) &&
           same_numbers(a->pair, b->pair, devices) &&
           same_numbers(a->fixed, b->fixed, devices) &&
           same_numbers(a->limit, b->limit, devices) &&
           a->links.channels == b->links.channels &&
           same_number(a->links.latency, b->links.latency) &&
           same_number(a->links.occupation, b->links.occupation) &&
           same_numbers(a->links.latencies, b->links.latencies, devices * devices) &&
           same_numbers(a->links.bandwidths, b->links.bandwidths, devices * devices);
}

static bool same_maker(const struct plan_maker *a, const struct plan_maker *b)
{
    return strcmp(a->by, b->by) == 0 && strcmp(a->objective, b->objective) == 0 &&
           same_number(a->value, b->value) && same_number(a->bound, b->bound);
}

static bool same_end(const struct plan_end *a, const struct plan_end *b)
{
    return same_number(a->f, b->f) && same_number(a->b, b->b) &&
           same_number(a->bytes, b->bytes);
}

static bool same_layers(const struct plan_layers *a, const struct plan_layers *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return a->count == b->count && same_number(a->f, b->f) && same_number(a->bytes, b->bytes) &&
           memcmp(a->has, b->has, sizeof a->has) == 0 &&
           same_numbers(a->b, b->b, PLAN_RECOMPUTES) &&
           same_numbers(a->kept, b->kept, PLAN_RECOMPUTES) && same_end(&a->head, &b->head) &&
           same_end(&a->tail, &b->tail) && same_number(a->stage_bytes, b->stage_bytes) &&
           same_number(a->transfer, b->transfer);
}

bool plan_equal(const struct plan *a, const struct plan *b)
{
    for (int k = 0; k < PLAN_PARTS; k++)
        if (!same_maker(&a->makers[k], &b->makers[k]))
            return false;
    if ((a->order == NULL) != (b->order == NULL))
        return false;
    return same_pipeline(a->pipeline, b->pipeline) && same_layers(a->layers, b->layers) &&
           (a->order == NULL || order_equal(a->order, b->order));
}
