// SPDX-License-Identifier: Apache-2.0
// Finds the places in a script from which words come.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

enum { DEEPEST_USE = 64 };

int32_t shell_unresolved(const struct shell_text *word)
{
    for (size_t i = 0; i < word->n; i++)
        if (word->marks[i].reason >= 0)
            return word->marks[i].reason;
    return -1;
}

int32_t shell_uncertain(const struct shell_text *word)
{
    for (size_t i = 0; i < word->n; i++)
        if (word->marks[i].branch >= 0)
            return word->marks[i].branch;
    return -1;
}

size_t shell_word_at(const struct shell_text *word, const struct shell_script *script)
{
    if (word->n > 0 && word->marks[0].at >= 0)
        return (size_t)word->marks[0].at;
    if (word->n > 0 && word->marks[0].use >= 0)
        return (size_t)script->uses[word->marks[0].use].from;
    return word->from >= 0 ? (size_t)word->from : 0;
}

// Returns whether only backslashes are between two bytes of a literal.
static bool adjoins(const struct shell_script *script, int32_t a, int32_t b)
{
    for (a++; a < b && script->text[a] == '\\'; a++)
        ;
    return a == b;
}

bool shell_literal(const struct shell_script *script, const struct shell_text *word,
                   size_t *from, size_t *to)
{
    if (word->n == 0 || shell_unresolved(word) >= 0 || shell_uncertain(word) >= 0)
        return false;
    for (size_t i = 0; i < word->n; i++) {
        const struct shell_mark *mark = &word->marks[i];
        if (mark->at < 0 || mark->use != word->marks[0].use ||
            (i > 0 && !adjoins(script, mark[-1].at, mark->at)))
            return false;
    }
    *from = (size_t)word->marks[0].at;
    *to = (size_t)word->marks[word->n - 1].at + 1;
    return true;
}

// Stores the expansions of a byte, the outermost first, and returns their number.
static int uses_of(const struct shell_script *script, const struct shell_mark *mark,
                   const struct shell_use **uses)
{
    int n = 0;
    for (int32_t use = mark->use; use >= 0 && n < DEEPEST_USE; use = script->uses[use].inner)
        uses[n++] = &script->uses[use];
    return n;
}

// Returns the place of a byte in the text that is inside of the first n expansions. false: the byte
// is not in that text.
static bool place_in(const struct shell_script *script, const struct shell_mark *mark,
                     const struct shell_use *const *outer, int n, size_t *from, size_t *to)
{
    const struct shell_use *uses[DEEPEST_USE];
    const int n_uses = uses_of(script, mark, uses);
    if (n_uses < n || (n_uses == n && mark->at < 0))
        return false;
    for (int i = 0; i < n; i++)
        if (uses[i]->from != outer[i]->from || uses[i]->to != outer[i]->to)
            return false;
    *from = (size_t)(n_uses > n ? uses[n]->from : mark->at);
    *to = n_uses > n ? (size_t)uses[n]->to : *from + 1;
    return true;
}

static void include_quotes(const struct shell_script *script, size_t *from, size_t *to)
{
    const char *text = script->text;
    if (*from > 0 && *to < script->n && text[*from - 1] == text[*to] &&
        (text[*to] == '"' || text[*to] == '\'')) {
        --*from;
        ++*to;
    }
}

bool shell_beside(const struct shell_script *script, const struct shell_text *word,
                  const struct shell_text *other, size_t *from, size_t *to)
{
    const struct shell_use *outer[DEEPEST_USE];
    if (word->n == 0 || other->n == 0)
        return false;
    const int n = uses_of(script, &other->marks[0], outer);
    for (size_t i = 0; i < word->n; i++) {
        size_t first, last;
        if (!place_in(script, &word->marks[i], outer, n, &first, &last))
            return false;
        if (i > 0 && first < *from)
            return false;
        *from = i == 0 ? first : *from;
        *to = last;
    }
    include_quotes(script, from, to);
    return true;
}

const struct shell_value *shell_variable(const struct shell_script *script, const char *name)
{
    for (size_t i = 0; i < script->n_variables; i++)
        if (strcmp(script->variables[i].name, name) == 0)
            return script->variables[i].value;
    return NULL;
}
