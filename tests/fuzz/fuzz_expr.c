// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any text as an expression, evaluated at a few points. Results are finite or NAN,
// truth values are 0 or 1, and errors have a place within the text.
#include "engine/expression/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_PARAMS = 5 };

static const char *const schedules[] = {"gpipe", "1f1b", "zero-bubble", NULL};
static const char *const tiers[] = {"a", "b", "n", NULL};
static const struct pps_param params[N_PARAMS] = {
    {.name = "n", .kind = PPS_INTEGER},
    {.name = "fwd_len", .kind = PPS_REAL},
    {.name = "schedule", .kind = PPS_CHOICE, .names = schedules},
    {.name = "overlap", .kind = PPS_BOOLEAN},
    {.name = "prio", .kind = PPS_REAL, .names = tiers},
};
static const double points[][N_PARAMS] = {
    {8, 0.5, 1, 1, 3},
    {1e6, 1e-300, 2, 0, -1},
    {9007199254740991, 1.7976931348623157e308, 0, 1, -3},
    {0, 0, 0, 0, 0},
};

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_list(const struct pps_expr *expr, const double *point)
{
    struct pps_expr_list list;
    pps_expr_list(expr, point, &list);
    require(list.n < (uint64_t)1 << 53);
    for (uint64_t i = 0; i < list.n && i < 3; i++) {
        require(isfinite(pps_expr_item(&list, i)));
        require(isfinite(pps_expr_item(&list, list.n - 1 - i)));
    }
}

static void check_value(const struct pps_expr *expr, const double *point)
{
    double value = pps_expr_value(expr, point);
    switch (pps_expr_shape(expr)) {
    case PPS_EXPR_TRUTH:
        require(value == 0 || value == 1);
        break;
    case PPS_EXPR_NUMBER:
        require(!isinf(value));
        break;
    case PPS_EXPR_RANGE:
    case PPS_EXPR_DIVISORS:
        require(isnan(value));
        break;
    }
}

static void check_fault(const struct pps_expr_fault *fault, size_t n)
{
    require(fault->byte <= n && fault->text[0] != '\0');
    for (const char *c = fault->text; *c != '\0'; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pps_expr_scope scope = {params, N_PARAMS, NULL};
    struct pps_expr_fault fault;
    struct pps_expr *expr;
    char *text = malloc(size + 1);
    require(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    expr = pps_expr_parse(text, &scope, &fault);
    if (expr == NULL)
        check_fault(&fault, strlen(text));
    free(text);
    for (size_t i = 0; expr != NULL && i < sizeof points / sizeof points[0]; i++) {
        require(pps_expr_uses(expr) < 1u << N_PARAMS);
        check_value(expr, points[i]);
        check_list(expr, points[i]);
    }
    pps_expr_free(expr);
    return 0;
}
