// SPDX-License-Identifier: Apache-2.0
// Reads the results that a program prints.
#include "engine/program/program_private.h"

#include "base/text/decimal_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- JSON -------------------------------------------------------------------------------------

// Python's json writes NaN and Infinity, which are no JSON: they become null, or an empty text
// where there is no room for it.
static char *without_nan(const char *text, size_t n)
{
    static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
    char *copy = malloc(n + 1);
    bool quoted = false;
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, n);
    copy[n] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (quoted && copy[i] == '\\')
            i++;
        else if (copy[i] == '"')
            quoted = !quoted;
        for (size_t w = 0; !quoted && w < 3; w++) {
            const size_t length = strlen(words[w]);
            if (n - i < length || memcmp(copy + i, words[w], length) != 0)
                continue;
            memset(copy + i, ' ', length);
            memcpy(copy + i, length < 4 ? "\"\"" : "null", length < 4 ? 2 : 4);
            i += length - 1;
            break;
        }
    }
    return copy;
}

bool pps_answer_scan_json(const char *text, size_t n, pps_said_fn *found, void *self)
{
    const cJSON *item;
    char *copy = without_nan(text, n);
    cJSON *root = copy != NULL ? cJSON_Parse(copy) : NULL;
    const bool is_object = cJSON_IsObject(root);
    free(copy);
    cJSON_ArrayForEach (item, root) {
        struct pps_said said = {.name = item->string};
        if (!is_object)
            break;
        said.name_n = strlen(item->string);
        said.number = cJSON_IsBool(item) ? cJSON_IsTrue(item) : item->valuedouble;
        if (cJSON_IsString(item))
            said.text = item->valuestring;
        else if (cJSON_IsNull(item))
            said.text = "";
        said.text_n = said.text != NULL ? strlen(said.text) : 0;
        said.quoted = said.text_n > 0;
        if (!cJSON_IsObject(item) && !cJSON_IsArray(item))
            found(self, &said);
    }
    cJSON_Delete(root);
    return is_object;
}

// ---- name=value -------------------------------------------------------------------------------

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-' || c == '/';
}

static bool scan_pairs(const char *text, size_t n, pps_said_fn *found, void *self)
{
    bool any = false;
    for (size_t i = 1; i + 1 < n; i++) {
        size_t start = i, end = i + 1;
        if (text[i] != '=' || text[i + 1] == '=')
            continue;
        while (start > 0 && is_name_character(text[start - 1]))
            start--;
        while (end < n && !isspace((unsigned char)text[end]) && text[end] != ',' &&
               text[end] != ';')
            end++;
        if (start == i || isdigit((unsigned char)text[start]) || end == i + 1)
            continue;
        const struct pps_said said = {text + start, i - start, text + i + 1, end - i - 1, 0, 0};
        found(self, &said);
        any = true;
        i = end - 1;
    }
    return any;
}

// ---- CSV --------------------------------------------------------------------------------------

static int count_cells(const char *line)
{
    int n = 1;
    for (; *line != '\0'; line++)
        n += *line == ',';
    return n;
}

// Returns the cell at *at without blanks and quotes around it, and moves behind its comma.
static const char *next_cell(const char **at, size_t *n)
{
    const char *start = *at + strspn(*at, " \t\"");
    const char *end = *at + strcspn(*at, ",");
    *at = *end == ',' ? end + 1 : end;
    while (end > start && strchr(" \t\"\r", end[-1]) != NULL)
        end--;
    *n = end > start ? (size_t)(end - start) : 0;
    return start;
}

bool pps_answer_scan_csv(const char *header, const char *line, pps_said_fn *found, void *self)
{
    const int n = count_cells(header);
    if (count_cells(line) != n)
        return false;
    for (int i = 0; i < n; i++) {
        struct pps_said said = {.number = 0};
        said.name = next_cell(&header, &said.name_n);
        said.text = next_cell(&line, &said.text_n);
        found(self, &said);
    }
    return true;
}

// Whether all cells of a line are names.
static bool is_header(const char *line)
{
    for (int n = count_cells(line); n > 0; n--) {
        size_t length;
        double number;
        const char *cell = next_cell(&line, &length);
        if (length == 0 || pps_decimal_read(cell, length, &number))
            return false;
        for (size_t i = 0; i < length; i++)
            if (!is_name_character(cell[i]))
                return false;
    }
    return true;
}

