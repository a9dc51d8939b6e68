// SPDX-License-Identifier: Apache-2.0
// Reads commands: lists with ; && || and |, redirections, assignments, and words of commands.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static const struct shell_text no_text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};

// ---- reserved words --------------------------------------------------------------------------

bool shell_next_is(const struct shell *sh, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(sh->text + sh->at, word, n) != 0)
        return false;
    const char next = sh->text[sh->at + n];
    return next == '\0' || strchr(" \t\r\n;&|()<>", next) != NULL;
}

bool shell_take(struct shell *sh, const char *word)
{
    if (!shell_next_is(sh, word))
        return false;
    sh->at += strlen(word);
    return true;
}

// ---- commands that change variables ----------------------------------------------------------

static bool is_word(const struct shell_text *word, const char *text)
{
    return strcmp(word->bytes, text) == 0;
}

static void assign_from_outside(struct shell *sh, const struct shell_words *words, size_t from)
{
    for (size_t i = 1; i < words->n; i++) {
        const struct shell_text *word = &words->items[i];
        if (shell_is_name(word->bytes[0], true))
            shell_assign(
                sh, word->bytes, word->n,
                shell_unknown(sh, shell_reason(sh, from, "comes from the command %.40s",
                                               words->items[0].bytes)));
    }
}

static void evaluate_again(struct shell *sh, const struct shell_words *words, size_t first,
                           size_t from)
{
    struct shell_text text = no_text;
    for (size_t i = first; i < words->n; i++) {
        if (i > first)
            shell_text_byte(sh, &text, ' ', SHELL_COMPUTED);
        shell_text_add(sh, &text, &words->items[i]);
    }
    shell_read_again(sh, &text, from, sh->at);
}

// Words that hold a whole command, as after bash -c or ssh HOST.
static void evaluate_strings(struct shell *sh, const struct shell_words *words, size_t from)
{
    for (size_t i = 1; i < words->n; i++) {
        const char *word = words->items[i].bytes;
        if (strstr(word, ".py ") != NULL || strstr(word, "torchrun ") != NULL)
            shell_read_again(sh, &words->items[i], from, sh->at);
    }
}

// Evaluates a builtin command. false: the words are another command.
static bool builtin(struct shell *sh, const struct shell_words *words, size_t from,
                    enum shell_status *status)
{
    const struct shell_text *first = &words->items[0];
    *status = SHELL_TRUE;
    if (is_word(first, "exit") || is_word(first, "exec"))
        sh->state.end = is_word(first, "exit") || words->n > 1 ? SHELL_EXITED : SHELL_RUNS;
    else if (is_word(first, "return"))
        sh->state.end = SHELL_RETURNED;
    else if (is_word(first, "unset"))
        for (size_t i = 1; i < words->n; i++)
            shell_unset(sh, words->items[i].bytes, words->items[i].n);
    else if (is_word(first, "read") || is_word(first, "mapfile") ||
             is_word(first, "readarray") || is_word(first, "getopts") || is_word(first, "let"))
        assign_from_outside(sh, words, from);
    else if (is_word(first, "eval"))
        evaluate_again(sh, words, 1, from);
    else if (is_word(first, "[") && is_word(&words->items[words->n - 1], "]"))
        *status = shell_test(words->items + 1, words->n - 2);
    else if (is_word(first, "test"))
        *status = shell_test(words->items + 1, words->n - 1);
    else if (is_word(first, "false"))
        *status = SHELL_FALSE;
    else
        return is_word(first, "true") || is_word(first, ":") || is_word(first, "echo") ||
               is_word(first, "set") || is_word(first, "printf");
    return true;
}

static enum shell_status run(struct shell *sh, const struct shell_words *words, size_t from)
{
    enum shell_status status = SHELL_UNKNOWN;
    const bool bare = words->items[0].n > 2 && strncmp(words->items[0].bytes, "--", 2) == 0;
    for (size_t i = 0; i < sh->n_functions; i++)
        if (is_word(&words->items[0], sh->functions[i].name)) {
            shell_call(sh, &sh->functions[i], words);
            return SHELL_UNKNOWN;
        }
    const bool exec = is_word(&words->items[0], "exec") && words->n > 1;
    if (exec || !builtin(sh, words, from, &status)) {
        shell_note_list(sh, from, sh->at);
        shell_note_command(sh, words, from, sh->at, bare);
        evaluate_strings(sh, words, from);
        status = SHELL_UNKNOWN;
    }
    if (exec)
        sh->state.end = SHELL_EXITED;
    return status;
}

// ---- simple commands -------------------------------------------------------------------------

static bool declares(const struct shell_words *words)
{
    static const char *const names[] = {"export", "local", "readonly", "declare", "typeset"};
    for (size_t i = 0; words->n > 0 && i < COUNT_OF(names); i++)
        if (is_word(&words->items[0], names[i]))
            return true;
    return false;
}

// Returns whether a command follows the assignments here: then they are for the command alone.
static bool are_for_command(struct shell *sh)
{
    const size_t at = sh->at;
    sh->dead++;
    while (shell_assignment(sh, false))
        shell_blanks(sh);
    sh->dead--;
    const char c = sh->text[sh->at];
    const bool command = sh->at > at && c != '\0' && strchr("\n;&|<>)#", c) == NULL;
    sh->at = at;
    return command;
}

