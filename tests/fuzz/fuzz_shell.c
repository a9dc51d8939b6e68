// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a launch script. An accepted script has places inside its text; a
// rejected script has a place and a reason of one line. A change of an argument changes nothing else.
#include "kernels/frameworks/shell/shell_edit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static enum shell_kind kind_of(const char *name)
{
    return strcmp(name, "a") == 0   ? SHELL_ONE
           : strcmp(name, "b") == 0 ? SHELL_FLAG
           : strcmp(name, "c") == 0 ? SHELL_MANY
                                    : SHELL_OTHER;
}

static void check_word(const struct shell_script *script, const struct shell_text *word,
                       const struct shell_text *first)
{
    size_t from, to;
    require(word->bytes[word->n] == '\0' && shell_word_at(word, script) <= script->n);
    require(shell_unresolved(word) < (int32_t)script->n_reasons);
    require(shell_uncertain(word) < (int32_t)script->n_reasons);
    if (shell_literal(script, word, &from, &to))
        require(from < to && to <= script->n);
    if (shell_beside(script, word, first, &from, &to))
        require(from < to && to <= script->n);
}

static void check_fault(const struct pps_fault *fault)
{
    require(fault->line > 0 && fault->column > 0 && fault->text[0] != '\0');
    for (const char *c = fault->text; *c != '\0'; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f);
}

static void check_edit(const char *text, size_t n)
{
    static const char *const siblings[] = {"a", NULL};
    struct shell_edit edit;
    struct pps_fault fault;
    struct text_edit changes = {.changes = NULL};
    struct text_buffer out = {.text = NULL};
    require(shell_edit_begin(&edit, text, n, kind_of, &fault));
    if (shell_set(&edit, "a", "7|8", siblings) && shell_set(&edit, "b", "", siblings) &&
        shell_remove(&edit, "c")) {
        require(shell_edit_finish(&edit, &changes));
        text_edit_apply(&changes, text, n, &out);
        require(out.n == edit.n && memcmp(out.text, edit.text, out.n) == 0);
    } else {
        check_fault(&fault);
    }
    text_edit_free(&changes);
    text_buffer_free(&out);
    shell_edit_free(&edit);
}

static bool is_normal(const char *text, size_t n)
{
    return memchr(text, '\r', n) == NULL && (n < 3 || memcmp(text, "\xef\xbb\xbf", 3) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct shell_script script;
    struct pps_fault fault;
    // An exact copy: AddressSanitizer finds reads beyond its end.
    char *text = malloc(size > 0 ? size : 1);
    require(text != NULL);
    memcpy(text, data, size);
    if (!shell_read(&script, text, size, &fault)) {
        check_fault(&fault);
        free(text);
        return 0;
    }
    for (size_t i = 0; i < script.n_commands; i++)
        for (size_t k = 0; k < script.commands[i].n; k++)
            check_word(&script, &script.commands[i].words[k], &script.commands[i].words[0]);
    shell_free(&script);
    if (is_normal(text, size) && size < 4096)
        check_edit(text, size);
    free(text);
    return 0;
}
