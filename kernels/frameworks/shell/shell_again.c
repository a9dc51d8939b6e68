// SPDX-License-Identifier: Apache-2.0
// Splits expanded text that a shell would read again into the words of its commands. Quotes and
// separators of commands count; nothing is expanded, and nothing is a fault.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

struct again {
    struct shell *sh;
    const struct shell_text *text;
    size_t i, from, to;
    struct shell_words words;
    struct shell_text word;
    bool started;
};

static void end_word(struct again *a)
{
    if (!a->started)
        return;
    a->word.from = a->word.to = SHELL_NOWHERE;
    shell_words_add(a->sh, &a->words, &a->word);
    a->word = (struct shell_text){.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    a->started = false;
}

static void end_command(struct again *a)
{
    end_word(a);
    if (a->words.n > 0) {
        struct shell *sh = a->sh;
        shell_note_command(sh, &a->words, a->from, a->to, false);
        for (size_t i = 1; i < a->words.n && sh->depth < SHELL_DEEPEST; i++)
            if (strstr(a->words.items[i].bytes, ".py ") != NULL && shell_step(sh)) {
                sh->depth++;
                shell_read_again(sh, &a->words.items[i], a->from, a->to);
                sh->depth--;
            }
    }
    a->words = (struct shell_words){.items = NULL};
}

static void put(struct again *a)
{
    shell_text_byte(a->sh, &a->word, a->text->bytes[a->i], a->text->marks[a->i]);
    a->started = true;
    a->i++;
}

static void quoted(struct again *a, char quote)
{
    a->started = true;
    for (a->i++; a->i < a->text->n && a->text->bytes[a->i] != quote;) {
        if (quote == '"' && a->text->bytes[a->i] == '\\' && a->i + 1 < a->text->n)
            a->i++;
        put(a);
    }
    a->i += a->i < a->text->n;
}

static void escaped(struct again *a)
{
    a->i++;
    if (a->i < a->text->n && a->text->bytes[a->i] == '\n')
        a->i++;
    else if (a->i < a->text->n)
        put(a);
}

static bool is_resolved(const struct again *a)
{
    return a->text->marks[a->i].reason < 0;
}

void shell_read_again(struct shell *sh, const struct shell_text *text, size_t from, size_t to)
{
    struct again a = {.sh = sh, .text = text, .from = from, .to = to};
    a.word.from = a.word.to = SHELL_NOWHERE;
    while (a.i < text->n && !sh->failed) {
        const char c = text->bytes[a.i];
        if ((c == '\'' || c == '"') && is_resolved(&a)) {
            quoted(&a, c);
        } else if (c == '\\') {
            escaped(&a);
        } else if (c == ' ' || c == '\t' || c == '\r') {
            end_word(&a);
            a.i++;
        } else if (strchr(";&|\n", c) != NULL) {
            end_command(&a);
            a.i++;
        } else if (c == '#' && !a.started) {
            while (a.i < text->n && text->bytes[a.i] != '\n')
                a.i++;
        } else {
            put(&a);
        }
    }
    end_command(&a);
}
