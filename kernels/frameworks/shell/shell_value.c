// SPDX-License-Identifier: Apache-2.0
// Builds texts in which every byte has its place in the script, stores the values of variables, and merges
// what is known about them after a branch.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

// ---- texts -----------------------------------------------------------------------------------

static bool make_room(struct shell *sh, struct shell_text *text, size_t n)
{
    const size_t cap = 2 * n + 16;
    if (n < text->cap)
        return true;
    char *bytes = shell_memory(sh, cap);
    struct shell_mark *marks = shell_memory(sh, cap * sizeof *marks);
    if (bytes == NULL || marks == NULL)
        return false;
    if (text->n > 0) {
        memcpy(bytes, text->bytes, text->n);
        memcpy(marks, text->marks, text->n * sizeof *marks);
    }
    text->bytes = bytes;
    text->marks = marks;
    text->cap = cap;
    return true;
}

void shell_text_byte(struct shell *sh, struct shell_text *text, char byte,
                     struct shell_mark mark)
{
    if (!make_room(sh, text, text->n + 1))
        return;
    text->bytes[text->n] = byte;
    text->marks[text->n++] = mark;
    text->bytes[text->n] = '\0';
}

void shell_text_add(struct shell *sh, struct shell_text *text, const struct shell_text *more)
{
    for (size_t i = 0; i < more->n; i++)
        shell_text_byte(sh, text, more->bytes[i], more->marks[i]);
}

void shell_text_unknown(struct shell *sh, struct shell_text *text, int32_t reason)
{
    struct shell_mark mark = SHELL_COMPUTED;
    mark.reason = reason;
    shell_text_byte(sh, text, '?', mark);
}

void shell_words_add(struct shell *sh, struct shell_words *words, const struct shell_text *word)
{
    if (words->n == words->cap) {
        const size_t cap = 2 * words->cap + 8;
        struct shell_text *items = shell_memory(sh, cap * sizeof *items);
        if (items == NULL)
            return;
        if (words->n > 0)
            memcpy(items, words->items, words->n * sizeof *items);
        words->items = items;
        words->cap = cap;
    }
    words->items[words->n] = *word;
    words->items[words->n].cap = 0; // a later addition copies the bytes
    if (word->bytes == NULL) {
        struct shell_text empty = {.from = word->from, .to = word->to};
        if (!make_room(sh, &empty, 1))
            return;
        words->items[words->n] = empty;
    }
    words->n++;
}

// ---- values ----------------------------------------------------------------------------------

static const struct shell_value *value_of(struct shell *sh, bool array,
                                          const struct shell_words *words)
{
    static const struct shell_value nothing = {.array = true};
    struct shell_value *value = shell_memory(sh, sizeof *value);
    if (value == NULL)
        return &nothing;
    *value = (struct shell_value){array, words->items, words->n};
    return value;
}

const struct shell_value *shell_scalar(struct shell *sh, const struct shell_text *text)
{
    struct shell_words one = {.items = NULL};
    shell_words_add(sh, &one, text);
    return value_of(sh, one.n == 0, &one);
}

const struct shell_value *shell_array(struct shell *sh, const struct shell_words *words)
{
    return value_of(sh, true, words);
}

const struct shell_value *shell_unknown(struct shell *sh, int32_t reason)
{
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    shell_text_unknown(sh, &text, reason);
    return shell_scalar(sh, &text);
}

// ---- variables -------------------------------------------------------------------------------

static bool is_named(const struct shell_variable *variable, const char *name, size_t n)
{
    return strncmp(variable->name, name, n) == 0 && variable->name[n] == '\0';
}

const struct shell_value *shell_find(const struct shell *sh, const char *name, size_t n)
{
    for (size_t i = 0; i < sh->state.n; i++)
        if (is_named(&sh->state.variables[i], name, n))
            return sh->state.variables[i].value;
    return NULL;
}

