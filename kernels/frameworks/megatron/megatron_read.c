// SPDX-License-Identifier: Apache-2.0
// The values of arguments of Megatron-LM, and what is said about them.
#include "base/text/number.h"
#include "kernels/frameworks/megatron/megatron_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- values ----------------------------------------------------------------------------------

bool megatron_fail(const struct megatron *m, enum megatron_key key, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return framework_fail(m->r, megatron_at(m, key), "--%s: %s", megatron_arguments[key].name,
                          text);
}

void megatron_cannot_run(const struct megatron *m, enum megatron_key key, const char *format,
                         ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    framework_cannot_run(m->r, megatron_at(m, key), "--%s: %s", megatron_arguments[key].name,
                         text);
}

bool megatron_not_modelled(const struct megatron *m, enum megatron_key key)
{
    char name[160];
    const struct megatron_value *value = &m->values[key];
    snprintf(name, sizeof name, "--%s%s%s", megatron_arguments[key].name,
             value->text != NULL ? " " : "", value->text != NULL ? value->text : "");
    return framework_not_modelled(m->r, name, value->at);
}

bool megatron_is(const struct megatron *m, enum megatron_key key, const char *a, const char *b)
{
    const char *text = m->values[key].given ? m->values[key].text : NULL;
    return text != NULL &&
           (strcasecmp(text, a) == 0 || (b != NULL && strcasecmp(text, b) == 0));
}

static bool take_number(struct megatron *m, enum megatron_key key, const char *text, size_t n)
{
    char quoted[48];
    double number;
    struct megatron_value *value = &m->values[key];
    const int64_t least = megatron_arguments[key].least;
    if (text[0] == '$') // YAML: a variable of the environment
        return megatron_fail(m, key,
                             "the value is %s, which this file does not set; set the value in "
                             "the file",
                             number_text_quote(quoted, sizeof quoted, text, n));
    if (!number_text_read(text, n, &number) || floor(number) < number ||
        number < (double)least || number > 2147483647)
        return megatron_fail(m, key, "expected a whole number%s, not \"%s\"",
                             least > 0 ? " above 0" : "",
                             number_text_quote(quoted, sizeof quoted, text, n));
    value->number = (int64_t)number;
    return true;
}

bool megatron_take(struct megatron *m, enum megatron_key key, const char *name,
                   const char *text, size_t n, size_t at)
{
    m->values[key] =
        (struct megatron_value){.given = true, .text = text, .name = name, .at = at};
    return megatron_arguments[key].kind != MG_NUMBER || take_number(m, key, text, n);
}

// ---- whole configurations --------------------------------------------------------------------

bool megatron_read_values(struct megatron *m)
{
    m->split = NULL;
    const bool ok = megatron_read_degrees(m) && megatron_read_split(m) &&
                    megatron_read_model(m) && megatron_read_training(m);
    free(m->split);
    megatron_forget_unused(m);
    return ok;
}
