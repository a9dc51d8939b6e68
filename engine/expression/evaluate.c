// SPDX-License-Identifier: Apache-2.0
// Evaluates parsed expressions at a point.
#include "base/text/decimal.h"
#include "engine/expression/tree.h"

#include <math.h>
#include <stdlib.h>

#define WHOLE_LIMIT    0x1p53
#define MOST_DIVISIBLE 1e12
#define TOLERANCE      1e-9 // in steps

static const double no_value = (double)NAN;

enum pps_expr_shape pps_expr_shape(const struct pps_expr *expr)
{
    return expr->shape;
}

uint64_t pps_expr_uses(const struct pps_expr *expr)
{
    return expr->uses;
}

// ---- operators -----------------------------------------------------------------------------

// Keeps every result finite or NAN, so that an expression with 1/0 never becomes finite again.
static double finite_or_nan(double x)
{
    return isfinite(x) ? x : no_value;
}

// Squares and multiplies only, so every machine computes the same bits.
static double power(double base, double exponent)
{
    double result = 1, n = fabs(exponent);
    if (isnan(base) || !(n < WHOLE_LIMIT) || n != floor(n))
        return no_value;
    for (; n > 0; n = floor(n / 2)) {
        if (fmod(n, 2) == 1)
            result *= base;
        base *= base;
    }
    return exponent < 0 ? 1 / result : result;
}

