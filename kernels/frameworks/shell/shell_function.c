// SPDX-License-Identifier: Apache-2.0
// Notes the bodies of functions, and runs them when they are called.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

static void note_function(struct shell *sh, const char *name, size_t n, size_t at)
{
    struct shell_function *list = sh->functions;
    char *copy = shell_memory(sh, n + 1);
    if (sh->n_functions == sh->cap_functions) {
        sh->cap_functions = 2 * sh->cap_functions + 16;
        list = shell_memory(sh, sh->cap_functions * sizeof *list);
        if (list != NULL && sh->n_functions > 0)
            memcpy(list, sh->functions, sh->n_functions * sizeof *list);
    }
    if (copy == NULL || list == NULL)
        return;
    memcpy(copy, name, n);
    sh->functions = list;
    sh->functions[sh->n_functions++] = (struct shell_function){copy, at};
}

// Reads `name() body` or `function name body`. false: none is next.
bool shell_function_next(struct shell *sh)
{
    const size_t from = sh->at;
    const bool word = shell_take(sh, "function");
    shell_blanks(sh);
    const size_t at = sh->at;
    size_t n = shell_name(sh, at);
    while (n > 0 && (shell_is_name(sh->text[at + n], false) || sh->text[at + n] == '-'))
        n++;
    size_t after = at + n;
    after += strspn(sh->text + after, " \t");
    const bool brackets = n > 0 && sh->text[after] == '(' &&
                          sh->text[after + 1 + strspn(sh->text + after + 1, " \t")] == ')';
    if (n == 0 || (!brackets && !word)) {
        sh->at = from;
        return false;
    }
    sh->at = brackets ? after + strcspn(sh->text + after, ")") + 1 : at + n;
    shell_gap(sh);
    if (shell_lives(sh))
        note_function(sh, sh->text + at, n, sh->at);
    enum shell_status status;
    sh->dead++;
    if (!shell_block(sh, &status))
        shell_fail(sh, sh->at, "expected { and the body of a function");
    sh->dead--;
    return true;
}

void shell_call(struct shell *sh, const struct shell_function *called,
                const struct shell_words *words)
{
    const size_t at = sh->at;
    const struct shell_words *before = sh->parameters;
    const struct shell_words parameters = {words->items + 1, words->n - 1, 0};
    enum shell_status status;
    if (++sh->depth > SHELL_DEEPEST) {
        shell_fail(sh, at, "calls nested deeper than %d", SHELL_DEEPEST);
        return;
    }
    sh->parameters = &parameters;
    sh->at = called->body;
    shell_block(sh, &status);
    sh->at = at;
    sh->parameters = before;
    sh->depth--;
    if (sh->state.end == SHELL_RETURNED)
        sh->state.end = SHELL_RUNS;
}
