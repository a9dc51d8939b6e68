// SPDX-License-Identifier: Apache-2.0
// Parses expressions by precedence climbing over tokens, at most PPS_EXPR_DEEPEST levels deep.
#include "base/text/nearest.h"
#include "engine/expression/lex.h"
#include "engine/expression/tree.h"
#include "engine/expression/types.h"

#include <stdlib.h>
#include <string.h>

// Binding strengths, weakest first.
enum binding {
    BIND_ANY,
    BIND_OR,
    BIND_AND,
    BIND_COMPARE,
    BIND_ADD,
    BIND_TIMES,
    BIND_SIGN,
    BIND_POWER
};

struct parser {
    struct pps_lexer lexer;
    struct pps_token token; // the next token
    struct pps_builder builder;
    int depth;
};

static bool parse(struct parser *p, enum binding weakest, struct pps_operand *out);

static bool fail(struct parser *p, const char *text)
{
    return pps_expr_fail(p->lexer.fault, p->token.at, "%s", text);
}

static bool take(struct parser *p)
{
    return pps_expr_next(&p->lexer, &p->token);
}

// ---- operands ------------------------------------------------------------------------------

static bool deeper(struct parser *p)
{
    if (p->depth == PPS_EXPR_DEEPEST)
        return pps_expr_fail(p->lexer.fault, p->token.at, "nested more than %d levels deep",
                             PPS_EXPR_DEEPEST);
    p->depth++;
    return true;
}

static bool close_bracket(struct parser *p, size_t open_at)
{
    if (p->token.kind == PPS_TOKEN_END)
        return pps_expr_fail(p->lexer.fault, open_at, "this ( is not closed; write )");
    if (p->token.kind != PPS_TOKEN_CLOSE)
        return fail(p, "an operator or ) is missing before this");
    return take(p);
}

// Parses parentheses; the current token is '('.
static bool bracketed(struct parser *p, struct pps_operand *out)
{
    size_t at = p->token.at;
    if (!deeper(p) || !take(p) || !parse(p, BIND_ANY, out) || !close_bracket(p, at))
        return false;
    if (out->kind != PPS_OPERAND_WORD)
        out->bare = false;
    out->comparison = false;
    p->depth--;
    return true;
}

struct function {
    const char *name;
    enum pps_expr_op op;
    bool many; // two or more arguments; otherwise one
};