// Returns the remainder of a division rounded down; its sign is b's. Whole numbers avoid fmod,
// which is slow.
static double modulo(double a, double b)
{
    if (a >= 0 && b > 0 && a < WHOLE_LIMIT && b < WHOLE_LIMIT) {
        const int64_t n = (int64_t)a, d = (int64_t)b;
        if ((double)n == a && (double)d == b)
            return (double)(n % d);
    }
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Returns the double nearest to x's text of at most 15 digits.
static double meant(double x)
{
    char text[32];
    double rounded;
    if (fabs(x) < WHOLE_LIMIT && x == floor(x))
        return x + 0.0; // -0 becomes 0
    text[pps_decimal_meant(text, x, 0)] = '\0';
    rounded = strtod(text, NULL);
    // the largest doubles would be rounded up to infinity
    return isfinite(rounded) ? rounded : x;
}

// Returns `a` for a comparison with `b`. If rounding can change the order, `a` is rounded like
// axis values.
static double beside(double a, double b)
{
    const bool near = fabs(a - b) <= 2e-14 * fmax(fabs(a), fabs(b));
    return near && a != b ? meant(a) : a;
}

static double leaf(const struct pps_expr_node *node, const double *point)
{
    if (node->op == PPS_OP_CONSTANT)
        return node->constant;
    if (node->op == PPS_OP_NUMBER && point[node->param] < 0)
        return no_value;
    return point[node->param];
}

static double unary(enum pps_expr_op op, double x)
{
    switch ((int)op) {
    case PPS_OP_NEGATE:
        return -x;
    case PPS_OP_NOT:
        return x == 0;
    case PPS_OP_ABS:
        return fabs(x);
    case PPS_OP_CEIL:
        return ceil(x);
    case PPS_OP_FLOOR:
        return floor(x);
    default:
        return round(x);
    }
}

static double binary(enum pps_expr_op op, double a, double b)
{
    switch ((int)op) {
    case PPS_OP_ADD:
        return a + b;
    case PPS_OP_SUBTRACT:
        return a - b;
    case PPS_OP_MULTIPLY:
        return a * b;
    case PPS_OP_DIVIDE:
        return a / b;
    case PPS_OP_MODULO:
        return modulo(a, b);
    case PPS_OP_POWER:
        return power(a, b);
    case PPS_OP_MIN:
        return isnan(a) || a < b ? a : b;
    case PPS_OP_MAX:
        return isnan(a) || a > b ? a : b;
    case PPS_OP_LESS:
        return beside(a, b) < beside(b, a);
    case PPS_OP_LESS_EQUAL:
        return beside(a, b) <= beside(b, a);
    case PPS_OP_GREATER:
        return beside(a, b) > beside(b, a);
    case PPS_OP_GREATER_EQUAL:
        return beside(a, b) >= beside(b, a);
    case PPS_OP_EQUAL:
        return beside(a, b) == beside(b, a);
    case PPS_OP_UNEQUAL:
        return beside(a, b) < beside(b, a) || beside(a, b) > beside(b, a);
    case PPS_OP_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

// ---- one value -----------------------------------------------------------------------------

// Returns the value of one part, or NAN if the part is empty.
static double part(const struct pps_expr *expr, enum pps_expr_part which, const double *point)
{
    double below[PPS_EXPR_STACK], top = no_value;
    size_t n = 0, from = which == PPS_PART_FIRST ? 0 : expr->end[which - 1];
    for (size_t i = from; i < expr->end[which]; i++) {
        const struct pps_expr_node *node = &expr->nodes[i];
        if (node->op <= PPS_OP_NUMBER) {
            below[n++] = top;
            top = leaf(node, point);
        } else if (node->op <= PPS_OP_ROUND) {
            top = finite_or_nan(unary(node->op, top));
        } else {
            top = finite_or_nan(binary(node->op, below[--n], top));
        }
    }
    return top;
}

double pps_expr_value(const struct pps_expr *expr, const double *point)
{
    if (expr->shape == PPS_EXPR_RANGE || expr->shape == PPS_EXPR_DIVISORS)
        return no_value;
    return finite_or_nan(part(expr, PPS_PART_FIRST, point));
}

// ---- the values of an axis -----------------------------------------------------------------

// The tolerance includes the rounding errors of a large number of steps.
static uint64_t range_count(double start, double stop, double step)
{
    double steps = (stop - start) / step;
    if (!isfinite(stop - start) || !(step > 0) || !(steps >= -TOLERANCE))
        return 0;
    steps = floor(steps + TOLERANCE + steps * 0x1p-50);
    return steps < WHOLE_LIMIT - 2 ? (uint64_t)steps + 1 : (uint64_t)WHOLE_LIMIT - 1;
}

// Each divisor d of n below sqrt(n) has a partner n/d above sqrt(n).
static uint64_t divisor_count(uint64_t n)
{
    uint64_t count = 0;
    for (uint64_t d = 1; d * d <= n; d++)
        if (n % d == 0)
            count += d * d == n ? 1 : 2;
    return count;
}

static uint64_t small_divisor(uint64_t n, uint64_t i)
{
    uint64_t d = 1;
    for (;; d++)
        if (n % d == 0 && i-- == 0)
            return d;
}

void pps_expr_list(const struct pps_expr *expr, const double *point, struct pps_expr_list *list)
{
    double first = part(expr, PPS_PART_FIRST, point), step;
    *list = (struct pps_expr_list){.shape = expr->shape, .start = first, .step = 1};
    switch (expr->shape) {
    case PPS_EXPR_TRUTH:
    case PPS_EXPR_NUMBER:
        list->n = isfinite(first) ? 1 : 0;
        break;
    case PPS_EXPR_RANGE:
        step = part(expr, PPS_PART_STEP, point);
        list->step = expr->end[PPS_PART_STEP] == expr->end[PPS_PART_STOP] ? 1 : step;
        list->stop = part(expr, PPS_PART_STOP, point);
        list->n = range_count(first, list->stop, list->step);
        break;
    case PPS_EXPR_DIVISORS:
        if (first >= 1 && first <= MOST_DIVISIBLE && first == floor(first))
            list->n = divisor_count((uint64_t)first);
        break;
    }
}

double pps_expr_item(const struct pps_expr_list *list, uint64_t i)
{
    uint64_t n;
    if (list->shape != PPS_EXPR_DIVISORS)
        return meant(list->start + (double)i * list->step);
    // The larger divisors are the partners of the smaller ones, in reverse order.
    n = (uint64_t)list->start;
    if (i < (list->n + 1) / 2)
        return (double)small_divisor(n, i);
    return (double)(n / small_divisor(n, list->n - 1 - i));
}
