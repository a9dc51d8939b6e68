// SPDX-License-Identifier: Apache-2.0
// Checks the types of operands and which operators may join them.
#include "engine/expression/types.h"
#include "base/text/nearest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_PARAMS 64
#define SHOWN       40 // maximum bytes of a word in an error

// ---- nodes ---------------------------------------------------------------------------------

// Adds a node that replaces n_operands values on the stack with one value.
static bool emit(struct pps_builder *b, struct pps_expr_node node, size_t n_operands, size_t at)
{
    b->n_waiting += 1 - n_operands;
    if (b->n_waiting > PPS_EXPR_STACK)
        return pps_expr_fail(b->fault, at, "nested too deep");
    b->expr->nodes[b->expr->n_nodes++] = node;
    return true;
}

static bool emit_constant(struct pps_builder *b, double value, size_t at)
{
    return emit(b, (struct pps_expr_node){PPS_OP_CONSTANT, -1, value}, 0, at);
}

// ---- names in errors -----------------------------------------------------------------------

static int shown(size_t n)
{
    return n < SHOWN ? (int)n : SHOWN;
}

// Writes "a, b, c"; "..." replaces names that do not fit.
static const char *list_names(const struct pps_param *param, char *list, size_t cap)
{
    size_t n = 0;
    list[0] = '\0';
    for (int i = 0; param->names[i] != NULL; i++) {
        const char *comma = i == 0 ? "" : ", ";
        if (n + strlen(comma) + strlen(param->names[i]) + sizeof ", ..." > cap) {
            snprintf(list + n, cap - n, "%s...", comma);
            break;
        }
        n += (size_t)snprintf(list + n, cap - n, "%s%s", comma, param->names[i]);
    }
    return list;
}

static const char *nearest(const char *word, size_t n, const char *const *names, size_t n_names)
{
    char copy[2 * SHOWN];
    if (n >= sizeof copy)
        return NULL;
    memcpy(copy, word, n);
    copy[n] = '\0';
    return pps_suggest(copy, names, n_names);
}

static const char *noun(const struct pps_builder *b)
{
    return b->scope->noun != NULL ? b->scope->noun : "parameter";
}

static bool no_parameter(const struct pps_builder *b, const struct pps_operand *x)
{
    const char *names[MOST_PARAMS], *word = b->text + x->at, *near;
    int n = b->scope->n_params < MOST_PARAMS ? b->scope->n_params : MOST_PARAMS;
    for (int i = 0; i < n; i++)
        names[i] = b->scope->params[i].name;
    near = nearest(word, x->n, names, (size_t)n);
    if (near != NULL)
        return pps_expr_fail(b->fault, x->at, "\"%.*s\" is not a %s; did you mean %s?",
                             shown(x->n), word, noun(b), near);
    return pps_expr_fail(b->fault, x->at, "\"%.*s\" is not a %s", shown(x->n), word, noun(b));
}

static bool no_such_name(const struct pps_builder *b, const struct pps_operand *word,
                         const struct pps_param *param)
{
    const char *s = b->text + word->at, *near;
    char list[128];
    size_t n = 0;
    while (param->names[n] != NULL)
        n++;
    near = nearest(s, word->n, param->names, n);
    if (near != NULL)
        return pps_expr_fail(b->fault, word->at,
                             "\"%.*s\" is not a value of %s; did you mean '%s'?",
                             shown(word->n), s, param->name, near);
    return pps_expr_fail(b->fault, word->at, "\"%.*s\" is not a value of %s; write one of %s",
                         shown(word->n), s, param->name, list_names(param, list, sizeof list));
}

// ---- leaves --------------------------------------------------------------------------------

bool pps_operand_number(struct pps_builder *b, const struct pps_token *t,
                        struct pps_operand *out)
{
    *out = (struct pps_operand){PPS_OPERAND_NUMBER, t->at, t->n, -1, 0, false, false};
    return emit_constant(b, t->value, t->at);
}

bool pps_operand_truth(struct pps_builder *b, const struct pps_token *t,
                       struct pps_operand *out)
{
    *out = (struct pps_operand){PPS_OPERAND_TRUTH, t->at, t->n, -1, 0, false, false};
    return emit_constant(b, t->kind == PPS_TOKEN_TRUE, t->at);
}

static bool is_word(const char *name, const char *word, size_t n)
{
    return name != NULL && strlen(name) == n && memcmp(name, word, n) == 0;
}

static int find_param(const struct pps_expr_scope *scope, const char *word, size_t n)
{
    for (int i = 0; i < scope->n_params && i < MOST_PARAMS; i++)
        if (is_word(scope->params[i].name, word, n) ||
            is_word(scope->params[i].symbol, word, n))
            return i;
    return -1;
}