static const struct function functions[] = {
    {"min", PPS_OP_MIN, true},      {"max", PPS_OP_MAX, true},
    {"abs", PPS_OP_ABS, false},     {"ceil", PPS_OP_CEIL, false},
    {"floor", PPS_OP_FLOOR, false}, {"round", PPS_OP_ROUND, false},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static bool is_word(const struct parser *p, const struct pps_token *t, const char *word)
{
    return strlen(word) == t->n && memcmp(p->lexer.text + t->at, word, t->n) == 0;
}

static bool no_function(struct parser *p, const struct pps_token *name)
{
    const char *names[N_FUNCTIONS], *near;
    char word[16] = "";
    if (is_word(p, name, "divisors"))
        return pps_expr_fail(p->lexer.fault, name->at,
                             "divisors(...) is a whole axis, not part of an expression");
    for (int i = 0; i < N_FUNCTIONS; i++)
        names[i] = functions[i].name;
    if (name->n < sizeof word)
        memcpy(word, p->lexer.text + name->at, name->n);
    near = pps_suggest(word, names, N_FUNCTIONS);
    if (near != NULL)
        return pps_expr_fail(p->lexer.fault, name->at,
                             "\"%s\" is not a function; did you mean %s?", word, near);
    return pps_expr_fail(
        p->lexer.fault, name->at,
        "unknown function; functions are min, max, abs, ceil, floor and round");
}

static const struct function *find_function(const struct parser *p,
                                            const struct pps_token *name)
{
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (is_word(p, name, functions[i].name))
            return &functions[i];
    return NULL;
}

// Parses the arguments after the first and joins each with the result so far.
static bool more_arguments(struct parser *p, const struct function *f, struct pps_operand *out)
{
    if (p->token.kind != PPS_TOKEN_COMMA)
        return fail(p, "min and max take two arguments or more, as in min(a, b)");
    while (p->token.kind == PPS_TOKEN_COMMA) {
        struct pps_operand next;
        if (!take(p) || !parse(p, BIND_ANY, &next) || !pps_join(&p->builder, f->op, out, &next))
            return false;
    }
    return true;
}

// Parses a call; the current token is the '(' after the name.
static bool call(struct parser *p, const struct pps_token *name, struct pps_operand *out)
{
    const struct function *f = find_function(p, name);
    size_t open_at = p->token.at;
    if (f == NULL)
        return no_function(p, name);
    if (!deeper(p) || !take(p) || !parse(p, BIND_ANY, out))
        return false;
    if (f->many ? !more_arguments(p, f, out) : !pps_apply(&p->builder, f->op, out))
        return false;
    if (p->token.kind == PPS_TOKEN_COMMA)
        return fail(p, "this function has one argument");
    out->at = name->at;
    p->depth--;
    return close_bracket(p, open_at);
}

static bool name_or_call(struct parser *p, struct pps_operand *out)
{
    struct pps_token name = p->token;
    if (!take(p))
        return false;
    if (name.kind == PPS_TOKEN_NAME && p->token.kind == PPS_TOKEN_OPEN)
        return call(p, &name, out);
    return pps_operand_name(&p->builder, &name, out);
}

// Parses a sign or a negation and its operand.
static bool prefixed(struct parser *p, enum pps_expr_op op, enum binding binding,
                     struct pps_operand *out)
{
    size_t at = p->token.at;
    if (!deeper(p) || !take(p) || !parse(p, binding, out) || !pps_apply(&p->builder, op, out))
        return false;
    out->at = at;
    p->depth--;
    return true;
}

static bool operand(struct parser *p, struct pps_operand *out)
{
    struct pps_token t = p->token;
    switch ((int)t.kind) {
    case PPS_TOKEN_NUMBER:
        return pps_operand_number(&p->builder, &t, out) && take(p);
    case PPS_TOKEN_TRUE:
    case PPS_TOKEN_FALSE:
        return pps_operand_truth(&p->builder, &t, out) && take(p);
    case PPS_TOKEN_NAME:
    case PPS_TOKEN_WORD:
    case PPS_TOKEN_QUOTED:
        return name_or_call(p, out);
    case PPS_TOKEN_OPEN:
        return bracketed(p, out);
    case PPS_TOKEN_MINUS:
        return prefixed(p, PPS_OP_NEGATE, BIND_SIGN, out);
    case PPS_TOKEN_NOT:
        return prefixed(p, PPS_OP_NOT, BIND_COMPARE, out);
    case PPS_TOKEN_END:
        return fail(p, "a value is missing at the end");
    default:
        return fail(p, "a value is missing before this");
    }
}

// ---- operators -----------------------------------------------------------------------------

struct infix {
    enum pps_token_kind token;
    enum binding binding;
    enum pps_expr_op op;
};

static const struct infix *find_infix(enum pps_token_kind token)
{
    static const struct infix infixes[] = {
        {PPS_TOKEN_OR, BIND_OR, PPS_OP_OR},
        {PPS_TOKEN_AND, BIND_AND, PPS_OP_AND},
        {PPS_TOKEN_LESS, BIND_COMPARE, PPS_OP_LESS},
        {PPS_TOKEN_LESS_EQUAL, BIND_COMPARE, PPS_OP_LESS_EQUAL},
        {PPS_TOKEN_GREATER, BIND_COMPARE, PPS_OP_GREATER},
        {PPS_TOKEN_GREATER_EQUAL, BIND_COMPARE, PPS_OP_GREATER_EQUAL},
        {PPS_TOKEN_EQUAL, BIND_COMPARE, PPS_OP_EQUAL},
        {PPS_TOKEN_UNEQUAL, BIND_COMPARE, PPS_OP_UNEQUAL},
        {PPS_TOKEN_PLUS, BIND_ADD, PPS_OP_ADD},
        {PPS_TOKEN_MINUS, BIND_ADD, PPS_OP_SUBTRACT},
        {PPS_TOKEN_TIMES, BIND_TIMES, PPS_OP_MULTIPLY},
        {PPS_TOKEN_DIVIDE, BIND_TIMES, PPS_OP_DIVIDE},
        {PPS_TOKEN_MODULO, BIND_TIMES, PPS_OP_MODULO},
        {PPS_TOKEN_POWER, BIND_POWER, PPS_OP_POWER},
    };
    for (size_t i = 0; i < sizeof infixes / sizeof infixes[0]; i++)
        if (infixes[i].token == token)
            return &infixes[i];
    return NULL;
}

// Parses the right side of an operator. The right side of a power may be a power or have a
// sign, and adds a level.
static bool right_side(struct parser *p, const struct infix *infix, struct pps_operand *right)
{
    bool power = infix->binding == BIND_POWER;
    if (!power)
        return parse(p, infix->binding + 1, right);
    if (!deeper(p) || !parse(p, BIND_POWER, right))
        return false;
    p->depth--;
    return true;
}

// Parses all operators that bind at least as strongly as `weakest`.
static bool parse(struct parser *p, enum binding weakest, struct pps_operand *out)
{
    if (!operand(p, out))
        return false;
    for (;;) {
        const struct infix *infix = find_infix(p->token.kind);
        struct pps_operand right;
        if (infix == NULL || infix->binding < weakest)
            return true;
        if (!take(p) || !right_side(p, infix, &right) ||
            !pps_join(&p->builder, infix->op, out, &right))
            return false;
    }
}

// ---- entry points --------------------------------------------------------------------------

static void end_part(struct parser *p, enum pps_expr_part part)
{
    for (int i = (int)part; i < PPS_PARTS; i++)
        p->builder.expr->end[i] = p->builder.expr->n_nodes;
    p->builder.n_waiting = 0;
}

static bool number_part(struct parser *p, enum pps_expr_part part)
{
    struct pps_operand x;
    if (!parse(p, BIND_ANY, &x) || !pps_want_number(&p->builder, &x))
        return false;
    end_part(p, part);
    return true;
}

// Parses the rest of a range; the current token is the dots after the start.
static bool range(struct parser *p)
{
    p->builder.expr->shape = PPS_EXPR_RANGE;
    if (!take(p) || !number_part(p, PPS_PART_STOP))
        return false;
    if (p->token.kind != PPS_TOKEN_STEP)
        return true;
    return take(p) && number_part(p, PPS_PART_STEP);
}

static bool at_divisors(const struct parser *p)
{
    struct pps_lexer ahead = p->lexer;
    struct pps_expr_fault ignored;
    struct pps_token next;
    ahead.fault = &ignored;
    return p->token.kind == PPS_TOKEN_NAME && is_word(p, &p->token, "divisors") &&
           pps_expr_next(&ahead, &next) && next.kind == PPS_TOKEN_OPEN;
}

static bool divisors(struct parser *p)
{
    size_t open_at;
    p->builder.expr->shape = PPS_EXPR_DIVISORS;
    if (!take(p))
        return false;
    open_at = p->token.at;
    if (!take(p) || !number_part(p, PPS_PART_FIRST) || !close_bracket(p, open_at))
        return false;
    if (p->token.kind != PPS_TOKEN_END)
        return fail(p, "divisors(...) must be the whole axis");
    return true;
}

static bool axis_or_rule(struct parser *p)
{
    struct pps_operand x;
    if (at_divisors(p))
        return divisors(p);
    if (!parse(p, BIND_ANY, &x))
        return false;
    if (x.kind == PPS_OPERAND_TRUTH && p->token.kind != PPS_TOKEN_DOTS) {
        p->builder.expr->shape = PPS_EXPR_TRUTH;
        end_part(p, PPS_PART_FIRST);
        return true;
    }
    p->builder.expr->shape = PPS_EXPR_NUMBER;
    if (!pps_want_number(&p->builder, &x))
        return false;
    end_part(p, PPS_PART_FIRST);
    return p->token.kind != PPS_TOKEN_DOTS || range(p);
}

static bool leftover(struct parser *p)
{
    switch ((int)p->token.kind) {
    case PPS_TOKEN_END:
        return true;
    case PPS_TOKEN_CLOSE:
        return fail(p, "this ) has no matching (; remove it");
    case PPS_TOKEN_DOTS:
        return fail(p, "a range has one start and one stop, as in 1 .. 9 step 2");
    case PPS_TOKEN_STEP:
        return fail(p, "step belongs to a range, as in 1 .. 9 step 2");
    case PPS_TOKEN_COMMA:
        return fail(p, "a comma separates arguments only");
    default:
        return fail(p, "an operator is missing before this");
    }
}

struct pps_expr *pps_expr_parse(const char *text, const struct pps_expr_scope *scope,
                                struct pps_expr_fault *fault)
{
    size_t n = strnlen(text, PPS_EXPR_LONGEST + 1);
    struct pps_expr *expr;
    struct parser p = {.lexer = {text, 0, fault}};
    if (n > PPS_EXPR_LONGEST) {
        pps_expr_fail(fault, PPS_EXPR_LONGEST, "more than %d characters", PPS_EXPR_LONGEST);
        return NULL;
    }
    // A token has at least one byte and makes at most one node.
    expr = calloc(1, sizeof *expr + n * sizeof expr->nodes[0]);
    if (expr == NULL) {
        pps_expr_fail(fault, 0, "out of memory");
        return NULL;
    }
    p.builder = (struct pps_builder){scope, expr, 0, fault, text};
    if (take(&p) && axis_or_rule(&p) && leftover(&p))
        return expr;
    free(expr);
    return NULL;
}

void pps_expr_free(struct pps_expr *expr)
{
    free(expr);
}
