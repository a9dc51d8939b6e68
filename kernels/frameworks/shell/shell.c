// SPDX-License-Identifier: Apache-2.0
// Reads a launch script: checks the text, runs the interpreter, and finds places of words.
#include "kernels/frameworks/shell/shell.h"

#include "base/text/characters.h"
#include "base/text/grow_list.h"
#include "kernels/frameworks/shell/shell_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shell_block {
    struct shell_block *next;
    size_t used, room;
    max_align_t bytes[];
};

// ---- faults and memory -----------------------------------------------------------------------

bool shell_fail(struct shell *sh, size_t at, const char *format, ...)
{
    va_list args;
    if (sh->failed)
        return false;
    sh->failed = true;
    *sh->fault = (struct pps_fault){.item = NULL};
    pps_find_place(sh->text, at, &sh->fault->line, &sh->fault->column);
    va_start(args, format);
    vsnprintf(sh->fault->text, sizeof sh->fault->text, format, args);
    va_end(args);
    pps_make_printable(sh->fault->text);
    return false;
}

static bool no_memory(struct shell *sh)
{
    sh->failed = true;
    *sh->fault =
        (struct pps_fault){.line = 1, .column = 1, .text = "out of memory for this script"};
    return false;
}

static struct shell_block *new_block(struct shell *sh, size_t n)
{
    const size_t room = n > 65536 ? n : 65536;
    struct shell_block *block = calloc(1, sizeof *block + room);
    if (block == NULL) {
        no_memory(sh);
        return NULL;
    }
    block->room = room;
    block->next = sh->script->blocks;
    return sh->script->blocks = block;
}

void *shell_memory(struct shell *sh, size_t n)
{
    struct shell_block *block = sh->script->blocks;
    n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (sh->failed)
        return NULL;
    if (n > SHELL_MOST_MEMORY - sh->memory) {
        shell_fail(sh, sh->at, "the values of this script need more than %d MiB",
                   SHELL_MOST_MEMORY >> 20);
        return NULL;
    }
    sh->memory += n;
    if (block == NULL || block->room - block->used < n)
        block = new_block(sh, n);
    if (block == NULL)
        return NULL;
    void *bytes = (char *)block->bytes + block->used;
    block->used += n;
    return bytes;
}

bool shell_step(struct shell *sh)
{
    if (++sh->steps <= SHELL_MOST_STEPS)
        return !sh->failed;
    return shell_fail(sh, sh->at, "this script needs more than %d steps", SHELL_MOST_STEPS);
}

// ---- lists of the script ---------------------------------------------------------------------

static bool has_room(struct shell *sh, void **list, size_t *cap, size_t n, size_t unit)
{
    void *grown = sh->failed ? NULL : pps_grow(*list, cap, n + 1, unit);
    if (grown != NULL)
        *list = grown;
    else if (!sh->failed)
        no_memory(sh);
    return grown != NULL;
}

int32_t shell_reason(struct shell *sh, size_t at, const char *format, ...)
{
    struct shell_script *script = sh->script;
    void *list = script->reasons;
    va_list args;
    if (!has_room(sh, &list, &sh->cap_reasons, script->n_reasons, sizeof *script->reasons))
        return 0;
    script->reasons = list;
    struct shell_reason *reason = &script->reasons[script->n_reasons];
    *reason = (struct shell_reason){.at = (int32_t)at};
    va_start(args, format);
    vsnprintf(reason->text, sizeof reason->text, format, args);
    va_end(args);
    return (int32_t)script->n_reasons++;
}

int32_t shell_absent(struct shell *sh, size_t at, const char *name, size_t n)
{
    const bool number = n > 0 && strspn(name, "0123456789") >= n;
    const int32_t reason =
        number ? shell_reason(sh, at, "is parameter $%.*s of the script", (int)n, name)
               : shell_reason(sh, at, "is %s%.*s, which this file does not set",
                              n == 1 && !shell_is_name(*name, true) ? "$" : "",
                              n < 80 ? (int)n : 80, name);
    if (!sh->failed)
        sh->script->reasons[reason].absent = true;
    return reason;
}

void shell_note_list(struct shell *sh, size_t from, size_t to)
{
    struct shell_script *script = sh->script;
    void *list = script->lists;
    if (!has_room(sh, &list, &sh->cap_lists, script->n_lists, sizeof *script->lists))
        return;
    script->lists = list;
    script->lists[script->n_lists++] = (struct shell_list){(int32_t)from, (int32_t)to};
}

