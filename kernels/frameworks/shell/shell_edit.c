// SPDX-License-Identifier: Apache-2.0
// Changes, adds and removes arguments in a launch script.
#include "kernels/frameworks/shell/shell_edit.h"

#include "base/document/fault.h"
#include "base/text/characters.h"
#include "kernels/frameworks/shell/shell_edit_private.h"

#include <stdlib.h>
#include <string.h>

static bool no_memory(struct shell_edit *edit)
{
    return pps_fault_set(edit->fault, NULL, false, "out of memory for this script");
}

bool shell_edit_fail(struct shell_edit *edit, size_t at, const char *name, const char *why)
{
    struct pps_fault *fault = edit->fault;
    pps_fault_set(fault, NULL, false,
                  "--%s cannot be changed here%s%s; write the arguments to a file, one "
                  "--name value per line",
                  name, why[0] != '\0' ? ": the value " : "", why);
    pps_find_place(edit->text, at, &fault->line, &fault->column);
    return false;
}

// ---- the text --------------------------------------------------------------------------------

bool shell_edit_begin(struct shell_edit *edit, const char *text, size_t n,
                      shell_kind_of *kind_of, struct pps_fault *fault)
{
    struct shell_script script;
    static const char *const none[] = {NULL};
    *edit = (struct shell_edit){.n = n,
                                .n_original = n,
                                .kind_of = kind_of,
                                .later = none,
                                .fault = fault};
    if (!shell_read(&script, text, n, fault))
        return false;
    shell_free(&script);
    edit->text = malloc(n + 1);
    edit->origins = malloc((n + 1) * sizeof *edit->origins);
    if (edit->text == NULL || edit->origins == NULL) {
        shell_edit_free(edit);
        return no_memory(edit);
    }
    memcpy(edit->text, text, n);
    edit->text[n] = '\0';
    for (size_t i = 0; i < n; i++)
        edit->origins[i] = (int32_t)i;
    return true;
}

void shell_edit_free(struct shell_edit *edit)
{
    free(edit->text);
    free(edit->origins);
    edit->text = NULL;
    edit->origins = NULL;
}

// Replaces bytes [from, to); the text and the origins become new ones. false: out of memory.
static bool splice(struct shell_edit *edit, size_t from, size_t to, const char *with, size_t n)
{
    const size_t total = edit->n - (to - from) + n;
    char *text = malloc(total + 1);
    int32_t *origins = malloc((total + 1) * sizeof *origins);
    if (text == NULL || origins == NULL) {
        free(text);
        free(origins);
        return no_memory(edit);
    }
    memcpy(text, edit->text, from);
    memcpy(text + from, with, n);
    memcpy(text + from + n, edit->text + to, edit->n - to + 1);
    memcpy(origins, edit->origins, from * sizeof *origins);
    for (size_t i = 0; i < n; i++)
        origins[from + i] = -1;
    memcpy(origins + from + n, edit->origins + to, (edit->n - to) * sizeof *origins);
    edit->text = text;
    edit->origins = origins;
    edit->n = total;
    return true;
}

bool shell_edit_finish(const struct shell_edit *edit, struct text_edit *changes)
{
    size_t at = 0; // of the original text
    for (size_t i = 0; i <= edit->n;) {
        size_t end = i;
        while (end < edit->n && edit->origins[end] < 0)
            end++;
        const size_t next = end < edit->n ? (size_t)edit->origins[end] : edit->n_original;
        if (end > i || next > at)
            text_edit_replace(changes, at, next, edit->text + i, end - i);
        at = next + 1;
        i = end + 1;
    }
    return !changes->failed;
}

// ---- trials ----------------------------------------------------------------------------------

static bool is_later(const struct shell_edit *edit, const char *name)
{
    for (const char *const *later = edit->later; *later != NULL; later++)
        if (strcmp(*later, name) == 0)
            return true;
    return false;
}

static bool same_words(const struct shell_argument *a, const struct shell_argument *b)
{
    bool same = a->n_values == b->n_values;
    for (size_t i = 0; same && i < a->n_values; i++)
        same = strcmp(a->values[i].bytes, b->values[i].bytes) == 0 &&
               (shell_uncertain(&a->values[i]) < 0) == (shell_uncertain(&b->values[i]) < 0);
    return same;
}

