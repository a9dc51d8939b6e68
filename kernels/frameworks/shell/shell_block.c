// SPDX-License-Identifier: Apache-2.0
// Reads blocks: if, loops, case, groups, [[ ]], (( )) and functions. A block under a condition that
// is not known is read, and the state after it is merged with the state without it.
#include "kernels/frameworks/shell/shell_private.h"

#include <fnmatch.h>
#include <string.h>

static const struct shell_text no_text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};

static bool expect(struct shell *sh, const char *word, size_t from, const char *block)
{
    shell_gap(sh);
    if (sh->failed || shell_take(sh, word))
        return !sh->failed;
    if (sh->text[sh->at] == '\0')
        return shell_fail(sh, from, "this %s does not end: %s is missing", block, word);
    return shell_fail(sh, sh->at, "expected %s", word);
}

static void dead_commands(struct shell *sh, const char *const *stops, bool dead)
{
    sh->dead += dead;
    shell_commands(sh, stops);
    sh->dead -= dead;
}

// ---- if --------------------------------------------------------------------------------------

static const char *const to_then[] = {"then", NULL};
static const char *const to_branch[] = {"elif", "else", "fi", NULL};
static const char *const to_fi[] = {"fi", NULL};
static const char *const to_do[] = {"do", NULL};
static const char *const to_done[] = {"done", NULL};

static void if_branches(struct shell *sh, size_t from);

static void other_branches(struct shell *sh, size_t from)
{
    if (shell_take(sh, "elif"))
        if_branches(sh, from);
    else if (shell_take(sh, "else"))
        shell_commands(sh, to_fi);
}

// Reads a condition and the branches after it, up to fi.
static void if_branches(struct shell *sh, size_t from)
{
    if (++sh->depth > SHELL_DEEPEST)
        shell_fail(sh, from, "blocks nested deeper than %d", SHELL_DEEPEST);
    sh->last = SHELL_UNKNOWN;
    shell_commands(sh, to_then);
    const enum shell_status status = shell_lives(sh) ? sh->last : SHELL_FALSE;
    if (!expect(sh, "then", from, "if"))
        return;
    if (status != SHELL_UNKNOWN) {
        dead_commands(sh, to_branch, status == SHELL_FALSE);
        sh->dead += status == SHELL_TRUE;
        other_branches(sh, from);
        sh->dead -= status == SHELL_TRUE;
    } else {
        const struct shell_state before = shell_state_copy(sh);
        shell_commands(sh, to_branch);
        const struct shell_state after = sh->state;
        sh->state = before;
        other_branches(sh, from);
        shell_state_merge(
            sh, &after,
            shell_reason(sh, from, "depends on this if, which only a shell can evaluate"));
    }
    sh->depth--;
}

// ---- loops -----------------------------------------------------------------------------------

// Reads the body of a loop, which runs or does not run.
static void body(struct shell *sh, size_t from, bool dead)
{
    const int32_t reason =
        shell_reason(sh, from, "depends on this loop, which only a shell can evaluate");
    if (!expect(sh, "do", from, "loop"))
        return;
    if (dead || !shell_lives(sh)) {
        dead_commands(sh, to_done, dead);
    } else {
        const struct shell_state before = shell_state_copy(sh);
        shell_commands(sh, to_done);
        shell_state_merge(sh, &before, reason);
    }
    expect(sh, "done", from, "loop");
}

static void for_loop(struct shell *sh, size_t from)
{
    struct shell_words words = {.items = NULL};
    shell_blanks(sh);
    const char *name = sh->text + sh->at;
    const size_t n = shell_name(sh, sh->at);
    sh->at += n;
    shell_gap(sh);
    if (n > 0 && shell_take(sh, "in"))
        for (shell_blanks(sh); shell_word(sh, &words); shell_blanks(sh))
            ;
    else if (n == 0 && strncmp(name, "((", 2) == 0) {
        sh->at++;
        const size_t end = shell_closing(sh, '(', ')');
        sh->at = end > 0 ? end + 1 : sh->at;
    }
    if (sh->failed)
        return;
    if (n > 0 && shell_lives(sh))
        shell_assign(
            sh, name, n,
            words.n == 1
                ? shell_scalar(sh, &words.items[0])
                : shell_unknown(
                      sh,
                      shell_reason(sh, from,
                                   "changes in this loop, which only a shell can evaluate")));
    shell_commands(sh, to_do); // a semicolon or newline
    body(sh, from, false);
}

static void while_loop(struct shell *sh, size_t from, enum shell_status ends)
{
    sh->last = SHELL_UNKNOWN;
    shell_commands(sh, to_do);
    body(sh, from, sh->last == ends);
}

// ---- case ------------------------------------------------------------------------------------

struct cases {
    const struct shell_text *word;
    bool known, found, has_default;
    struct shell_state before, all;
    bool any; // `all` holds the states of earlier branches
};

