// SPDX-License-Identifier: Apache-2.0
// Compares the fast path of the contention model with the reference at one point: results and
// traces.
#pragma once

#include "tests/unit/support/kernels/contention_points.h"

#include "kernels/contention/reference/reference.h"

#include <criterion/criterion.h>
#include <math.h>

#define TOLERANCE 1e-9 // relative

// Relative to the larger, or to `scale`: of a metric that is a sum of differences of times, its
// value where these are the completion time.
double error_of(double a, double b, double scale);

// The parts of the completion time, in the order of the columns.
enum { N_PARTS = 7 };

void list_parts(const struct contention_parts *parts, double list[N_PARTS]);

// Returns the relative error of the sum of the parts; HUGE_VAL if a part is negative.
double parts_error(const struct contention_result *r);

// Returns the largest relative error of all results; HUGE_VAL if counts differ.
double worst_error(const struct contention_result *a, const struct contention_result *b);

// What is left of a difference, in a point that repeats small differences many times larger:
// some points of this model do (a shared port can stretch the gap between two events by its
// shares, period after period), so that the last digits of any two implementations part. The
// reference itself then moves as much when a length changes in its last digits.
bool is_sensitive(const struct contention_point *p, double error);

// Compares fast path and reference at a point, with metrics; what differs goes to `text`.
double compare_at(const struct contention_point *p, void *scratch, char *text);

// Work done by the pieces, per kind and throttled or not, and when the last one ended.
struct tally {
    double work[5][2];
    double start, end;
    int unordered, count;
};

void check_trace(const struct contention_point *p, void *scratch, struct tally *fast);