static struct shell_variable *add_variable(struct shell *sh, const char *name, size_t n)
{
    struct shell_state *state = &sh->state;
    char *copy = shell_memory(sh, n + 1);
    if (state->n == SHELL_MOST_VARIABLES)
        shell_fail(sh, sh->at, "more than %d variables", SHELL_MOST_VARIABLES);
    if (!sh->failed && state->n == state->cap) {
        const size_t cap = 2 * state->cap + 64;
        struct shell_variable *list = shell_memory(sh, cap * sizeof *list);
        if (list == NULL)
            return NULL;
        if (state->n > 0)
            memcpy(list, state->variables, state->n * sizeof *list);
        state->variables = list;
        state->cap = cap;
    }
    if (sh->failed)
        return NULL;
    memcpy(copy, name, n);
    state->variables[state->n] = (struct shell_variable){.name = copy};
    return &state->variables[state->n++];
}

void shell_assign(struct shell *sh, const char *name, size_t n, const struct shell_value *value)
{
    struct shell_variable *variable = NULL;
    for (size_t i = 0; i < sh->state.n && variable == NULL; i++)
        if (is_named(&sh->state.variables[i], name, n))
            variable = &sh->state.variables[i];
    if (variable == NULL)
        variable = add_variable(sh, name, n);
    if (variable != NULL)
        variable->value = value;
}

void shell_unset(struct shell *sh, const char *name, size_t n)
{
    for (size_t i = 0; i < sh->state.n; i++)
        if (is_named(&sh->state.variables[i], name, n)) {
            sh->state.variables[i] = sh->state.variables[--sh->state.n];
            return;
        }
}

// ---- branches --------------------------------------------------------------------------------

struct shell_state shell_state_copy(struct shell *sh)
{
    struct shell_state copy = sh->state;
    copy.variables = shell_memory(sh, (copy.n + 16) * sizeof *copy.variables);
    copy.cap = copy.n + 16;
    if (copy.variables == NULL)
        return (struct shell_state){.variables = NULL};
    if (copy.n > 0)
        memcpy(copy.variables, sh->state.variables, copy.n * sizeof *copy.variables);
    return copy;
}

static bool same_text(const struct shell_text *a, const struct shell_text *b)
{
    if (a->n != b->n || memcmp(a->bytes, b->bytes, a->n) != 0)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if ((a->marks[i].reason >= 0) != (b->marks[i].reason >= 0) ||
            (a->marks[i].branch >= 0) != (b->marks[i].branch >= 0))
            return false;
    return true;
}

static bool same_value(const struct shell_value *a, const struct shell_value *b)
{
    bool same = a->array == b->array && a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = same_text(&a->items[i], &b->items[i]);
    return same;
}

// A parameter of the script, or a variable that the script does not set.
static bool is_absent(const struct shell *sh, const struct shell_value *value)
{
    return value->n == 1 && value->items[0].n == 1 && value->items[0].marks[0].reason >= 0 &&
           sh->script->reasons[value->items[0].marks[0].reason].absent;
}

// Text that holds arguments, not the value of one.
static bool holds_arguments(const struct shell_value *value)
{
    if (value->array)
        return true;
    for (size_t i = 0; i < value->items[0].n; i++)
        if (strchr(" \t\n", value->items[0].bytes[i]) != NULL)
            return true;
    return value->n > 0 && (value->items[0].n == 0 || value->items[0].bytes[0] == '-');
}

static void add_marked(struct shell *sh, struct shell_text *to, const struct shell_text *from,
                       size_t first, int32_t reason)
{
    for (size_t i = first; i < from->n; i++) {
        struct shell_mark mark = from->marks[i];
        mark.branch = mark.branch >= 0 ? mark.branch : reason;
        shell_text_byte(sh, to, from->bytes[i], mark);
    }
}