// Arguments on several lines without a command are one list.
static bool joins_last(struct shell_script *script, const struct shell_words *words)
{
    return script->n_commands > 0 && script->commands[script->n_commands - 1].bare &&
           words->n > 0;
}

void shell_note_command(struct shell *sh, const struct shell_words *words, size_t from,
                        size_t to, bool bare)
{
    struct shell_script *script = sh->script;
    void *list = script->commands;
    struct shell_words all = {.items = NULL};
    if (words->n == 0 || !shell_lives(sh))
        return;
    if (bare && joins_last(script, words)) {
        struct shell_command *last = &script->commands[script->n_commands - 1];
        for (size_t i = 0; i < last->n; i++)
            shell_words_add(sh, &all, &last->words[i]);
        for (size_t i = 0; i < words->n; i++)
            shell_words_add(sh, &all, &words->items[i]);
        *last = (struct shell_command){all.items, all.n, last->from, (int32_t)to, true};
        return;
    }
    if (!has_room(sh, &list, &sh->cap_commands, script->n_commands, sizeof *script->commands))
        return;
    script->commands = list;
    for (size_t i = 0; i < words->n; i++)
        shell_words_add(sh, &all, &words->items[i]);
    script->commands[script->n_commands++] =
        (struct shell_command){all.items, all.n, (int32_t)from, (int32_t)to, bare};
}

// ---- whole scripts ---------------------------------------------------------------------------

static bool check_text(struct shell *sh)
{
    size_t n = 0;
    if (sh->n > SHELL_MOST_TEXT)
        return shell_fail(sh, 0, "a script of more than %d KiB", SHELL_MOST_TEXT >> 10);
    for (size_t i = 0; i < sh->n; i += n) {
        const unsigned char c = (unsigned char)sh->text[i];
        n = pps_utf8_length(sh->text + i);
        if (n == 0)
            return shell_fail(sh, i, "not UTF-8; save the text as UTF-8");
        if (c == '\0' || c == 0x7f || (c < 0x20 && strchr("\n\r\t", c) == NULL))
            return shell_fail(sh, i, "a control character (U+%04X); remove it", c);
    }
    return true;
}

static bool has_options(const struct shell_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        if (strncmp(words->items[i].bytes, "--", 2) == 0)
            return true;
    return false;
}

// In a file that only sets variables, for another script to use, the arguments are in the variables.
static void take_variables(struct shell *sh)
{
    const struct shell_script *script = sh->script;
    for (size_t i = 0; i < script->n_commands; i++) {
        const struct shell_command *command = &script->commands[i];
        const struct shell_words words = {command->words, command->n, 0};
        if (has_options(&words))
            return;
    }
    for (size_t i = 0; i < sh->state.n; i++) {
        const struct shell_value *value = sh->state.variables[i].value;
        struct shell_words words = {.items = NULL};
        for (size_t k = 0; k < value->n; k++)
            shell_split(sh, &value->items[k], &words);
        if (has_options(&words))
            shell_note_command(sh, &words, 0, 0, true);
    }
}

bool shell_read(struct shell_script *script, const char *text, size_t n,
                struct pps_fault *fault)
{
    static const char *const nothing[] = {NULL};
    struct shell sh = {.script = script, .n = n, .fault = fault};
    *script = (struct shell_script){.text = text, .n = n};
    // The interpreter looks one byte ahead: it works on a copy that ends with NUL.
    char *copy = n <= SHELL_MOST_TEXT ? shell_memory(&sh, n + 1) : NULL;
    if (copy != NULL)
        memcpy(copy, text, n);
    sh.text = copy != NULL ? copy : "";
    if (n > SHELL_MOST_TEXT || copy == NULL) {
        shell_fail(&sh, 0, "a script of more than %d KiB", SHELL_MOST_TEXT >> 10);
    } else if (check_text(&sh)) {
        sh.at = pps_utf8_mark(text, n);
        shell_read_slurm(&sh);
        shell_commands(&sh, nothing);
        sh.state.end = SHELL_RUNS;
        take_variables(&sh);
    }
    script->text = sh.text;
    script->variables = sh.state.variables;
    script->n_variables = sh.state.n;
    if (!sh.failed)
        return true;
    shell_free(script);
    return false;
}

void shell_free(struct shell_script *script)
{
    for (struct shell_block *block = script->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(script->commands);
    free(script->uses);
    free(script->reasons);
    free(script->lists);
    *script = (struct shell_script){.text = NULL};
}
