// SPDX-License-Identifier: Apache-2.0
// Splits commands into words, and puts values in place of {NAME}. A value never becomes several words, and no
// shell reads it.
#include "engine/program/program_private.h"

#include "base/text/characters.h"
#include "engine/space/value.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- words ------------------------------------------------------------------------------------

// Reads one word at *at into `out`. Returns false if a quote is open at the end.
static bool read_word(const char **at, struct text_buffer *out)
{
    char quote = '\0';
    text_buffer_add(out, "%s", "");
    for (const char *c = *at;; c++) {
        if (*c == '\0' || (quote == '\0' && isspace((unsigned char)*c))) {
            *at = c;
            return quote == '\0';
        }
        const bool escapes = *c == '\\' && quote != '\'' && c[1] != '\0' &&
                             (quote == '\0' || strchr("\"\\", c[1]) != NULL);
        if (escapes)
            text_buffer_add_bytes(out, ++c, 1);
        else if (*c == quote)
            quote = '\0';
        else if (quote == '\0' && (*c == '\'' || *c == '"'))
            quote = *c;
        else
            text_buffer_add_bytes(out, c, 1);
    }
}

int pps_words_split(const char *text, char **words, int most)
{
    int n = 0;
    for (const char *at = text;;) {
        struct text_buffer word = {.text = NULL};
        while (isspace((unsigned char)*at))
            at++;
        if (*at == '\0')
            return n;
        const bool closed = n < most && read_word(&at, &word);
        if (closed && !word.failed) {
            words[n++] = word.text;
            continue;
        }
        const int why = n == most ? -3 : word.failed ? -1 : -2;
        text_buffer_free(&word);
        while (n > 0) {
            free(words[--n]);
            words[n] = NULL;
        }
        return why;
    }
}

// ---- placeholders -----------------------------------------------------------------------------

// Returns the bytes of the placeholder at the text, {NAME} or {{NAME}}; 0: there is none. *name_n is 0 for {{NAME}}, which
// is text.
static size_t placeholder_at(const char *text, const char **name, size_t *name_n)
{
    const bool is_text = text[0] == '{' && text[1] == '{';
    const char *inner = text + (is_text ? 2 : 1);
    const size_t n = text[0] == '{' ? pps_name_length(inner) : 0;
    if (n == 0 || inner[n] != '}' || (is_text && inner[n + 1] != '}'))
        return 0;
    *name = inner;
    *name_n = is_text ? 0 : n;
    return n + (is_text ? 4 : 2);
}

void pps_words_placeholders(const char *word,
                            void (*placeholder)(void *self, const char *name, size_t n),
                            void *self)
{
    while (*word != '\0') {
        const char *name;
        size_t name_n;
        const size_t n = placeholder_at(word, &name, &name_n);
        if (n > 0 && name_n > 0)
            placeholder(self, name, name_n);
        word += n > 0 ? n : 1;
    }
}

size_t pps_program_value(const struct pps_program *program, int p, double value,
                         char out[PPS_CELL_TEXT])
{
    const struct pps_param *param = &program->params[p];
    size_t n = pps_value_text(param, value, out);
    if (param->kind == PPS_REAL && n > 2 && strcmp(out + n - 2, ".0") == 0)
        out[n -= 2] = '\0';
    return n;
}

void pps_words_fill(const struct pps_program *program, const char *word, const double *point,
                    struct text_buffer *out)
{
    while (*word != '\0') {
        const char *name;
        char value[PPS_CELL_TEXT];
        size_t name_n = 0;
        const size_t n = placeholder_at(word, &name, &name_n);
        if (n == 0) {
            text_buffer_add_bytes(out, word++, 1);
            continue;
        }
        const int p = name_n > 0 ? pps_param_find(&program->kernel, name, name_n) : -1;
        if (p >= 0)
            text_buffer_add_bytes(out, value, pps_program_value(program, p, point[p], value));
        else
            text_buffer_add_bytes(out, word + 1, n - 2);
        word += n;
    }
}
