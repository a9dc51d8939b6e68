// SPDX-License-Identifier: Apache-2.0
// Checks the types of operands (numbers, truth values, names) and builds the nodes of an
// expression. Private to expr*.c.
#pragma once

#include "engine/expression/lex.h"
#include "engine/expression/tree.h"

struct pps_builder {
    const struct pps_expr_scope *scope;
    struct pps_expr *expr; // has room for one node per token
    size_t n_waiting;      // values on the stack at this place
    struct pps_expr_fault *fault;
    const char *text;
};

enum pps_operand_kind {
    PPS_OPERAND_NUMBER,
    PPS_OPERAND_TRUTH,
    PPS_OPERAND_NAMED, // a parameter that may hold a name
    PPS_OPERAND_WORD,  // not a parameter: a name of one or a mistake; has no node yet
};

struct pps_operand {
    enum pps_operand_kind kind;
    size_t at, n;    // place in the text; for a WORD the word itself
    int param;       // index of the parameter; -1: not a parameter
    size_t node;     // node of the parameter
    bool bare;       // a word without quotes, or a parameter without parentheses
    bool comparison; // a comparison without parentheses
};

// All functions return false if fault is filled.

// Leaves. A name that is not a parameter becomes a WORD.
bool pps_operand_number(struct pps_builder *b, const struct pps_token *t,
                        struct pps_operand *out);
bool pps_operand_truth(struct pps_builder *b, const struct pps_token *t,
                       struct pps_operand *out);
bool pps_operand_name(struct pps_builder *b, const struct pps_token *t,
                      struct pps_operand *out);

// Refuses anything but a number. Converts a parameter that may hold a name to a number.
bool pps_want_number(struct pps_builder *b, const struct pps_operand *x);

// Joins left and right, whose nodes exist, with the operator; left becomes the result.
bool pps_join(struct pps_builder *b, enum pps_expr_op op, struct pps_operand *left,
              const struct pps_operand *right);

// Applies the operator to a number or, for NOT, to a truth value; x becomes the result.
bool pps_apply(struct pps_builder *b, enum pps_expr_op op, struct pps_operand *x);
