// SPDX-License-Identifier: Apache-2.0
// Parameters of a toy kernel, for tests of expressions.
#pragma once

#include "engine/expression/expression.h"

enum { N, SYNC_FREQ, FWD_LEN, SCHEDULE, OVERLAP, FWD_PRIO, BWD_PRIO, N_PARAMS };

extern const struct pps_expr_scope expression_scope;

// n 8, sync_freq 2, fwd_len 0.5, schedule 1f1b, overlap true, fwd_prio 3, bwd_prio 'b'
extern const double expression_point[N_PARAMS];

// Parses an expression without an error.
struct pps_expr *good_expression(const char *text);
