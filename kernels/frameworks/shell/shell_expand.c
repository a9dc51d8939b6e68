// SPDX-License-Identifier: Apache-2.0
// Expands $X, $1, $(( )) and the texts of variables; marks where their bytes were brought in.
#include "base/text/grow_list.h"
#include "kernels/frameworks/shell/shell_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- marks -----------------------------------------------------------------------------------

static int32_t use_number(struct shell *sh, size_t from, int32_t inner)
{
    struct shell_script *script = sh->script;
    const struct shell_use use = {(int32_t)from, (int32_t)sh->at, inner};
    struct shell_use *grown =
        pps_grow(script->uses, &sh->cap_uses, script->n_uses + 1, sizeof use);
    if (grown == NULL) {
        shell_fail(sh, from, "out of memory for this script");
        return -1;
    }
    script->uses = grown;
    script->uses[script->n_uses] = use;
    return (int32_t)script->n_uses++;
}

// Marks the texts from number `first` on as brought here by the expansion from `from` to sh->at.
static void mark_use(struct shell *sh, struct shell_words *parts, size_t first, size_t from)
{
    int32_t inner = -2, number = -1;
    for (size_t i = first; i < parts->n; i++) {
        struct shell_text copy = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
        for (size_t b = 0; b < parts->items[i].n; b++) {
            struct shell_mark mark = parts->items[i].marks[b];
            if (mark.use != inner) {
                inner = mark.use;
                number = use_number(sh, from, inner);
            }
            mark.use = number;
            shell_text_byte(sh, &copy, parts->items[i].bytes[b], mark);
        }
        if (copy.bytes != NULL)
            parts->items[i] = copy;
    }
}

static void add_unknown(struct shell *sh, struct shell_words *parts, int32_t reason)
{
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    shell_text_unknown(sh, &text, reason);
    shell_words_add(sh, parts, &text);
}

// ---- texts of variables ----------------------------------------------------------------------

static void add_all(struct shell *sh, const struct shell_text *items, size_t n,
                    struct shell_words *parts)
{
    for (size_t i = 0; i < n; i++)
        shell_words_add(sh, parts, &items[i]);
}

// $1, $@, $* and ${#...} of them inside a function.
static void parameters_of(struct shell *sh, const char *name, struct shell_words *parts)
{
    const struct shell_words *all = sh->parameters;
    const size_t i = (size_t)(name[0] - '0');
    if (name[0] == '@' || name[0] == '*')
        add_all(sh, all->items, all->n, parts);
    else if (i >= 1 && i <= all->n)
        shell_words_add(sh, parts, &all->items[i - 1]);
}

void shell_texts_of(struct shell *sh, size_t at, const char *name, size_t n, char all,
                    struct shell_words *parts)
{
    const struct shell_value *value = shell_find(sh, name, n);
    const bool parameter = n == 1 && strchr("123456789@*", *name) != NULL;
    if (parameter && sh->parameters != NULL)
        parameters_of(sh, name, parts);
    else if (value == NULL)
        add_unknown(sh, parts, shell_absent(sh, at, name, n));
    else
        add_all(sh, value->items, all != '\0' || value->n == 0 ? value->n : 1, parts);
}

// ---- numbers and commands --------------------------------------------------------------------

static void add_number(struct shell *sh, struct shell_words *parts, int64_t value)
{
    char digits[32];
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    snprintf(digits, sizeof digits, "%" PRId64, value);
    for (const char *c = digits; *c != '\0'; c++)
        shell_text_byte(sh, &text, *c, SHELL_COMPUTED);
    shell_words_add(sh, parts, &text);
}

// Evaluates the text from sh->at to `end`.
static void number(struct shell *sh, size_t end, struct shell_words *parts)
{
    const size_t at = sh->at;
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    int64_t value;
    int32_t reason;
    shell_quoted(sh, end, &text);
    if (shell_arithmetic(sh, &text, at, &value, &reason))
        add_number(sh, parts, value);
    else
        add_unknown(sh, parts, reason);
}

// $( ... ) or $(( ... )); sh->at is at the first parenthesis.
static void substitution(struct shell *sh, size_t from, struct shell_words *parts)
{
    sh->at++;
    const size_t end = shell_closing(sh, '(', ')');
    if (end == 0)
        return;
    if (sh->text[sh->at] == '(' && sh->text[end - 1] == ')' && end - 1 > sh->at) {
        sh->at++;
        number(sh, end - 1, parts);
    } else {
        add_unknown(
            sh, parts,
            shell_reason(sh, from, "comes from $(...), which only a shell can evaluate"));
    }
    sh->at = end + 1;
}

static void backquotes(struct shell *sh, size_t from, struct shell_words *parts)
{
    sh->at++;
    while (sh->text[sh->at] != '`' && sh->text[sh->at] != '\0')
        sh->at += sh->text[sh->at] == '\\' && sh->text[sh->at + 1] != '\0' ? 2 : 1;
    if (sh->text[sh->at] == '\0')
        shell_fail(sh, from, "this quote does not end");
    else
        sh->at++;
    add_unknown(sh, parts,
                shell_reason(sh, from, "comes from `...`, which only a shell can evaluate"));
}

// ---- expansions ------------------------------------------------------------------------------

static void named(struct shell *sh, size_t from, size_t n, struct shell_words *parts)
{
    const char *name = sh->text + sh->at;
    sh->at += n;
    if (*name == '#' && sh->parameters != NULL)
        add_number(sh, parts, (int64_t)sh->parameters->n);
    else
        shell_texts_of(sh, from, name, n, '\0', parts);
}

void shell_expansion(struct shell *sh, bool quoted, struct shell_words *parts)
{
    const size_t from = sh->at, first = parts->n;
    const char next = sh->text[from + 1];
    const size_t n = shell_name(sh, from + 1);
    if (sh->text[from] == '`') {
        backquotes(sh, from, parts);
    } else if (next == '{') {
        shell_braces(sh, quoted, parts);
    } else if (next == '(') {
        sh->at++;
        substitution(sh, from, parts);
    } else if (next == '[') {
        sh->at += 2;
        const size_t end = shell_closing(sh, '[', ']');
        if (end > 0)
            number(sh, end, parts);
        sh->at = end > 0 ? end + 1 : sh->at;
    } else if (n > 0 || (next != '\0' && strchr("0123456789@*#?$!-", next) != NULL)) {
        sh->at++;
        named(sh, from, n > 0 ? n : 1, parts);
    }
    mark_use(sh, parts, first, from);
}
