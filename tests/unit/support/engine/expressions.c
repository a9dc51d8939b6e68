// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/expressions.h"

#include <criterion/criterion.h>
#include <math.h>

static const char *const schedules[] = {"gpipe", "1f1b", "zero-bubble", NULL};
static const char *const tiers[] = {"a", "b", "n", NULL};

static const struct pps_param params[N_PARAMS] = {
    [N] = {.name = "n", .kind = PPS_INTEGER, .min = 1, .max = INFINITY},
    [SYNC_FREQ] = {.name = "sync_freq", .kind = PPS_INTEGER, .min = 1, .max = INFINITY},
    [FWD_LEN] = {.name = "fwd_len", .kind = PPS_REAL, .min = 0, .max = INFINITY},
    [SCHEDULE] = {.name = "schedule", .kind = PPS_CHOICE, .names = schedules},
    [OVERLAP] = {.name = "overlap", .kind = PPS_BOOLEAN},
    [FWD_PRIO] = {.name = "fwd_prio", .kind = PPS_REAL, .max = INFINITY, .names = tiers},
    [BWD_PRIO] = {.name = "bwd_prio", .kind = PPS_REAL, .max = INFINITY, .names = tiers},
};
const struct pps_expr_scope expression_scope = {params, N_PARAMS, NULL};

const double expression_point[N_PARAMS] = {8, 2, 0.5, 1, 1, 3, -2};

struct pps_expr *good_expression(const char *text)
{
    struct pps_expr_fault fault;
    struct pps_expr *expr = pps_expr_parse(text, &expression_scope, &fault);
    cr_assert_not_null(expr, "%s: byte %zu: %s", text, fault.byte, fault.text);
    return expr;
}
