// SPDX-License-Identifier: Apache-2.0
// A parsed expression: its nodes in the order in which they are evaluated (operands before
// their operator), so that evaluation needs a small stack and no recursion. Private to expr*.c.
#ifndef PPS_EXPRTREE_H
#define PPS_EXPRTREE_H

#include "expr.h"

#define PPS_EXPR_LONGEST 4096 // bytes of text
#define PPS_EXPR_DEEPEST 64   // parentheses, calls, signs and powers within each other
// Values waiting for their operator: at most one for each of six strengths of binding, and one
// of min or max, on every level.
#define PPS_EXPR_STACK (8 * (PPS_EXPR_DEEPEST + 1))

enum pps_expr_op {
    // Leaves.
    PPS_OP_CONSTANT,
    PPS_OP_PARAM,  // as it travels
    PPS_OP_NUMBER, // a parameter that may hold a name: NAN where it does
    // Of one operand.
    PPS_OP_NEGATE,
    PPS_OP_NOT,
    PPS_OP_ABS,
    PPS_OP_CEIL,
    PPS_OP_FLOOR,
    PPS_OP_ROUND,
    // Of two.
    PPS_OP_ADD,
    PPS_OP_SUBTRACT,
    PPS_OP_MULTIPLY,
    PPS_OP_DIVIDE,
    PPS_OP_MODULO,
    PPS_OP_POWER,
    PPS_OP_MIN,
    PPS_OP_MAX,
    PPS_OP_LESS,
    PPS_OP_LESS_EQUAL,
    PPS_OP_GREATER,
    PPS_OP_GREATER_EQUAL,
    PPS_OP_EQUAL,
    PPS_OP_UNEQUAL,
    PPS_OP_AND,
    PPS_OP_OR,
};

struct pps_expr_node {
    enum pps_expr_op op;
    int param;       // of PARAM and NUMBER
    double constant; // of CONSTANT
};

// The parts of an axis: start (or the only value, or the argument of divisors), stop, step.
enum pps_expr_part { PPS_PART_FIRST, PPS_PART_STOP, PPS_PART_STEP, PPS_PARTS };

struct pps_expr {
    enum pps_expr_shape shape;
    uint64_t uses;
    size_t end[PPS_PARTS]; // part i is the nodes end[i-1] ... end[i]; empty: not written
    size_t n_nodes;
    struct pps_expr_node nodes[];
};

#endif