static int find_name(const struct pps_param *param, const char *word, size_t n)
{
    for (int i = 0; param->names[i] != NULL; i++)
        if (strlen(param->names[i]) == n && memcmp(param->names[i], word, n) == 0)
            return i;
    for (const struct pps_alias *a = param->aliases; a != NULL && a->name != NULL; a++)
        if (a->reason == NULL && is_word(a->name, word, n))
            return a->value;
    return -1;
}

static enum pps_operand_kind kind_of(const struct pps_param *param)
{
    if (param->kind == PPS_BOOLEAN)
        return PPS_OPERAND_TRUTH;
    return param->names != NULL ? PPS_OPERAND_NAMED : PPS_OPERAND_NUMBER;
}

bool pps_operand_name(struct pps_builder *b, const struct pps_token *t, struct pps_operand *out)
{
    bool bare = t->kind != PPS_TOKEN_QUOTED;
    int p = t->kind == PPS_TOKEN_NAME ? find_param(b->scope, b->text + t->at, t->n) : -1;
    *out = (struct pps_operand){PPS_OPERAND_WORD, t->at, t->n, p, 0, bare, false};
    if (p < 0)
        return true;
    out->kind = kind_of(&b->scope->params[p]);
    out->node = b->expr->n_nodes;
    b->expr->uses |= (uint64_t)1 << p;
    return emit(b, (struct pps_expr_node){PPS_OP_PARAM, p, 0}, 0, t->at);
}

// ---- expected types ------------------------------------------------------------------------

bool pps_want_number(struct pps_builder *b, const struct pps_operand *x)
{
    const struct pps_param *param = x->param >= 0 ? &b->scope->params[x->param] : NULL;
    char list[128];
    switch (x->kind) {
    case PPS_OPERAND_NUMBER:
        return true;
    case PPS_OPERAND_TRUTH:
        return pps_expr_fail(b->fault, x->at, "expected a number here, not true or false");
    case PPS_OPERAND_WORD:
        if (x->bare)
            return no_parameter(b, x);
        return pps_expr_fail(b->fault, x->at, "expected a number here, not a quoted name");
    case PPS_OPERAND_NAMED:
        break;
    }
    if (param->kind == PPS_CHOICE)
        return pps_expr_fail(b->fault, x->at,
                             "%s is not a number; compare it (== or !=) with %s", param->name,
                             list_names(param, list, sizeof list));
    b->expr->nodes[x->node].op = PPS_OP_NUMBER;
    return true;
}

// Finds two parameters for an example of a comparison, or uses made-up names.
static void example(const struct pps_expr_scope *scope, const char *names[2])
{
    int n = 0;
    names[0] = "a";
    names[1] = "b";
    for (int i = 0; i < scope->n_params && n < 2; i++)
        if (kind_of(&scope->params[i]) == PPS_OPERAND_NUMBER)
            names[n++] = scope->params[i].name;
}

static bool want_truth(struct pps_builder *b, const struct pps_operand *x)
{
    const char *names[2];
    if (x->kind == PPS_OPERAND_TRUTH)
        return true;
    if (x->kind == PPS_OPERAND_WORD && x->bare)
        return no_parameter(b, x);
    example(b->scope, names);
    return pps_expr_fail(b->fault, x->at, "expected a comparison here, as in %s <= %s",
                         names[1], names[0]);
}

// ---- comparisons ---------------------------------------------------------------------------

static bool is_equality(enum pps_expr_op op)
{
    return op == PPS_OP_EQUAL || op == PPS_OP_UNEQUAL;
}

static bool same_names(const char *const *a, const char *const *b)
{
    if (a == b)
        return true;
    while (*a != NULL && *b != NULL && strcmp(*a, *b) == 0) {
        a++;
        b++;
    }
    return *a == NULL && *b == NULL;
}

// Compares a word with another operand, which may or may not hold a name.
static bool compare_word(struct pps_builder *b, enum pps_expr_op op,
                         const struct pps_operand *word, const struct pps_operand *other)
{
    const struct pps_param *param = other->param >= 0 ? &b->scope->params[other->param] : NULL;
    int i;
    if (other->kind == PPS_OPERAND_TRUTH)
        return pps_expr_fail(b->fault, word->at, "write true or false, or a comparison");
    if (other->kind != PPS_OPERAND_NAMED)
        return pps_want_number(b, word);
    i = find_name(param, b->text + word->at, word->n);
    if (i < 0)
        return no_such_name(b, word, param);
    if (!is_equality(op))
        return pps_expr_fail(b->fault, word->at, "names are compared with == or != only");
    return emit_constant(b, param->kind == PPS_CHOICE ? i : pps_name_value(i), word->at);
}

