// SPDX-License-Identifier: Apache-2.0
// Parses and evaluates expressions over parameters: rules (`sync_freq <= n`) and dependent axes
// (`divisors(n)`, `1..n-1`, `2*fwd_len`). An expression is parsed to a tree of nodes with
// places and evaluated at a point.
//
// Grammar, weakest binding first: `a .. b [step c]` (only as a whole axis), `||`, `&&`, `!`,
// comparisons `< <= > >= == !=` (one, not chained), `+ -`, `* / %`, unary `-`, `^` (right to
// left, integer exponents), calls, parentheses, numbers, names, 'quoted names'. The words
// `and`, `or`, `not` mean && || !. Functions: min max (two or more arguments), abs ceil floor
// round, divisors (only as a whole axis). a % b has the sign of b. round rounds a half away
// from zero. min and max of NAN are NAN. In a comparison with a parameter that has names, a
// bare word that is both a name and a parameter is refused: write 'n' in quotes for the name,
// or (n) in parentheses for the parameter.
#pragma once

#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stddef.h>
#include <stdint.h>

struct pps_expr;

enum pps_expr_shape {
    PPS_EXPR_TRUTH,    // a comparison or a combination of comparisons
    PPS_EXPR_NUMBER,   // one value
    PPS_EXPR_RANGE,    // a .. b [step c], inclusive
    PPS_EXPR_DIVISORS, // all divisors of a whole number >= 1, ascending
};

// The parameters that names in an expression refer to. A parameter with `names` can be compared
// (== and != only) with one of its names, quoted or bare, or with a parameter that has the same
// names. A boolean can be compared with true and false, or used alone as a truth value.
struct pps_expr_scope {
    const struct pps_param *params;
    int n_params;
    const char *noun; // what messages call a parameter, such as "column"; NULL: "parameter"
};

struct pps_expr_fault {
    size_t byte;    // offset in the text, from 0
    char text[256]; // one line: the error and how to fix it
};

// Parses the whole text. Returns NULL and fills fault on an error (unknown names with the
// nearest known name, a comparison of a choice with a number, a truth value instead of a
// number, ...). The tree is const and may be evaluated by several threads. Limits: 4096 bytes
// of text and 64 levels of nesting. The caller frees the tree with pps_expr_free.
struct pps_expr *pps_expr_parse(const char *text, const struct pps_expr_scope *scope,
                                struct pps_expr_fault *fault);
void pps_expr_free(struct pps_expr *expr); // NULL is allowed

enum pps_expr_shape pps_expr_shape(const struct pps_expr *expr);

// Returns a mask of the parameters in the expression: bit p is set if parameter p occurs.
// Parameter numbers are below 64.
uint64_t pps_expr_uses(const struct pps_expr *expr);

// Returns the number (NAN if there is no finite value, as for 1/0, and for RANGE and DIVISORS)
// or the truth value (0 or 1; any comparison with NAN is false). point[p] is the value of
// parameter p in the encoding of kernel.h; point may be NULL if the expression uses no
// parameter. A comparison of a real that holds a name with a number is false. Two reals with
// the same names are equal if both hold the same name.
double pps_expr_value(const struct pps_expr *expr, const double *point);

// The values of an axis at a point. A NUMBER gives one value (none if it is NAN), a TRUTH gives
// one value (0 or 1). A RANGE gives all start + i*step <= stop, at most 2^53 - 1 values; it
// gives none if stop < start, step <= 0 or stop - start is not finite. The last value is
// included if (stop-start)/step is whole to 1e-9. DIVISORS gives all divisors; it gives none if
// the argument is not whole, is below 1 or is above 1e12. Each value is the double nearest to
// its text of at most 15 digits; whole numbers below 2^53 are exact.
struct pps_expr_list {
    enum pps_expr_shape shape;
    double start, step;
    double stop; // stop of a RANGE as written; may exceed the last value
    uint64_t n;
};
// Fills *list with the values of the axis at a point.
void pps_expr_list(const struct pps_expr *expr, const double *point,
                   struct pps_expr_list *list);

// Returns value i < n of the list: in O(1) for RANGE and NUMBER, in O(sqrt) for DIVISORS.
double pps_expr_item(const struct pps_expr_list *list, uint64_t i);
