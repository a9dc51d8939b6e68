// SPDX-License-Identifier: Apache-2.0
// Evaluates the conditions of [ ], test, [[ ]] and (( )), as far as the words are known.
#include "base/text/characters.h"
#include "base/text/number.h"
#include "kernels/frameworks/shell/shell_private.h"

#include <fnmatch.h>
#include <string.h>

struct test {
    const struct shell_text *words;
    size_t n, i;
    int depth;
};

static enum shell_status either(struct test *t);

static const char *word(const struct test *t, size_t ahead)
{
    return t->i + ahead < t->n ? t->words[t->i + ahead].bytes : "";
}

static bool is_known(const struct shell_text *text)
{
    return shell_unresolved(text) < 0 && shell_uncertain(text) < 0;
}

static enum shell_status status_of(bool yes)
{
    return yes ? SHELL_TRUE : SHELL_FALSE;
}

static enum shell_status inverse(enum shell_status status)
{
    return status == SHELL_UNKNOWN ? SHELL_UNKNOWN : status_of(status == SHELL_FALSE);
}

// ---- one comparison --------------------------------------------------------------------------

static enum shell_status compare_numbers(const char *op, double x, double y)
{
    static const char *const names[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    const bool results[] = {x >= y && x <= y, x < y || x > y, x<y, x <= y, x> y, x >= y};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(op, names[i]) == 0)
            return status_of(results[i]);
    return SHELL_UNKNOWN;
}

static enum shell_status compare(const struct shell_text *a, const char *op,
                                 const struct shell_text *b)
{
    double x, y;
    if (!is_known(a) || !is_known(b))
        return SHELL_UNKNOWN;
    if (strcmp(op, "=") == 0 || strcmp(op, "==") == 0)
        return status_of(fnmatch(b->bytes, a->bytes, 0) == 0);
    if (strcmp(op, "!=") == 0)
        return status_of(fnmatch(b->bytes, a->bytes, 0) != 0);
    if (op[0] == '-' && number_text_read(a->bytes, a->n, &x) &&
        number_text_read(b->bytes, b->n, &y))
        return compare_numbers(op, x, y);
    return SHELL_UNKNOWN;
}

static bool is_binary(const char *op)
{
    return pps_has_word("= == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef", op);
}

static enum shell_status unary(const char *op, const struct shell_text *text)
{
    if (!is_known(text) || (op[1] != 'z' && op[1] != 'n'))
        return SHELL_UNKNOWN;
    return status_of((text->n == 0) == (op[1] == 'z'));
}

static enum shell_status primary(struct test *t)
{
    enum shell_status status;
    const size_t left = t->n - t->i;
    if (left == 0 || ++t->depth > SHELL_DEEPEST)
        return SHELL_UNKNOWN;
    if (left >= 3 && is_binary(word(t, 1))) {
        status = compare(&t->words[t->i], word(t, 1), &t->words[t->i + 2]);
        t->i += 3;
    } else if (strcmp(word(t, 0), "!") == 0 && left >= 2) {
        t->i++;
        status = inverse(primary(t));
    } else if (strcmp(word(t, 0), "(") == 0) {
        t->i++;
        status = either(t);
        t->i += t->i < t->n;
    } else if (left >= 2 && word(t, 0)[0] == '-' && strlen(word(t, 0)) == 2) {
        status = unary(word(t, 0), &t->words[t->i + 1]);
        t->i += 2;
    } else {
        status = unary("-n", &t->words[t->i++]);
    }
    t->depth--;
    return status;
}

// ---- several comparisons ---------------------------------------------------------------------

static bool take(struct test *t, const char *a, const char *b)
{
    if (t->i >= t->n || (strcmp(word(t, 0), a) != 0 && strcmp(word(t, 0), b) != 0))
        return false;
    t->i++;
    return true;
}

static enum shell_status both(struct test *t)
{
    enum shell_status x = primary(t);
    while (take(t, "&&", "-a")) {
        const enum shell_status y = primary(t);
        if (x == SHELL_FALSE || y == SHELL_FALSE)
            x = SHELL_FALSE;
        else if (y == SHELL_UNKNOWN)
            x = SHELL_UNKNOWN;
    }
    return x;
}

static enum shell_status either(struct test *t)
{
    enum shell_status x = both(t);
    while (take(t, "||", "-o")) {
        const enum shell_status y = both(t);
        if (x == SHELL_TRUE || y == SHELL_TRUE)
            x = SHELL_TRUE;
        else if (y == SHELL_UNKNOWN)
            x = SHELL_UNKNOWN;
    }
    return x;
}

enum shell_status shell_test(const struct shell_text *words, size_t n)
{
    struct test t = {.words = words, .n = n};
    const enum shell_status status = either(&t);
    return t.i == n ? status : SHELL_UNKNOWN;
}

// ---- conditions in brackets -------------------------------------------------------------------

static const struct shell_text no_text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};

enum shell_status shell_double_brackets(struct shell *sh, size_t from)
{
    struct shell_words words = {.items = NULL};
    for (shell_gap(sh); !shell_next_is(sh, "]]"); shell_gap(sh)) {
        if (sh->text[sh->at] == '\0')
            shell_fail(sh, from, "this [[ does not end");
        if (sh->failed)
            return SHELL_UNKNOWN;
        const char c = sh->text[sh->at];
        if (strchr("();&|<>", c) == NULL) {
            shell_word(sh, &words);
            continue;
        }
        struct shell_text sign = no_text;
        const int n = (c == '&' || c == '|') && sh->text[sh->at + 1] == c ? 2 : 1;
        for (int i = 0; i < n; i++, sh->at++)
            shell_text_byte(sh, &sign, c, SHELL_COMPUTED);
        shell_words_add(sh, &words, &sign);
    }
    shell_take(sh, "]]");
    return shell_test(words.items, words.n);
}

// Returns whether an expression changes the variable with which it begins.
static bool changes(const char *text, size_t name, size_t n)
{
    size_t i = name;
    while (i < n && (text[i] == ' ' || text[i] == '\t'))
        i++;
    if (i + 1 >= n)
        return false;
    if ((text[i] == '+' || text[i] == '-') && (text[i + 1] == text[i] || text[i + 1] == '='))
        return true;
    return (text[i] == '=' && text[i + 1] != '=') ||
           (strchr("*/%", text[i]) != NULL && text[i + 1] == '=');
}

enum shell_status shell_double_parentheses(struct shell *sh, size_t from)
{
    struct shell_text text = no_text;
    int64_t value;
    int32_t reason;
    sh->at++;
    const size_t end = shell_closing(sh, '(', ')');
    if (end == 0)
        return SHELL_UNKNOWN;
    sh->at += 1 + strspn(sh->text + sh->at + 1, " \t");
    const size_t at = sh->at, name = shell_name(sh, at);
    const size_t n = end > at ? end - 1 - at : 0;
    enum shell_status status = SHELL_UNKNOWN;
    if (name > 0 && changes(sh->text + at, name, n)) {
        if (shell_lives(sh))
            shell_assign(
                sh, sh->text + at, name,
                shell_unknown(
                    sh, shell_reason(sh, from,
                                     "comes from ((...)), which only a shell can evaluate")));
    } else {
        shell_quoted(sh, at + n, &text);
        if (shell_arithmetic(sh, &text, at, &value, &reason))
            status = value != 0 ? SHELL_TRUE : SHELL_FALSE;
    }
    sh->at = end + 1;
    return status;
}
