// SPDX-License-Identifier: Apache-2.0
// How many cases slow tests run, and which: $PPS_RANDOM_POINTS (20000) is the number of random points, and
// $PPS_RANDOM_SEED (0) chooses them. Fewer points are set under sanitizers, more for a long run.
#pragma once

#include <stdint.h>

// Returns the number of points to compare.
uint64_t n_points(void);

// Returns the first of the consecutive seeds of the points; other values of $PPS_RANDOM_SEED have other seeds.
uint64_t first_point(void);

// Returns a number of rounds that is proportional to the number of points: `usual` at 20000. At least 1.
int n_rounds(int usual);

// Returns how many of `all` cases to run: as n_rounds, at most all of them.
int n_cases(int all);
