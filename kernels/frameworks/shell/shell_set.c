// SPDX-License-Identifier: Apache-2.0
// Sets and removes arguments: chooses the bytes of the script that a change replaces.
#include "kernels/frameworks/shell/shell_edit.h"
#include "kernels/frameworks/shell/shell_edit_private.h"

#include <stdio.h>
#include <string.h>

// ---- values ----------------------------------------------------------------------------------

const char *const shell_quotes_open[SHELL_N_QUOTES] = {"", "'", "\"'"};
const char *const shell_quotes_close[SHELL_N_QUOTES] = {"", "'", "'\""};

int shell_quotes_for(const char *value, enum shell_quotes quotes[SHELL_N_QUOTES])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+.,:/=@% "; // blanks separate values
    const bool special = strspn(value, plain) < strlen(value);
    // The reader accepts parentheses without quotes, a shell does not.
    const bool parentheses = strchr(value, '(') != NULL;
    quotes[0] = special ? SHELL_QUOTED : SHELL_PLAIN;
    quotes[1] = parentheses ? SHELL_TWICE_QUOTED : SHELL_PLAIN;
    quotes[2] = parentheses ? SHELL_PLAIN : SHELL_TWICE_QUOTED;
    return special ? SHELL_N_QUOTES : 1;
}

static void include_quotes(const struct shell_edit *edit, struct shell_change *change)
{
    const char *text = edit->text;
    if (change->from > 0 && change->to < edit->n &&
        text[change->from - 1] == text[change->to] &&
        (text[change->to] == '"' || text[change->to] == '\'')) {
        change->from--;
        change->to++;
    }
}

// Replaces a place by the value, in quotes if the shell needs them there. Inside a longer quoted
// text quotes would be part of the value: that trial fails, and the value goes there as it is.
static enum shell_trial try_value(struct shell_edit *edit, const struct shell_script *script,
                                  size_t from, size_t to, const char *name, const char *value)
{
    char text[SHELL_VALUE_MAX + 8];
    enum shell_quotes quotes[SHELL_N_QUOTES];
    const int n = shell_quotes_for(value, quotes);
    enum shell_trial trial = SHELL_TRIAL_FAILS;
    for (int i = 0; i < n && trial == SHELL_TRIAL_FAILS; i++) {
        struct shell_change change = {from, to, text};
        snprintf(text, sizeof text, "%s%s%s", shell_quotes_open[quotes[i]], value,
                 shell_quotes_close[quotes[i]]);
        if (quotes[i] != SHELL_PLAIN)
            include_quotes(edit, &change);
        trial = shell_try(edit, script, &change, name, value);
    }
    return trial;
}

static bool places_beside(const struct shell_script *script,
                          const struct shell_argument *argument, size_t *from, size_t *to)
{
    size_t first, last;
    for (size_t i = 0; i < argument->n_values; i++) {
        if (!shell_beside(script, &argument->values[i], argument->word, &first, &last))
            return false;
        *from = i == 0 ? first : *from;
        *to = last;
    }
    return argument->n_values > 0 && *from < *to;
}

static enum shell_trial change_value(struct shell_edit *edit, const struct shell_script *script,
                                     const struct shell_argument *argument, const char *value)
{
    enum shell_trial trial = SHELL_TRIAL_FAILS;
    size_t from, to;
    if (argument->n_values == 1 && shell_literal(script, argument->values, &from, &to))
        trial = try_value(edit, script, from, to, argument->name, value);
    if (trial == SHELL_TRIAL_FAILS && places_beside(script, argument, &from, &to))
        trial = try_value(edit, script, from, to, argument->name, value);
    return trial;
}

static bool explain(struct shell_edit *edit, const struct shell_script *script,
                    const struct shell_argument *argument)
{
    const struct shell_text *word = argument->word;
    int32_t reason = shell_uncertain(word);
    for (size_t i = 0; i < argument->n_values && reason < 0; i++) {
        word = &argument->values[i];
        reason = shell_unresolved(word) >= 0 ? shell_unresolved(word) : shell_uncertain(word);
    }
    if (reason < 0)
        return shell_edit_fail(edit, shell_word_at(argument->word, script), argument->name, "");
    return shell_edit_fail(edit, (size_t)script->reasons[reason].at, argument->name,
                           script->reasons[reason].text);
}

static bool set_in(struct shell_edit *edit, const struct shell_script *script, const char *name,
                   const char *value, const char *const *siblings)
{
    struct shell_argument argument;
    const struct shell_command *command = shell_command_with(script, edit->kind_of);
    if (command == NULL)
        return shell_edit_fail(edit, 0, name, "");
    if (shell_says(edit, command, name, value))
        return true;
    if (!shell_find_argument(command, edit->kind_of, name, &argument))
        return shell_add(edit, script, name, value, siblings);
    const enum shell_trial trial = change_value(edit, script, &argument, value);
    return trial == SHELL_TRIAL_FAILS ? explain(edit, script, &argument)
                                      : trial == SHELL_TRIAL_HOLDS;
}