// Reads the words of a command, and assignments before them or after a word such as export.
// *end: past the last word.
static void read_words(struct shell *sh, struct shell_words *words, size_t *end)
{
    const bool live = !are_for_command(sh);
    bool names = true;
    for (;;) {
        *end = sh->at;
        shell_blanks(sh);
        if (sh->text[sh->at] == '#' || sh->failed)
            return;
        names = names && words->n == 0;
        if ((names || declares(words)) && shell_assignment(sh, live || words->n > 0))
            continue;
        if (!sh->bare && shell_redirection(sh))
            continue;
        if (words->n == 0)
            sh->bare = strncmp(sh->text + sh->at, "--", 2) == 0;
        if (!shell_word(sh, words))
            return;
    }
}

static enum shell_status simple_command(struct shell *sh)
{
    struct shell_words words = {.items = NULL};
    const size_t from = sh->at;
    size_t end;
    read_words(sh, &words, &end);
    sh->bare = false;
    if (sh->at == from && !sh->failed)
        shell_fail(sh, from, "expected a command");
    const size_t after = sh->at;
    sh->at = end;
    enum shell_status status = SHELL_TRUE;
    if (words.n > 0 && shell_lives(sh) && !declares(&words))
        status = run(sh, &words, from);
    sh->at = after;
    return status;
}

// ---- lists -----------------------------------------------------------------------------------

static enum shell_status run_pipeline(struct shell *sh)
{
    enum shell_status status = SHELL_UNKNOWN;
    bool inverse = false, first = true;
    do {
        shell_gap(sh);
        while (shell_take(sh, "!") || shell_take(sh, "time")) {
            inverse = !inverse;
            shell_blanks(sh);
        }
        enum shell_status one = SHELL_UNKNOWN;
        if (!shell_block(sh, &one))
            one = simple_command(sh);
        status = first ? one : SHELL_UNKNOWN;
        first = false;
        while (!sh->failed && (shell_blanks(sh), shell_redirection(sh)))
            ;
        shell_blanks(sh);
    } while (!sh->failed && sh->text[sh->at] == '|' && sh->text[sh->at + 1] != '|' &&
             (sh->at += sh->text[sh->at + 1] == '&' ? 2 : 1));
    if (inverse && status != SHELL_UNKNOWN)
        status = status == SHELL_TRUE ? SHELL_FALSE : SHELL_TRUE;
    return status;
}

// Reads the command after && or ||, which runs if the status so far is `wanted`.
static enum shell_status next_in_list(struct shell *sh, enum shell_status status,
                                      enum shell_status wanted, size_t at)
{
    if (status != SHELL_UNKNOWN) {
        sh->dead += status != wanted;
        const enum shell_status next = run_pipeline(sh);
        sh->dead -= status != wanted;
        return status != wanted ? status : next;
    }
    struct shell_state before = shell_state_copy(sh);
    run_pipeline(sh);
    shell_state_merge(sh, &before,
                      shell_reason(sh, at, "depends on the command before %s",
                                   wanted == SHELL_TRUE ? "&&" : "||"));
    return SHELL_UNKNOWN;
}

static enum shell_status run_and_or(struct shell *sh)
{
    enum shell_status status = run_pipeline(sh);
    for (;;) {
        const size_t at = sh->at;
        if (sh->failed)
            return SHELL_UNKNOWN;
        if (strncmp(sh->text + at, "&&", 2) != 0 && strncmp(sh->text + at, "||", 2) != 0)
            return status;
        sh->at += 2;
        status = next_in_list(sh, status, sh->text[at] == '&' ? SHELL_TRUE : SHELL_FALSE, at);
    }
}

static bool at_stop(const struct shell *sh, const char *const *stops)
{
    if (sh->text[sh->at] == '\0')
        return true;
    for (; *stops != NULL; stops++)
        if (shell_next_is(sh, *stops) ||
            (strchr(")};", **stops) != NULL &&
             strncmp(sh->text + sh->at, *stops, strlen(*stops)) == 0))
            return true;
    return false;
}

// Skips what ends a command: a newline (and the here-documents after it), ; or &.
static void command_end(struct shell *sh)
{
    shell_blanks(sh);
    if (sh->text[sh->at] == '#')
        sh->at += strcspn(sh->text + sh->at, "\n");
    const char c = sh->text[sh->at];
    if (c == '\n') {
        sh->at++;
        shell_skip_heredocs(sh);
    } else if ((c == ';' && sh->text[sh->at + 1] != ';') || c == '&') {
        sh->at++;
    }
}

bool shell_commands(struct shell *sh, const char *const *stops)
{
    for (;;) {
        const size_t at = sh->at;
        command_end(sh);
        if (sh->at != at)
            continue;
        if (sh->failed || at_stop(sh, stops) || !shell_step(sh))
            return !sh->failed;
        sh->last = run_and_or(sh);
        if (sh->at == at)
            return shell_fail(sh, at, "%c is not expected here", sh->text[at]);
    }
}
