// SPDX-License-Identifier: Apache-2.0
// Parses, checks and formats values of a parameter.
#include "engine/space/value.h"

#include "base/text/decimal.h"
#include "base/text/decimal_read.h"
#include "base/text/nearest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const boolean_names[] = {"false", "true", NULL};
// Other words of booleans, as options of planners take them. Results write false and true.
static const struct pps_alias boolean_aliases[] = {{.name = "off", .value = 0},
                                                   {.name = "on", .value = 1},
                                                   {.name = "no", .value = 0},
                                                   {.name = "yes", .value = 1},
                                                   {.name = NULL}};

static const char *const *names_of(const struct pps_param *param)
{
    return param->kind == PPS_BOOLEAN ? boolean_names : param->names;
}

static int count_names(const char *const *names)
{
    int n = 0;
    while (names != NULL && names[n] != NULL)
        n++;
    return n;
}

static int find_name(const char *const *names, const char *text, size_t n)
{
    for (int i = 0; names != NULL && names[i] != NULL; i++)
        if (strncmp(names[i], text, n) == 0 && names[i][n] == '\0')
            return i;
    return -1;
}

static bool takes_numbers(const struct pps_param *param)
{
    return param->kind == PPS_INTEGER || param->kind == PPS_REAL;
}

// ---- accepted values ------------------------------------------------------------------------

#define MORE ", ..." // names for which there is no room

// Writes "from 1", with all digits of a whole number.
static void describe_limit(const struct pps_param *param, const char *word, double value,
                           char out[40])
{
    if (param->kind == PPS_INTEGER && fabs(value) >= 1e15 && fabs(value) < 0x1p53)
        snprintf(out, 40, "%s %.0f", word, value);
    else
        snprintf(out, 40, "%s %.15g", word, value);
}

static void describe_limits(const struct pps_param *param, char *out, size_t cap)
{
    char low[40] = "", high[40] = "";
    if (isfinite(param->min))
        describe_limit(param, param->min_open ? "above" : "from", param->min, low);
    if (isfinite(param->max))
        describe_limit(param, param->max_open ? "below" : "to", param->max, high);
    const char *noun = param->kind == PPS_INTEGER ? "a whole number" : "a number";
    snprintf(out, cap, "%s%s%s%s%s", noun, low[0] ? " " : "", low,
             high[0] && low[0] && param->min_open ? " and" : "", high[0] ? " " : "");
    const size_t at = strlen(out);
    snprintf(out + at, cap - at, "%s%s", high,
             isfinite(param->min) && !isfinite(param->max) && !param->min_open ? " up" : "");
}

void pps_value_domain(const struct pps_param *param, char *out, size_t cap)
{
    const char *const *names = names_of(param);
    const int n = count_names(names);
    size_t at = 0;
    out[0] = '\0';
    if (takes_numbers(param)) {
        describe_limits(param, out, cap);
        at = strlen(out);
        if (n == 1)
            snprintf(out + at, cap - at, ", or %s", names[0]);
        else if (n > 1)
            snprintf(out + at, cap - at, ", or a letter %s ... %s", names[0], names[n - 1]);
        return;
    }
    for (int i = 0; i < n; i++) {
        const char *joint = i == 0 ? "" : i == n - 1 ? " or " : ", ";
        if (at + strlen(joint) + strlen(names[i]) + sizeof MORE > cap) {
            snprintf(out + at, cap - at, MORE);
            break;
        }
        at += (size_t)snprintf(out + at, cap - at, "%s%s", joint, names[i]);
    }
}

static bool refuse(const struct pps_param *param, char why[PPS_WHY], const char *got)
{
    char domain[PPS_DOMAIN];
    pps_value_domain(param, domain, sizeof domain);
    snprintf(why, PPS_WHY, "expected %s (got %.60s)", domain, got);
    return false;
}

// Like refuse(), for a number that is out of range only after rounding to 15 digits.
static bool refuse_rounded(const struct pps_param *param, char why[PPS_WHY], double number)
{
    char got[64];
    snprintf(got, sizeof got, "%.17g, rounded to %.15g", number, number);
    return refuse(param, why, got);
}

// ---- checking ---------------------------------------------------------------------------------

static bool in_range(const struct pps_param *param, double value)
{
    if (!isfinite(value) || value < param->min || value > param->max)
        return false;
    if ((param->min_open && value <= param->min) || (param->max_open && value >= param->max))
        return false;
    return param->kind == PPS_REAL ||
           (value == floor(value) && fabs(value) < 9007199254740992.0);
}

static bool is_name(const struct pps_param *param, double value)
{
    if (takes_numbers(param) && value > -1)
        return false;
    const int n = count_names(names_of(param));
    if (takes_numbers(param))
        return n > 0 && value <= -1 && value >= -n && value == floor(value);
    return value >= 0 && value < n && value == floor(value);
}

// Returns whether the number is in range both as given and as rows show it: 15 digits may round
// it up to an excluded limit, and the largest doubles to infinity.
static bool within(const struct pps_param *param, double value)
{
    struct pps_axis_cell cell;
    const double most = 1e-14 * fabs(value); // more than rounding changes it
    if (!in_range(param, value) || param->kind == PPS_INTEGER)
        return in_range(param, value);
    return (in_range(param, value - most) && in_range(param, value + most)) ||
           in_range(param, pps_value_cell(param, value, &cell));
}

