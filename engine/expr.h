// SPDX-License-Identifier: Apache-2.0
// Expressions over parameters: rules (`sync_freq <= n`) and dependent axes (`divisors(n)`,
// `1..n-1`, `2*fwd_len`). Parsed to a tree of nodes with places, evaluated on a point.
//
// Grammar, weakest binding first: `a .. b [step c]` (only as a whole axis), `||`, `&&`, `!`,
// comparisons `< <= > >= == !=` (one, not chained), `+ -`, `* / %`, unary `-`, `^` (right to
// left, whole exponents), calls, parentheses, numbers, names, 'quoted names'. `and`, `or`,
// `not` are the words for && || !. Functions: min max (two or more), abs ceil floor round,
// divisors (only as a whole axis). The sign of a % b is that of b; round goes away from zero at
// one half; min and max of NAN are NAN. In a comparison with a parameter that has names, a bare
// word that is both a name and a parameter is refused: 'n' in quotes is the name, (n) in
// parentheses the parameter.
#ifndef PPS_EXPR_H
#define PPS_EXPR_H

#include "kernel.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_expr;

enum pps_expr_shape {
    PPS_EXPR_TRUTH,    // a comparison or a combination of them
    PPS_EXPR_NUMBER,   // one value
    PPS_EXPR_RANGE,    // a .. b [step c], inclusive
    PPS_EXPR_DIVISORS, // all divisors of a whole number >= 1, ascending
};

// What names mean: the kernel's parameters. A parameter with `names` may be compared (== and !=
// only) with one of them, quoted or bare, or with a parameter of the same names; booleans with
// true and false, or stand alone as a truth.
struct pps_expr_scope {
    const struct pps_param *params;
    int n_params;
};

struct pps_expr_fault {
    size_t byte;    // of the text, from 0
    char text[256]; // one line: what is wrong and what to write
};

// Parses the whole text. NULL: fault says why (unknown names with the nearest known one; a
// comparison of a choice with a number; a truth where a number is wanted ...). The tree is
// const from then on and may be evaluated by several threads. At most 4096 bytes of text and
// 64 levels of nesting.
struct pps_expr *pps_expr_parse(const char *text,
                                const struct pps_expr_scope *scope,
                                struct pps_expr_fault *fault);
void pps_expr_free(struct pps_expr *expr); // NULL is fine

enum pps_expr_shape pps_expr_shape(const struct pps_expr *expr);

// Bit p is set where parameter p occurs (parameters beyond 63 do not exist).
uint64_t pps_expr_uses(const struct pps_expr *expr);

// Number (NAN where it has no finite value: 1/0 ..., and for RANGE and DIVISORS) or truth (0 or
// 1; any comparison with NAN is false). point[p] is the value of parameter p as it travels (see
// kernel.h); it may be NULL where no parameter is used. Comparisons of a real that holds a name
// with a number are false; two reals of the same names are == where both hold the same.
double pps_expr_value(const struct pps_expr *expr, const double *point);

// The values of an axis at a point: a NUMBER gives one (none where it is NAN), so does a TRUTH
// (0 or 1), a RANGE as many as start + i*step <= stop (none where stop < start, step <= 0 or
// stop - start is not finite; the last is included when (stop-start)/step is whole to 1e-9;
// never more than 2^53 - 1), DIVISORS theirs (none where the argument is not whole, below 1 or
// above 1e12). Each value is the double nearest to its text of at most 15 digits, whole numbers
// below 2^53 as they are.
struct pps_expr_list {
    enum pps_expr_shape shape;
    double start, step;
    double stop; // of a RANGE, as written: it may lie beyond the last value
    uint64_t n;
};
void pps_expr_list(const struct pps_expr *expr,
                   const double *point,
                   struct pps_expr_list *list);

// Value i < n of the list, for RANGE and NUMBER at once, for DIVISORS in O(sqrt) steps.
double pps_expr_item(const struct pps_expr_list *list, uint64_t i);

#endif