bool shell_set(struct shell_edit *edit, const char *name, const char *value,
               const char *const *siblings)
{
    struct shell_script script;
    if (strlen(value) > SHELL_VALUE_MAX)
        return shell_edit_fail(edit, 0, name, "is too long");
    if (!shell_read(&script, edit->text, edit->n, edit->fault))
        return false;
    const bool ok = set_in(edit, &script, name, value, siblings);
    shell_free(&script);
    return ok;
}

// ---- removal ---------------------------------------------------------------------------------

static size_t line_start(const struct shell_edit *edit, size_t at)
{
    while (at > 0 && edit->text[at - 1] != '\n')
        at--;
    return at;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Returns the end of the line, newline included, if only blanks and a backslash are left on it; 0
// otherwise. *continued: it ends with a backslash.
static size_t rest_of_line(const struct shell_edit *edit, size_t at, bool *continued)
{
    while (is_blank(edit->text[at]))
        at++;
    *continued = edit->text[at] == '\\' && edit->text[at + 1] == '\n';
    at += *continued;
    return edit->text[at] == '\n' ? at + 1 : 0;
}

// Tries to remove the whole lines of an argument, then its bytes with the blanks before them.
static enum shell_trial try_removal(struct shell_edit *edit, const struct shell_script *script,
                                    size_t from, size_t to, const char *name)
{
    bool continued;
    const size_t end = rest_of_line(edit, to, &continued), start = line_start(edit, from);
    struct shell_change change = {start, end, ""};
    enum shell_trial trial = SHELL_TRIAL_FAILS;
    const bool alone = end > 0 && start + strspn(edit->text + start, " \t") == from;
    if (alone)
        trial = shell_try(edit, script, &change, name, NULL);
    // The last line of a command: the backslash of the line before goes, too.
    if (trial == SHELL_TRIAL_FAILS && alone && !continued) {
        change.from = start >= 1 ? start - 1 : 0;
        while (change.from > 0 &&
               (is_blank(edit->text[change.from - 1]) || edit->text[change.from - 1] == '\\'))
            change.from--;
        change.to = to;
        trial = shell_try(edit, script, &change, name, NULL);
    }
    change = (struct shell_change){from, to, ""};
    while (trial == SHELL_TRIAL_FAILS && change.from > 0 &&
           is_blank(edit->text[change.from - 1]))
        change.from--;
    return trial == SHELL_TRIAL_FAILS ? shell_try(edit, script, &change, name, NULL) : trial;
}

// Removes the last place of an argument. *again: there are others.
static bool remove_in(struct shell_edit *edit, const struct shell_script *script,
                      const char *name, bool *again)
{
    struct shell_argument argument;
    size_t from, to, first, last;
    const struct shell_command *command = shell_command_with(script, edit->kind_of);
    *again = command != NULL && shell_count_argument(command, name) > 1;
    if (command == NULL || !shell_find_argument(command, edit->kind_of, name, &argument))
        return true;
    if (!shell_beside(script, argument.word, argument.word, &from, &to))
        return explain(edit, script, &argument);
    if (argument.values != &argument.inside && argument.n_values > 0 &&
        places_beside(script, &argument, &first, &last))
        to = last;
    const enum shell_trial trial = try_removal(edit, script, from, to, name);
    return trial == SHELL_TRIAL_FAILS ? explain(edit, script, &argument)
                                      : trial == SHELL_TRIAL_HOLDS;
}

bool shell_remove(struct shell_edit *edit, const char *name)
{
    struct shell_script script;
    bool again = true, ok = true;
    while (ok && again) {
        if (!shell_read(&script, edit->text, edit->n, edit->fault))
            return false;
        ok = remove_in(edit, &script, name, &again);
        shell_free(&script);
    }
    return ok;
}

// ---- variables -------------------------------------------------------------------------------

bool shell_set_variable(struct shell_edit *edit, const char *name, const char *value,
                        bool *found)
{
    char variable[72];
    size_t from, to;
    struct shell_script script;
    enum shell_trial trial = SHELL_TRIAL_FAILS;
    if (!shell_read(&script, edit->text, edit->n, edit->fault))
        return false;
    const struct shell_value *now = shell_variable(&script, name);
    *found = now != NULL;
    snprintf(variable, sizeof variable, "$%s", name);
    if (now == NULL || (now->n == 1 && shell_unresolved(now->items) < 0 &&
                        strcmp(now->items[0].bytes, value) == 0))
        trial = SHELL_TRIAL_HOLDS;
    else if (now->n == 1 && shell_literal(&script, &now->items[0], &from, &to))
        trial =
            shell_try(edit, &script, &(struct shell_change){from, to, value}, variable, value);
    if (trial == SHELL_TRIAL_FAILS)
        shell_edit_fail(edit, 0, name, "");
    shell_free(&script);
    return trial == SHELL_TRIAL_HOLDS;
}
