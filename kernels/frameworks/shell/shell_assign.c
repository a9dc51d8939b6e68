// SPDX-License-Identifier: Apache-2.0
// Reads assignments of texts and arrays.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

static const struct shell_text no_text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};

// The place inside the quotes of a value that is one quoted text.
static void note_value(struct shell *sh, size_t from)
{
    const char quote = sh->text[from];
    if ((quote == '"' || quote == '\'') && sh->at > from + 1 && sh->text[sh->at - 1] == quote)
        shell_note_list(sh, from + 1, sh->at - 1);
    else
        shell_note_list(sh, from, sh->at);
}

static const struct shell_value *read_array(struct shell *sh)
{
    struct shell_words words = {.items = NULL};
    const size_t from = ++sh->at;
    for (shell_gap(sh); sh->text[sh->at] != ')' && !sh->failed; shell_gap(sh))
        if (!shell_word(sh, &words))
            shell_fail(sh, sh->text[sh->at] == '\0' ? from - 1 : sh->at,
                       sh->text[sh->at] == '\0' ? "this array does not end"
                                                : "expected a word of an array, or )");
    shell_note_list(sh, from, sh->at);
    sh->at++;
    return shell_array(sh, &words);
}

static const struct shell_value *append(struct shell *sh, const struct shell_value *before,
                                        const struct shell_value *value)
{
    struct shell_words words = {.items = NULL};
    struct shell_text text = no_text;
    for (size_t i = 0; i < before->n; i++)
        shell_words_add(sh, &words, &before->items[i]);
    if (value->array || before->array) {
        for (size_t i = 0; i < value->n; i++)
            shell_words_add(sh, &words, &value->items[i]);
        return shell_array(sh, &words);
    }
    for (size_t i = 0; i < words.n; i++)
        shell_text_add(sh, &text, &words.items[i]);
    if (value->n > 0)
        shell_text_add(sh, &text, &value->items[0]);
    return shell_scalar(sh, &text);
}

static const struct shell_value *read_value(struct shell *sh)
{
    struct shell_text text = no_text;
    const size_t from = sh->at;
    if (sh->text[sh->at] == '(')
        return read_array(sh);
    shell_joined_word(sh, &text);
    note_value(sh, from);
    return shell_scalar(sh, &text);
}

// Returns the length of the part of an assignment before its value; 0: no assignment. name: length
// of the name; index: an element of an array.
static size_t assigned(const struct shell *sh, size_t *name, bool *index)
{
    size_t n = shell_name(sh, sh->at);
    *name = n;
    *index = n > 0 && sh->text[sh->at + n] == '[';
    if (*index) {
        n += strcspn(sh->text + sh->at + n, "] \t\n");
        n += sh->text[sh->at + n] == ']';
    }
    n += n > 0 && sh->text[sh->at + n] == '+';
    return n > 0 && sh->text[sh->at + n] == '=' ? n + 1 : 0;
}

bool shell_assignment(struct shell *sh, bool live)
{
    const size_t at = sh->at;
    size_t name;
    bool index;
    const size_t n = assigned(sh, &name, &index);
    if (n == 0)
        return false;
    const bool adds = sh->text[at + n - 2] == '+';
    sh->at += n;
    const struct shell_value *value = read_value(sh);
    const struct shell_value *before = shell_find(sh, sh->text + at, name);
    if (index)
        value = shell_unknown(sh, shell_reason(sh, at, "comes from the elements of an array"));
    else if (adds && before != NULL)
        value = append(sh, before, value);
    if (live && shell_lives(sh))
        shell_assign(sh, sh->text + at, name, value);
    return true;
}
