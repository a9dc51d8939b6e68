// SPDX-License-Identifier: Apache-2.0
// The tree of a parsed expression holds its nodes in evaluation order (operands before their
// operator), so evaluation needs a small stack and no recursion. Private to expr*.c.
#pragma once

#include "engine/expression/expression.h"

#define PPS_EXPR_LONGEST 4096 // maximum bytes of text
#define PPS_EXPR_DEEPEST 64   // maximum depth of nested parentheses, calls, signs and powers
// Size of the evaluation stack: on every level at most one value waits for each of six binding
// strengths, and one for min or max.
#define PPS_EXPR_STACK (8 * (PPS_EXPR_DEEPEST + 1))

enum pps_expr_op {
    // Leaves.
    PPS_OP_CONSTANT,
    PPS_OP_PARAM,  // value in the encoding of kernel.h
    PPS_OP_NUMBER, // value of a parameter that may hold a name; NAN if it does
    // One operand.
    PPS_OP_NEGATE,
    PPS_OP_NOT,
    PPS_OP_ABS,
    PPS_OP_CEIL,
    PPS_OP_FLOOR,
    PPS_OP_ROUND,
    // Two operands.
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
    int param;       // for PARAM and NUMBER
    double constant; // for CONSTANT
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