// Reads the patterns of a branch. Returns whether one of them matches; of an unknown word, whether
// one of them matches everything.
static bool patterns(struct shell *sh, const struct cases *c)
{
    bool found = false;
    if (sh->text[sh->at] == '(')
        sh->at++;
    for (;;) {
        struct shell_text pattern = no_text;
        const size_t at = sh->at;
        shell_blanks(sh);
        shell_joined_word(sh, &pattern);
        shell_blanks(sh);
        if (sh->failed || sh->at == at)
            return shell_fail(sh, sh->at, "expected a pattern and )");
        const char *text = pattern.n > 0 ? pattern.bytes : "";
        const char *word = c->word->n > 0 ? c->word->bytes : "";
        found = found || (c->known ? fnmatch(text, word, 0) == 0 : strcmp(text, "*") == 0);
        if (sh->text[sh->at] == ')')
            break;
        if (sh->text[sh->at++] != '|')
            return shell_fail(sh, sh->at - 1, "expected ) after a pattern");
    }
    sh->at++;
    return found;
}

static void branch(struct shell *sh, struct cases *c, size_t from)
{
    static const char *const stops[] = {";;", ";&", "esac", NULL};
    const bool matches = patterns(sh, c);
    if (c->known || !shell_lives(sh)) {
        dead_commands(sh, stops, !matches || c->found);
        c->found = c->found || matches;
        return;
    }
    c->has_default = c->has_default || matches;
    sh->state = c->before;
    sh->state = shell_state_copy(sh);
    shell_commands(sh, stops);
    if (c->any)
        shell_state_merge(
            sh, &c->all,
            shell_reason(sh, from, "depends on this case, which only a shell can evaluate"));
    c->all = sh->state;
    c->any = true;
    sh->state = c->before;
    sh->state = shell_state_copy(sh);
}

static void case_block(struct shell *sh, size_t from)
{
    struct shell_text word = no_text;
    shell_blanks(sh);
    shell_joined_word(sh, &word);
    struct cases c = {.word = &word, .before = sh->state};
    c.known = shell_unresolved(&word) < 0 && shell_uncertain(&word) < 0;
    expect(sh, "in", from, "case");
    for (shell_gap(sh); !sh->failed && !shell_next_is(sh, "esac"); shell_gap(sh)) {
        if (sh->text[sh->at] == '\0') {
            shell_fail(sh, from, "this case does not end: esac is missing");
            return;
        }
        branch(sh, &c, from);
        shell_gap(sh);
        while (sh->text[sh->at] == ';' || sh->text[sh->at] == '&')
            sh->at++;
    }
    shell_take(sh, "esac");
    if (!c.any)
        return;
    if (c.has_default)
        sh->state = c.all;
    else
        shell_state_merge(
            sh, &c.all,
            shell_reason(sh, from, "depends on this case, which only a shell can evaluate"));
}

// ---- groups ---------------------------------------------------------------------------------

static void group(struct shell *sh, size_t from)
{
    static const char *const stops[] = {"}", NULL};
    shell_commands(sh, stops);
    if (sh->text[sh->at] == '}')
        sh->at++;
    else
        shell_fail(sh, from, "this { does not end");
}

// Assignments inside parentheses have no effect outside of them.
static void subshell(struct shell *sh, size_t from)
{
    static const char *const stops[] = {")", NULL};
    const struct shell_state before = shell_state_copy(sh);
    shell_commands(sh, stops);
    sh->state = before;
    if (sh->text[sh->at] == ')')
        sh->at++;
    else
        shell_fail(sh, from, "this ( does not end");
}

// ---- all blocks ------------------------------------------------------------------------------

static bool keyword_block(struct shell *sh, size_t from)
{
    if (shell_take(sh, "if")) {
        if_branches(sh, from);
        expect(sh, "fi", from, "if");
    } else if (shell_take(sh, "for") || shell_take(sh, "select")) {
        for_loop(sh, from);
    } else if (shell_take(sh, "while")) {
        while_loop(sh, from, SHELL_FALSE);
    } else if (shell_take(sh, "until")) {
        while_loop(sh, from, SHELL_TRUE);
    } else if (shell_take(sh, "case")) {
        case_block(sh, from);
    } else if (shell_take(sh, "{")) {
        group(sh, from);
    } else {
        return shell_function_next(sh);
    }
    return true;
}

bool shell_block(struct shell *sh, enum shell_status *status)
{
    const size_t from = sh->at;
    bool found = true;
    *status = SHELL_UNKNOWN;
    if (++sh->depth > SHELL_DEEPEST) {
        shell_fail(sh, from, "blocks nested deeper than %d", SHELL_DEEPEST);
    } else if (shell_take(sh, "[[")) {
        *status = shell_double_brackets(sh, from);
    } else if (strncmp(sh->text + from, "((", 2) == 0) {
        *status = shell_double_parentheses(sh, from);
    } else if (sh->text[from] == '(') {
        sh->at++;
        subshell(sh, from);
    } else {
        found = keyword_block(sh, from);
    }
    sh->depth--;
    return found;
}