bool pps_value_check(const struct pps_param *param, double number, char why[PPS_WHY])
{
    char got[40];
    if (takes_numbers(param) && within(param, number))
        return true;
    if (takes_numbers(param) && in_range(param, number))
        return refuse_rounded(param, why, number);
    snprintf(got, sizeof got, "%.15g", number);
    return refuse(param, why, got);
}

static bool refuse_text(const struct pps_param *param, const char *text, size_t n,
                        char why[PPS_WHY])
{
    char word[40], got[48];
    // Together with its quotes the word is not longer than the words of refuse().
    snprintf(word, sizeof word, "%.*s%s", (int)(n < 38 ? n : 35), text, n < 38 ? "" : "...");
    for (char *c = word; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    snprintf(got, sizeof got, "\"%s\"", word);
    refuse(param, why, n == 0 ? "nothing" : got);
    const char *const *names = names_of(param);
    const char *near = NULL;
    if (!takes_numbers(param))
        near = pps_suggest(word, names, (size_t)count_names(names));
    const size_t at = strlen(why);
    if (near != NULL)
        snprintf(why + at, PPS_WHY - at, "; did you mean %s?", near);
    return false;
}

static const struct pps_alias *find_alias(const struct pps_param *param, const char *text,
                                          size_t n)
{
    const struct pps_alias *alias =
        param->aliases == NULL && param->kind == PPS_BOOLEAN ? boolean_aliases : param->aliases;
    for (; alias != NULL && alias->name != NULL; alias++)
        if (strncmp(alias->name, text, n) == 0 && alias->name[n] == '\0')
            return alias;
    return NULL;
}

bool pps_value_parse(const struct pps_param *param, const char *text, size_t n, double *value,
                     char why[PPS_WHY])
{
    double number;
    if (!takes_numbers(param) || !pps_decimal_read(text, n, &number)) {
        const int name = find_name(names_of(param), text, n);
        const struct pps_alias *alias = name < 0 ? find_alias(param, text, n) : NULL;
        if (alias != NULL) {
            *value = alias->value;
            snprintf(why, PPS_WHY, "%s", alias->reason != NULL ? alias->reason : "");
            return alias->reason == NULL;
        }
        if (name < 0)
            return refuse_text(param, text, n, why);
        *value = takes_numbers(param) ? pps_name_value(name) : name;
        return true;
    }
    if (!in_range(param, number)) {
        char got[48];
        snprintf(got, sizeof got, "%.*s", (int)n, text);
        return refuse(param, why, got);
    }
    *value = number;
    return within(param, number) || refuse_rounded(param, why, number);
}

// ---- writing ----------------------------------------------------------------------------------

size_t pps_value_text(const struct pps_param *param, double value, char out[PPS_CELL_TEXT])
{
    size_t n;
    if (is_name(param, value)) {
        const int i = (int)(takes_numbers(param) ? -1 - value : value);
        n = strlen(names_of(param)[i]);
        memcpy(out, names_of(param)[i], n);
    } else if (param->kind == PPS_INTEGER) {
        n = pps_decimal_integer(out, value);
    } else {
        n = pps_decimal_meant(out, value, 1);
    }
    out[n] = '\0';
    return n;
}

double pps_value_cell(const struct pps_param *param, double value, struct pps_axis_cell *cell)
{
    const size_t n = pps_value_text(param, value, cell->text);
    double meant = value;
    if (param->kind == PPS_REAL && !is_name(param, value))
        (void)pps_decimal_read(cell->text, n, &meant);
    cell->text[n] = ',';
    cell->n = (uint8_t)(n + 1);
    return meant;
}

const struct pps_kernel *pps_kernels_find(const struct pps_kernel *const *kernels,
                                          const char *name)
{
    while (*kernels != NULL && strcmp((*kernels)->name, name) != 0)
        kernels++;
    return *kernels;
}

int pps_param_find(const struct pps_kernel *kernel, const char *name, size_t n)
{
    for (int p = 0; p < kernel->n_params; p++)
        if (strlen(kernel->params[p].name) == n && memcmp(kernel->params[p].name, name, n) == 0)
            return p;
    return -1;
}

int pps_seed_param(const struct pps_kernel *kernel)
{
    for (int p = 0; p < kernel->n_params; p++)
        if (strcmp(kernel->params[p].name, "seed") == 0)
            return p;
    return -1;
}

int pps_column_find(const struct pps_kernel *kernel, const char *name, size_t n)
{
    for (int c = 0; c < kernel->n_columns; c++)
        if (strlen(kernel->columns[c].name) == n &&
            memcmp(kernel->columns[c].name, name, n) == 0)
            return c;
    return -1;
}

int pps_column_ranks(const struct pps_kernel *kernel, const bool *shown)
{
    const int c = kernel->ranks != NULL
                      ? pps_column_find(kernel, kernel->ranks, strlen(kernel->ranks))
                      : -1;
    return c >= 0 && shown[c] ? c : 0;
}
