// SPDX-License-Identifier: Apache-2.0
// The lexer returns the tokens of an expression. Private to expr*.c.
#pragma once

#include "engine/expression/expression.h"

enum pps_token_kind {
    PPS_TOKEN_END,
    PPS_TOKEN_NUMBER,
    PPS_TOKEN_NAME,   // begins with a letter or '_'
    PPS_TOKEN_WORD,   // begins with a digit: 1f1b
    PPS_TOKEN_QUOTED, // at and n exclude the quotes
    PPS_TOKEN_TRUE,
    PPS_TOKEN_FALSE,
    PPS_TOKEN_STEP,
    PPS_TOKEN_OR,
    PPS_TOKEN_AND,
    PPS_TOKEN_NOT,
    PPS_TOKEN_LESS,
    PPS_TOKEN_LESS_EQUAL,
    PPS_TOKEN_GREATER,
    PPS_TOKEN_GREATER_EQUAL,
    PPS_TOKEN_EQUAL,
    PPS_TOKEN_UNEQUAL,
    PPS_TOKEN_PLUS,
    PPS_TOKEN_MINUS,
    PPS_TOKEN_TIMES,
    PPS_TOKEN_DIVIDE,
    PPS_TOKEN_MODULO,
    PPS_TOKEN_POWER,
    PPS_TOKEN_DOTS,
    PPS_TOKEN_OPEN,
    PPS_TOKEN_CLOSE,
    PPS_TOKEN_COMMA,
};

struct pps_token {
    enum pps_token_kind kind;
    size_t at, n; // offset and length in the text, in bytes
    double value; // value of a NUMBER
};

struct pps_lexer {
    const char *text;
    size_t at; // offset of the next byte
    struct pps_expr_fault *fault;
};

// Fills fault (control characters become '?') and returns false.
bool pps_expr_fail(struct pps_expr_fault *fault, size_t byte, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Reads the next token. Returns false if fault is filled.
bool pps_expr_next(struct pps_lexer *lexer, struct pps_token *token);
