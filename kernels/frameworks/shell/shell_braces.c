// SPDX-License-Identifier: Apache-2.0
// Expands ${X}, ${X[@]}, ${#X} and the defaults ${X:-text}, ${X:=text}, ${X:+text}, ${X:?text}.
#include "kernels/frameworks/shell/shell_private.h"

#include <stdio.h>
#include <string.h>

struct braces {
    size_t from;
    const char *name;
    size_t n_name;
    bool length;
    char all;       // '@' or '*' between brackets
    bool has_index; // ${X[i]}
    int64_t index;
    int32_t reason; // why the index is unresolved
};

static void one_text(struct shell *sh, struct shell_words *parts, const struct shell_text *text)
{
    parts->n = 0;
    shell_words_add(sh, parts, text);
}

static void one_unknown(struct shell *sh, struct shell_words *parts, int32_t reason)
{
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    shell_text_unknown(sh, &text, reason);
    one_text(sh, parts, &text);
}

// ---- the name and its index ------------------------------------------------------------------

static bool read_name(struct shell *sh, struct braces *b)
{
    b->length = sh->text[sh->at] == '#' && sh->text[sh->at + 1] != '}';
    sh->at += b->length;
    b->name = sh->text + sh->at;
    b->n_name = shell_name(sh, sh->at);
    if (b->n_name == 0)
        b->n_name = strspn(b->name, "0123456789");
    if (b->n_name == 0 && *b->name != '\0' && strchr("@*#?$!-", *b->name) != NULL)
        b->n_name = 1;
    sh->at += b->n_name;
    return b->n_name > 0;
}

static void read_index(struct shell *sh, struct braces *b)
{
    if (sh->text[sh->at] != '[')
        return;
    const size_t at = ++sh->at, end = shell_closing(sh, '[', ']');
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    if (end == 0)
        return;
    if (end == sh->at + 1 && (sh->text[sh->at] == '@' || sh->text[sh->at] == '*')) {
        b->all = sh->text[sh->at];
    } else {
        b->has_index = true;
        shell_quoted(sh, end, &text);
        b->reason = -1;
        if (!shell_arithmetic(sh, &text, at, &b->index, &b->reason))
            b->index = 0;
    }
    sh->at = end + 1;
}

static void indexed(struct shell *sh, const struct braces *b, struct shell_words *parts)
{
    const struct shell_value *value = shell_find(sh, b->name, b->n_name);
    if (b->reason >= 0)
        one_unknown(sh, parts, b->reason);
    else if (value == NULL)
        one_unknown(sh, parts, shell_absent(sh, b->from, b->name, b->n_name));
    else if ((uint64_t)b->index < value->n)
        one_text(sh, parts, &value->items[b->index]);
    else if (b->index < 0 && -(uint64_t)b->index <= value->n)
        one_text(sh, parts, &value->items[value->n - -(uint64_t)b->index]);
}

static void read_texts(struct shell *sh, const struct braces *b, struct shell_words *parts)
{
    if (b->has_index)
        indexed(sh, b, parts);
    else
        shell_texts_of(sh, b->from, b->name, b->n_name, b->all, parts);
}

// ---- operators -------------------------------------------------------------------------------

static bool is_absent(const struct shell *sh, const struct shell_words *parts)
{
    if (parts->n == 0)
        return true;
    if (parts->n > 1 || parts->items[0].n != 1 || parts->items[0].marks[0].reason < 0)
        return false;
    return sh->script->reasons[parts->items[0].marks[0].reason].absent;
}

static bool is_unknown(const struct shell_words *parts)
{
    return parts->n == 1 && shell_unresolved(&parts->items[0]) >= 0;
}

static void skip_rest(struct shell *sh, const struct braces *b, struct shell_words *parts)
{
    const size_t end = shell_closing(sh, '{', '}');
    const int n = (int)(b->n_name < 40 ? b->n_name : 40);
    one_unknown(sh, parts,
                shell_reason(sh, b->from,
                             "comes from ${%.*s%c...}, which only a shell can evaluate", n,
                             b->name, sh->text[sh->at] < ' ' ? ' ' : sh->text[sh->at]));
    if (end > 0)
        sh->at = end + 1;
}

// sh->at is behind one of - = + ?.
static void apply(struct shell *sh, const struct braces *b, char op, bool colon,
                  struct shell_words *parts)
{
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    const bool empty = colon && parts->n == 1 && parts->items[0].n == 0;
    const bool missing = is_absent(sh, parts) || empty;
    const bool unknown = is_unknown(parts) && !missing;
    shell_text_until(sh, '}', &text);
    if (unknown || op == '?')
        return;
    if (op == '+' ? missing : !missing) {
        if (op == '+')
            one_text(sh, parts,
                     &(struct shell_text){.from = SHELL_NOWHERE, .to = SHELL_NOWHERE});
        return;
    }
    one_text(sh, parts, &text);
    if (op == '=' && shell_lives(sh) && shell_is_name(*b->name, true))
        shell_assign(sh, b->name, b->n_name, shell_scalar(sh, &text));
}

static void length_of(struct shell *sh, const struct braces *b, struct shell_words *parts)
{
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    const size_t n = b->all != '\0' ? parts->n : parts->n > 0 ? parts->items[0].n : 0;
    char digits[32];
    if (is_unknown(parts))
        return;
    snprintf(digits, sizeof digits, "%zu", n);
    for (const char *c = digits; *c != '\0'; c++)
        shell_text_byte(sh, &text, *c, SHELL_COMPUTED);
    one_text(sh, parts, &text);
}

// "${X[*]}" is one text, "${X[@]}" one text for each item.
static void join(struct shell *sh, struct shell_words *parts)
{
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    for (size_t i = 0; i < parts->n; i++) {
        if (i > 0)
            shell_text_byte(sh, &text, ' ', SHELL_COMPUTED);
        shell_text_add(sh, &text, &parts->items[i]);
    }
    one_text(sh, parts, &text);
}

static void finish(struct shell *sh, const struct braces *b, struct shell_words *parts)
{
    const char c = sh->text[sh->at];
    const bool colon = c == ':' && sh->text[sh->at + 1] != '\0' &&
                       strchr("-=+?", sh->text[sh->at + 1]) != NULL;
    if (c == '}') {
        sh->at++;
        if (b->length)
            length_of(sh, b, parts);
        return;
    }
    if (b->length || (!colon && (c == '\0' || strchr("-=+?", c) == NULL))) {
        skip_rest(sh, b, parts);
        return;
    }
    sh->at += colon;
    const char op = sh->text[sh->at++];
    apply(sh, b, op, colon, parts);
}

void shell_braces(struct shell *sh, bool quoted, struct shell_words *parts)
{
    struct braces b = {.from = sh->at, .reason = -1};
    struct shell_words own = {.items = NULL};
    sh->at += 2;
    if (!read_name(sh, &b)) {
        skip_rest(sh, &b, &own);
    } else {
        read_index(sh, &b);
        read_texts(sh, &b, &own);
        finish(sh, &b, &own);
    }
    if (quoted && (b.all == '*' || (b.n_name == 1 && *b.name == '*')) && own.n > 1)
        join(sh, &own);
    for (size_t i = 0; i < own.n; i++)
        shell_words_add(sh, parts, &own.items[i]);
}