// Returns true if `other` is a bare parameter that is also a name of `named`.
static bool ambiguous(const struct pps_builder *b, const struct pps_operand *named,
                      const struct pps_operand *other)
{
    const char *word = b->text + other->at;
    if (named->kind != PPS_OPERAND_NAMED || other->param < 0 || !other->bare)
        return false;
    if (find_name(&b->scope->params[named->param], word, other->n) < 0)
        return false;
    pps_expr_fail(b->fault, other->at,
                  "%.*s is a %s and a name; write '%.*s' for the name, (%.*s) for the %s",
                  shown(other->n), word, noun(b), shown(other->n), word, shown(other->n), word,
                  noun(b));
    return true;
}

static bool compare_named(struct pps_builder *b, enum pps_expr_op op,
                          const struct pps_operand *left, const struct pps_operand *right)
{
    const struct pps_param *x = &b->scope->params[left->param];
    const struct pps_param *y = &b->scope->params[right->param];
    if (x->kind == y->kind && same_names(x->names, y->names) && is_equality(op))
        return true;
    return pps_want_number(b, left) && pps_want_number(b, right);
}

static bool compare_truths(struct pps_builder *b, enum pps_expr_op op,
                           const struct pps_operand *left, const struct pps_operand *right)
{
    if (left->kind != right->kind)
        return pps_expr_fail(
            b->fault, right->at,
            "a number and a truth value (true, false, a comparison) cannot be compared");
    if (!is_equality(op))
        return pps_expr_fail(b->fault, right->at,
                             "truth values are compared with == or != only");
    return true;
}

// Refuses operands that cannot be compared; adds the node of a word.
static bool compare(struct pps_builder *b, enum pps_expr_op op, const struct pps_operand *left,
                    const struct pps_operand *right)
{
    if (left->comparison || right->comparison)
        return pps_expr_fail(b->fault, left->comparison ? right->at : left->at,
                             "comparisons are not chained; write a < b && b < c");
    if (left->kind == PPS_OPERAND_WORD)
        return compare_word(b, op, left, right);
    if (right->kind == PPS_OPERAND_WORD)
        return compare_word(b, op, right, left);
    if (is_equality(op) && (ambiguous(b, left, right) || ambiguous(b, right, left)))
        return false;
    if (left->kind == PPS_OPERAND_NAMED && right->kind == PPS_OPERAND_NAMED)
        return compare_named(b, op, left, right);
    if (left->kind == PPS_OPERAND_TRUTH || right->kind == PPS_OPERAND_TRUTH)
        return compare_truths(b, op, left, right);
    return pps_want_number(b, left) && pps_want_number(b, right);
}

// ---- joining -------------------------------------------------------------------------------

static bool is_comparison(enum pps_expr_op op)
{
    return op >= PPS_OP_LESS && op <= PPS_OP_UNEQUAL;
}

static bool is_logic(enum pps_expr_op op)
{
    return op == PPS_OP_AND || op == PPS_OP_OR || op == PPS_OP_NOT;
}

// Checks that a constant exponent is a whole number.
static bool check_exponent(struct pps_builder *b, const struct pps_operand *x)
{
    const struct pps_expr_node *last = &b->expr->nodes[b->expr->n_nodes - 1];
    if (last->op == PPS_OP_CONSTANT && last->constant != floor(last->constant))
        return pps_expr_fail(b->fault, x->at, "the exponent of a power must be a whole number");
    return true;
}

static struct pps_operand result_of(enum pps_expr_op op, size_t at)
{
    bool truth = is_logic(op) || is_comparison(op);
    return (struct pps_operand){
        truth ? PPS_OPERAND_TRUTH : PPS_OPERAND_NUMBER, at, 0, -1, 0, false, is_comparison(op)};
}

static bool check_pair(struct pps_builder *b, enum pps_expr_op op,
                       const struct pps_operand *left, const struct pps_operand *right)
{
    if (is_comparison(op))
        return compare(b, op, left, right);
    if (is_logic(op))
        return want_truth(b, left) && want_truth(b, right);
    return pps_want_number(b, left) && pps_want_number(b, right) &&
           (op != PPS_OP_POWER || check_exponent(b, right));
}

bool pps_join(struct pps_builder *b, enum pps_expr_op op, struct pps_operand *left,
              const struct pps_operand *right)
{
    if (!check_pair(b, op, left, right))
        return false;
    *left = result_of(op, left->at);
    return emit(b, (struct pps_expr_node){op, -1, 0}, 2, left->at);
}

bool pps_apply(struct pps_builder *b, enum pps_expr_op op, struct pps_operand *x)
{
    if (is_logic(op) ? !want_truth(b, x) : !pps_want_number(b, x))
        return false;
    *x = result_of(op, x->at);
    return emit(b, (struct pps_expr_node){op, -1, 0}, 1, x->at);
}
