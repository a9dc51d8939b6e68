// SPDX-License-Identifier: Apache-2.0
// Adds arguments at the end of the array, text or command that holds a sibling.
#include "kernels/frameworks/shell/shell_edit_private.h"

#include "base/document/fault.h"
#include "base/text/text_buffer.h"

#include <stdio.h>
#include <string.h>

struct addition {
    struct shell_edit *edit;
    const struct shell_script *script;
    const struct shell_command *command;
    const char *name, *value;
    const struct shell_argument *sibling;
    size_t from, to; // the sibling's name
    size_t end;      // past the last word beside the sibling
};

// Returns the smallest list around an offset; NULL: none.
static const struct shell_list *list_around(const struct shell_script *script, size_t at)
{
    const struct shell_list *best = NULL;
    for (size_t i = 0; i < script->n_lists; i++) {
        const struct shell_list *list = &script->lists[i];
        if ((size_t)list->from <= at && at < (size_t)list->to &&
            (best == NULL || list->to - list->from < best->to - best->from))
            best = list;
    }
    return best;
}

static void find_end(struct addition *a)
{
    const struct shell_list *list = a->command->bare ? NULL : list_around(a->script, a->from);
    a->end = a->to;
    for (size_t i = 0; i < a->command->n; i++) {
        size_t from, to;
        if (shell_beside(a->script, &a->command->words[i], a->sibling->word, &from, &to) &&
            (list == NULL || (from >= (size_t)list->from && to <= (size_t)list->to)) &&
            to > a->end)
            a->end = to;
    }
}

// Returns where the blanks, backslashes and newlines before the sibling start.
static size_t gap_before(const struct addition *a)
{
    size_t at = a->from;
    while (at > 0 && strchr(" \t\n\\", a->edit->text[at - 1]) != NULL)
        at--;
    return at;
}

static enum shell_trial try_at(struct addition *a, size_t at, const char *before,
                               size_t n_before, enum shell_quotes quotes, const char *after)
{
    struct text_buffer text = {.text = NULL};
    text_buffer_add_bytes(&text, before, n_before);
    text_buffer_add(&text, "--%s%s%s%s%s%s", a->name, a->value[0] != '\0' ? " " : "",
                    shell_quotes_open[quotes], a->value, shell_quotes_close[quotes], after);
    enum shell_trial trial = SHELL_TRIAL_STOPS;
    if (text.failed)
        pps_fault_set(a->edit->fault, NULL, false, "out of memory for this script");
    else
        trial = shell_try(a->edit, a->script, &(struct shell_change){at, at, text.text},
                          a->name, a->value);
    text_buffer_free(&text);
    return trial;
}

static bool has_continuation(const struct addition *a, size_t from)
{
    for (size_t i = from; i < a->end; i++)
        if (a->edit->text[i] == '\\' && a->edit->text[i + 1] == '\n')
            return true;
    return false;
}

// The sibling is the first argument of its line: so is the new argument.
static enum shell_trial try_line(struct addition *a, size_t gap, enum shell_quotes quotes)
{
    const char *text = a->edit->text;
    char before[128];
    size_t line = a->from, at = a->end;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    const bool continued = has_continuation(a, gap);
    const int n = snprintf(before, sizeof before, "%s\n%.*s", continued ? " \\" : "",
                           (int)(a->from - line < 100 ? a->from - line : 100), text + line);
    at += strspn(text + at, " \t");
    if (text[at] == '\\' && text[at + 1] == '\n')
        return try_at(a, at + 1, before + (continued ? 2 : 0), (size_t)n - (continued ? 2 : 0),
                      quotes, " \\");
    if (text[at] == '#')
        at += strcspn(text + at, "\n");
    if (!continued && text[at] == '\n')
        return try_at(a, at, before, (size_t)n, quotes, "");
    return try_at(a, a->end, before, (size_t)n, quotes, "");
}

static enum shell_trial try_beside(struct addition *a, enum shell_quotes quotes)
{
    const size_t gap = gap_before(a);
    enum shell_trial trial = SHELL_TRIAL_FAILS;
    find_end(a);
    if (a->command->bare || memchr(a->edit->text + gap, '\n', a->from - gap) != NULL)
        trial = try_line(a, gap, quotes);
    if (trial == SHELL_TRIAL_FAILS)
        trial = try_at(a, a->end, " ", 1, quotes, "");
    // In front of the sibling, if the end of the list is not a place for arguments.
    return trial == SHELL_TRIAL_FAILS ? try_at(a, a->from, "", 0, quotes, " ") : trial;
}

static enum shell_trial try_sibling(struct addition *a, const char *sibling)
{
    struct shell_argument argument;
    if (!shell_find_argument(a->command, a->edit->kind_of, sibling, &argument) ||
        shell_uncertain(argument.word) >= 0 ||
        !shell_beside(a->script, argument.word, argument.word, &a->from, &a->to))
        return SHELL_TRIAL_FAILS;
    a->sibling = &argument;
    enum shell_trial trial = SHELL_TRIAL_FAILS;
    enum shell_quotes quotes[SHELL_N_QUOTES];
    const int n = shell_quotes_for(a->value, quotes);
    for (int i = 0; i < n && trial == SHELL_TRIAL_FAILS; i++)
        trial = try_beside(a, quotes[i]);
    return trial;
}

bool shell_add(struct shell_edit *edit, const struct shell_script *script, const char *name,
               const char *value, const char *const *siblings)
{
    struct addition a = {.edit = edit, .script = script, .name = name, .value = value};
    struct shell_argument each;
    enum shell_trial trial = SHELL_TRIAL_FAILS;
    a.command = shell_command_with(script, edit->kind_of);
    for (; *siblings != NULL && trial == SHELL_TRIAL_FAILS; siblings++)
        trial = try_sibling(&a, *siblings);
    for (size_t i = 0; trial == SHELL_TRIAL_FAILS &&
                       shell_next_argument(a.command, edit->kind_of, &i, &each);)
        if (each.kind != SHELL_OTHER)
            trial = try_sibling(&a, each.name);
    if (trial == SHELL_TRIAL_FAILS)
        shell_edit_fail(edit, (size_t)a.command->from, name, "");
    return trial == SHELL_TRIAL_HOLDS;
}