// ---- all of them ------------------------------------------------------------------------------

// Cuts the last line that is not empty off the text of *n bytes and returns it; NULL: there is none.
static char *last_line(char *text, size_t *n)
{
    while (*n > 0 && isspace((unsigned char)text[*n - 1]))
        (*n)--;
    text[*n] = '\0';
    size_t start = *n;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    if (*n == 0)
        return NULL;
    *n = start;
    return text + start;
}

static bool scan_lines(char *text, size_t n, pps_said_fn *found, void *self)
{
    char *line = last_line(text, &n);
    if (line == NULL)
        return false;
    const size_t line_n = strlen(line);
    if (line[0] == '{' && pps_answer_scan_json(line, line_n, found, self))
        return true;
    if (scan_pairs(text, n + line_n, found, self))
        return true;
    const char *header = last_line(text, &n);
    return header != NULL && is_header(header) &&
           pps_answer_scan_csv(header, line, found, self);
}

bool pps_answer_scan(const char *text, size_t n, pps_said_fn *found, void *self)
{
    const size_t blanks = text != NULL ? strspn(text, " \t\r\n") : 0;
    if (text == NULL || n == 0)
        return false;
    if (text[blanks] == '{' && pps_answer_scan_json(text + blanks, n - blanks, found, self))
        return true;
    char *copy = malloc(n + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    const bool any = scan_lines(copy, n, found, self);
    free(copy);
    return any;
}

// ---- results of a point -----------------------------------------------------------------------

void pps_answer_begin(struct pps_answer *answer, const struct pps_program *program)
{
    answer->program = program;
    memset(answer->known, 0, sizeof answer->known);
}

// A name in an answer may have characters that a column has not: "train/loss" is train_loss.
static int find_column(const struct pps_program *program, const char *name, size_t n)
{
    char plain[64];
    if (n >= sizeof plain)
        return -1;
    for (size_t i = 0; i < n; i++)
        plain[i] = isalnum((unsigned char)name[i]) ? name[i] : '_';
    return pps_column_find(&program->kernel, plain, n);
}

static void take_text(char *out, const char *text, size_t n)
{
    n = n < PPS_PROGRAM_TEXT ? n : PPS_PROGRAM_TEXT;
    for (size_t i = 0; i < n; i++)
        out[i] = text[i] == ',' ? ';' : text[i] == '"' ? '\'' : text[i];
    for (size_t i = 0; i < n; i++)
        if (iscntrl((unsigned char)out[i]))
            out[i] = ' ';
    out[n] = '\0';
}

static double number_of(const struct pps_said *said)
{
    double number;
    if (said->text == NULL)
        return said->number;
    if (pps_decimal_read(said->text, said->text_n, &number))
        return number;
    const char first = said->text_n > 0 ? said->text[0] : '\0';
    if (said->text_n == 4 && strncasecmp(said->text, "true", 4) == 0)
        return 1;
    if (said->text_n == 5 && strncasecmp(said->text, "false", 5) == 0 && first != '\0')
        return 0;
    return (double)NAN;
}

void pps_answer_take(void *self, const struct pps_said *said)
{
    struct pps_answer *answer = self;
    const int c = find_column(answer->program, said->name, said->name_n);
    if (c < 0)
        return;
    answer->known[c] = true;
    answer->texts[c][0] = '\0';
    answer->numbers[c] = number_of(said);
    if (!isfinite(answer->numbers[c]))
        answer->numbers[c] = (double)NAN;
    if (said->text != NULL)
        take_text(answer->texts[c], said->text, said->text_n);
    else
        snprintf(answer->texts[c], sizeof answer->texts[c], "%.15g", said->number);
}

bool pps_answer_complete(const struct pps_answer *answer, char why[PPS_PROGRAM_WHY])
{
    const struct pps_kernel *kernel = &answer->program->kernel;
    for (int c = 0; c < kernel->n_columns; c++)
        if (!answer->known[c]) {
            snprintf(why, PPS_PROGRAM_WHY, "printed no result %s", kernel->columns[c].name);
            return false;
        }
    if (isfinite(answer->numbers[0]))
        return true;
    snprintf(why, PPS_PROGRAM_WHY, "its result %s is not a finite number: %.60s",
             kernel->columns[0].name, answer->texts[0]);
    return false;
}