static void add_rest(struct shell *sh, struct shell_words *words,
                     const struct shell_value *value, size_t first, int32_t reason)
{
    for (size_t i = first; i < value->n; i++) {
        struct shell_text word = {.from = value->items[i].from, .to = value->items[i].to};
        add_marked(sh, &word, &value->items[i], 0, reason);
        shell_words_add(sh, words, &word);
    }
}

static const struct shell_value *merge_arrays(struct shell *sh, const struct shell_value *a,
                                              const struct shell_value *b, int32_t reason)
{
    struct shell_words words = {.items = NULL};
    size_t same = 0;
    for (; same < a->n && same < b->n && same_text(&a->items[same], &b->items[same]); same++)
        shell_words_add(sh, &words, &a->items[same]);
    add_rest(sh, &words, a, same, reason);
    add_rest(sh, &words, b, same, reason);
    return shell_array(sh, &words);
}

static const struct shell_value *merge_texts(struct shell *sh, const struct shell_text *a,
                                             const struct shell_text *b, int32_t reason)
{
    struct shell_text text = {.from = a->from, .to = a->to};
    struct shell_mark gap = SHELL_COMPUTED;
    size_t same = 0;
    while (same < a->n && same < b->n && a->bytes[same] == b->bytes[same] &&
           (a->marks[same].reason >= 0) == (b->marks[same].reason >= 0))
        shell_text_byte(sh, &text, a->bytes[same], a->marks[same]), same++;
    gap.branch = reason;
    add_marked(sh, &text, a, same, reason);
    if (same < a->n && same < b->n)
        shell_text_byte(sh, &text, ' ', gap);
    add_marked(sh, &text, b, same, reason);
    return shell_scalar(sh, &text);
}

static const struct shell_value *merge_values(struct shell *sh, const struct shell_value *a,
                                              const struct shell_value *b, int32_t reason)
{
    if (is_absent(sh, a) || same_value(a, b))
        return b;
    if (is_absent(sh, b))
        return a;
    if (!holds_arguments(a) && !holds_arguments(b))
        return shell_unknown(sh, reason);
    return a->array && b->array     ? merge_arrays(sh, a, b, reason)
           : a->n == 1 && b->n == 1 ? merge_texts(sh, &a->items[0], &b->items[0], reason)
                                    : shell_unknown(sh, reason);
}

// A variable that only one of the branches sets: one value is its value, arguments may be missing.
static const struct shell_value *merge_missing(struct shell *sh,
                                               const struct shell_value *value, int32_t reason)
{
    struct shell_words words = {.items = NULL};
    if (!holds_arguments(value))
        return value;
    add_rest(sh, &words, value, 0, reason);
    return value->array || words.n == 0 ? shell_array(sh, &words)
                                        : shell_scalar(sh, &words.items[0]);
}

static const struct shell_value *value_in(const struct shell_state *state, const char *name)
{
    for (size_t i = 0; i < state->n; i++)
        if (strcmp(state->variables[i].name, name) == 0)
            return state->variables[i].value;
    return NULL;
}

void shell_state_merge(struct shell *sh, const struct shell_state *other, int32_t reason)
{
    const size_t n = sh->state.n;
    if (other->end != SHELL_RUNS || sh->failed)
        return;
    if (sh->state.end != SHELL_RUNS) {
        sh->state = *other;
        return;
    }
    sh->steps += n * other->n / 4096;
    for (size_t i = 0; i < n; i++) {
        struct shell_variable *variable = &sh->state.variables[i];
        const struct shell_value *value = value_in(other, variable->name);
        if (value == NULL)
            variable->value = merge_missing(sh, variable->value, reason);
        else if (value != variable->value)
            variable->value = merge_values(sh, value, variable->value, reason);
    }
    for (size_t j = 0; j < other->n; j++) {
        const char *name = other->variables[j].name;
        if (shell_find(sh, name, strlen(name)) == NULL)
            shell_assign(sh, name, strlen(name),
                         merge_missing(sh, other->variables[j].value, reason));
    }
}
