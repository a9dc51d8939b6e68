// SPDX-License-Identifier: Apache-2.0
// Evaluates whole-number expressions: + - * / % comparisons && || ! ?: ( ) numbers and variables.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

struct sum {
    struct shell *sh;
    const char *c; // ends with NUL
    size_t at;     // of the expression in the script
    int depth;
    int32_t reason; // why there is no value; -1: there is one
};

static int64_t choice(struct sum *s);

static int64_t give_up(struct sum *s)
{
    if (s->reason < 0)
        s->reason =
            shell_reason(s->sh, s->at, "comes from arithmetic that cannot be evaluated here");
    return 0;
}

static void blanks(struct sum *s)
{
    s->c += strspn(s->c, " \t\r\n");
}

static bool take(struct sum *s, const char *word)
{
    blanks(s);
    if (strncmp(s->c, word, strlen(word)) != 0)
        return false;
    s->c += strlen(word);
    return true;
}

// Takes a sign of one byte that is not the start of a longer sign.
static bool take_sign(struct sum *s, char sign, const char *longer)
{
    blanks(s);
    if (*s->c != sign || (s->c[1] != '\0' && strchr(longer, s->c[1]) != NULL))
        return false;
    s->c++;
    return true;
}

// The value of a variable is an expression again.
static int64_t variable(struct sum *s)
{
    size_t n = 0;
    int64_t x = 0;
    while (shell_is_name(s->c[n], n == 0))
        n++;
    const struct shell_value *value = shell_find(s->sh, s->c, n);
    if (value == NULL) {
        s->reason = shell_absent(s->sh, s->at, s->c, n);
        return 0;
    }
    s->c += n;
    if (value->n == 0 || s->depth >= SHELL_DEEPEST || !shell_step(s->sh))
        return give_up(s);
    s->sh->depth++;
    if (s->sh->depth > SHELL_DEEPEST)
        give_up(s);
    else
        shell_arithmetic(s->sh, &value->items[0], s->at, &x, &s->reason);
    s->sh->depth--;
    return x;
}

static int64_t literal(struct sum *s)
{
    int64_t x = 0;
    if (s->c[0] == '0' && s->c[1] >= '0' && s->c[1] <= '9')
        return give_up(s); // octal
    for (; *s->c >= '0' && *s->c <= '9'; s->c++)
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, *s->c - '0', &x))
            return give_up(s);
    return shell_is_name(*s->c, true) || *s->c == '#' ? give_up(s) : x;
}

static int64_t primary(struct sum *s)
{
    int64_t x;
    blanks(s);
    if (++s->depth > SHELL_DEEPEST || s->reason >= 0) {
        x = give_up(s);
    } else if (take(s, "(")) {
        x = choice(s);
        if (!take(s, ")"))
            give_up(s);
    } else if (take_sign(s, '-', "-=")) {
        x = primary(s);
        if (__builtin_sub_overflow((int64_t)0, x, &x))
            give_up(s);
    } else if (take_sign(s, '+', "+=")) {
        x = primary(s);
    } else if (take_sign(s, '!', "=")) {
        x = !primary(s);
    } else if (*s->c >= '0' && *s->c <= '9') {
        x = literal(s);
    } else {
        x = shell_is_name(*s->c, true) ? variable(s) : give_up(s);
    }
    s->depth--;
    return x;
}

static int64_t power(struct sum *s)
{
    int64_t x = primary(s), result = 1;
    if (s->reason >= 0 || !take(s, "**"))
        return x;
    const int64_t exponent = primary(s);
    if (exponent < 0 || exponent > 62)
        return give_up(s);
    for (int64_t i = 0; i < exponent; i++)
        if (__builtin_mul_overflow(result, x, &result))
            return give_up(s);
    return result;
}

static int64_t product(struct sum *s)
{
    int64_t x = power(s), y;
    while (s->reason < 0) {
        if (take_sign(s, '*', "=")) {
            y = power(s);
            if (__builtin_mul_overflow(x, y, &x))
                give_up(s);
            continue;
        }
        const bool divide = take_sign(s, '/', "=");
        if (!divide && !take_sign(s, '%', "="))
            break;
        y = power(s);
        if (y == 0 || (y == -1 && x == INT64_MIN))
            return give_up(s);
        x = divide ? x / y : x % y;
    }
    return x;
}

static int64_t total(struct sum *s)
{
    int64_t x = product(s);
    while (s->reason < 0) {
        const bool add = take_sign(s, '+', "+=");
        if (!add && !take_sign(s, '-', "-="))
            break;
        const int64_t y = product(s);
        if (add ? __builtin_add_overflow(x, y, &x) : __builtin_sub_overflow(x, y, &x))
            give_up(s);
    }
    return x;
}

static int64_t comparison(struct sum *s)
{
    int64_t x = total(s);
    for (;;) {
        if (s->reason >= 0)
            return 0;
        if (take(s, "<="))
            x = x <= total(s);
        else if (take(s, ">="))
            x = x >= total(s);
        else if (take_sign(s, '<', "<="))
            x = x < total(s);
        else if (take_sign(s, '>', ">="))
            x = x > total(s);
        else if (take(s, "=="))
            x = x == total(s);
        else if (take(s, "!="))
            x = x != total(s);
        else
            return x;
    }
}

static int64_t logic(struct sum *s)
{
    int64_t x = comparison(s), y;
    while (s->reason < 0) {
        if (take(s, "&&")) {
            y = comparison(s);
            x = x != 0 && y != 0;
        } else if (take(s, "||")) {
            y = comparison(s);
            x = x != 0 || y != 0;
        } else {
            break;
        }
    }
    return x;
}

static int64_t choice(struct sum *s)
{
    const int64_t x = logic(s);
    if (s->reason >= 0 || !take(s, "?"))
        return x;
    if (++s->depth > SHELL_DEEPEST)
        return give_up(s);
    const int64_t yes = choice(s);
    if (!take(s, ":"))
        give_up(s);
    const int64_t no = choice(s);
    s->depth--;
    return x != 0 ? yes : no;
}

bool shell_arithmetic(struct shell *sh, const struct shell_text *text, size_t at,
                      int64_t *value, int32_t *reason)
{
    struct sum s = {.sh = sh, .c = text->n > 0 ? text->bytes : "0", .at = at};
    s.reason = shell_unresolved(text);
    if (s.reason < 0)
        s.reason = shell_uncertain(text);
    *value = s.reason < 0 ? choice(&s) : 0;
    blanks(&s);
    if (s.reason < 0 && *s.c != '\0')
        give_up(&s);
    *reason = s.reason;
    return s.reason < 0 && !sh->failed;
}
