// SPDX-License-Identifier: Apache-2.0
// What the parts of an expression are (numbers, truths, names), which may be joined by which
// operator, and the nodes that come of it. Private to expr*.c.
#ifndef PPS_EXPRTYPE_H
#define PPS_EXPRTYPE_H

#include "exprlex.h"
#include "exprtree.h"

struct pps_builder {
    const struct pps_expr_scope *scope;
    struct pps_expr *expr; // with room for a node a token
    size_t n_waiting;      // values on the stack at this place
    struct pps_expr_fault *fault;
    const char *text;
};

enum pps_operand_kind {
    PPS_OPERAND_NUMBER,
    PPS_OPERAND_TRUTH,
    PPS_OPERAND_NAMED, // a parameter that may hold a name
    PPS_OPERAND_WORD,  // no parameter: a name of one, or a mistake; has no node yet
};

struct pps_operand {
    enum pps_operand_kind kind;
    size_t at, n;    // where it stands; of a WORD the word itself
    int param;       // of a parameter; -1: something else
    size_t node;     // of a parameter
    bool bare;       // a word without quotes, or a parameter without parentheses
    bool comparison; // without parentheses
};

// All return false where fault is filled.

// Leaves. A name that is no parameter becomes a WORD.
bool pps_operand_number(struct pps_builder *b,
                        const struct pps_token *t,
                        struct pps_operand *out);
bool pps_operand_truth(struct pps_builder *b,
                       const struct pps_token *t,
                       struct pps_operand *out);
bool pps_operand_name(struct pps_builder *b,
                      const struct pps_token *t,
                      struct pps_operand *out);

// Refuses what is no number, and makes one of a parameter that may hold a name.
bool pps_want_number(struct pps_builder *b, const struct pps_operand *x);

// left op right, of which the nodes of both exist; left becomes the result.
bool pps_join(struct pps_builder *b,
              enum pps_expr_op op,
              struct pps_operand *left,
              const struct pps_operand *right);

// op x, a number or (NOT) a truth; x becomes the result.
bool pps_apply(struct pps_builder *b, enum pps_expr_op op, struct pps_operand *x);

#endif