// Returns whether all arguments of a that matter, except `name`, are the same in b.
static bool keeps(const struct shell_edit *edit, const struct shell_command *a,
                  const struct shell_command *b, const char *name)
{
    struct shell_argument mine, other;
    for (size_t i = 0; shell_next_argument(a, edit->kind_of, &i, &mine);) {
        if (strcmp(mine.name, name) == 0 || mine.kind == SHELL_OTHER ||
            is_later(edit, mine.name))
            continue;
        if (!shell_find_argument(a, edit->kind_of, mine.name, &mine) ||
            !shell_find_argument(b, edit->kind_of, mine.name, &other) ||
            !same_words(&mine, &other))
            return false;
    }
    return true;
}

static bool joins_to(const struct shell_text *words, size_t n, const char *value)
{
    for (size_t i = 0; i < n; i++) {
        const struct shell_text *word = &words[i];
        if (shell_unresolved(word) >= 0 || shell_uncertain(word) >= 0 ||
            strncmp(value, word->bytes, word->n) != 0)
            return false;
        value += word->n;
        if (i + 1 < n && *value++ != ' ')
            return false;
    }
    return *value == '\0';
}

bool shell_says(const struct shell_edit *edit, const struct shell_command *command,
                const char *name, const char *value)
{
    struct shell_argument argument;
    return shell_find_argument(command, edit->kind_of, name, &argument) &&
           shell_uncertain(argument.word) < 0 &&
           (value[0] == '\0' || joins_to(argument.values, argument.n_values, value));
}

// Returns the number of words that belong to an argument.
static size_t words_of(const struct shell_edit *edit, const struct shell_command *command,
                       const char *name)
{
    struct shell_argument argument;
    if (!shell_find_argument(command, edit->kind_of, name, &argument))
        return 0;
    return argument.values == &argument.inside ? 1 : 1 + argument.n_values;
}

// Returns the number of words of all arguments but one, and but those that will be set later.
static size_t other_words(const struct shell_edit *edit, const struct shell_command *command,
                          const char *name)
{
    size_t n = command->n - words_of(edit, command, name);
    for (const char *const *later = edit->later; *later != NULL; later++)
        if (strcmp(*later, name) != 0)
            n -= words_of(edit, command, *later);
    return n;
}

static bool has_effect(const struct shell_edit *edit, const struct shell_script *after,
                       const struct shell_command *a, const struct shell_command *b,
                       const char *name, const char *value)
{
    if (name[0] == '$') {
        const struct shell_value *variable = shell_variable(after, name + 1);
        return variable != NULL && joins_to(variable->items, variable->n, value);
    }
    if (value == NULL)
        return shell_count_argument(b, name) + 1 == shell_count_argument(a, name) &&
               b->n < a->n;
    return shell_says(edit, b, name, value) &&
           other_words(edit, b, name) == other_words(edit, a, name);
}

static bool is_good(const struct shell_edit *edit, const struct shell_script *before,
                    const struct shell_edit *changed, const char *name, const char *value)
{
    struct pps_fault fault;
    struct shell_script after;
    if (!shell_read(&after, changed->text, changed->n, &fault))
        return false;
    const struct shell_command *a = shell_command_with(before, edit->kind_of);
    const struct shell_command *b = shell_command_with(&after, edit->kind_of);
    const bool good = a != NULL && b != NULL && has_effect(edit, &after, a, b, name, value) &&
                      keeps(edit, a, b, name) && keeps(edit, b, a, name);
    shell_free(&after);
    return good;
}

enum shell_trial shell_try(struct shell_edit *edit, const struct shell_script *before,
                           const struct shell_change *change, const char *name,
                           const char *value)
{
    struct shell_edit changed = *edit;
    if (!splice(&changed, change->from, change->to, change->with, strlen(change->with)))
        return SHELL_TRIAL_STOPS;
    const bool good = is_good(edit, before, &changed, name, value);
    shell_edit_free(good ? edit : &changed);
    if (good)
        *edit = changed;
    return good ? SHELL_TRIAL_HOLDS : SHELL_TRIAL_FAILS;
}
