// SPDX-License-Identifier: Apache-2.0
// Reads lists of words from the tables of options.
#include "engine/command/option_values.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

static void add(struct pps_opt_values *values, const char *text, size_t n)
{
    if (values->n < PPS_OPT_MAX_VALUES)
        snprintf(values->word[values->n++], sizeof values->word[0], "%.*s", (int)n, text);
}

// Returns the length of the word at `text`; 0 if there is none. Names of arguments, in capitals, are
// not words.
static size_t word_length(const char *text)
{
    if (!islower((unsigned char)text[0]) && !isdigit((unsigned char)text[0]))
        return 0;
    return strspn(text, LETTERS);
}

// "lower|higher"
static void read_argument(const char *arg, struct pps_opt_values *values)
{
    for (const char *at = arg;; at++) {
        const size_t n = word_length(at);
        if (n == 0 || (at[n] != '|' && at[n] != '\0')) {
            values->n = 0;
            return;
        }
        add(values, at, n);
        at += n;
        if (*at == '\0')
            return;
    }
}

// Returns the text behind the separator at `text`, or NULL. Sets *last before the last word.
static const char *behind_separator(const char *text, bool *last)
{
    static const char *const joins[] = {", or ", " or ", " and "};
    for (size_t j = 0; j < sizeof joins / sizeof *joins; j++)
        if (strncmp(text, joins[j], strlen(joins[j])) == 0) {
            *last = true;
            return text + strlen(joins[j]);
        }
    return strncmp(text, ", ", 2) == 0 ? text + 2 : NULL;
}

static bool ends_list(const char *text)
{
    static const char *const ends[] = {" (", "; ", ": ", ", ", " for "};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
        if (strncmp(text, ends[e], strlen(ends[e])) == 0)
            return true;
    return text[0] == '\0';
}

// Reads the list that begins at `text`. A word that the sentence goes on with is not part of it.
static void read_list(const char *text, struct pps_opt_values *values)
{
    bool joined = false; // the word at `text` is the last one
    values->n = 0;
    for (;;) {
        bool last = false;
        const size_t n = word_length(text);
        const char *next = n > 0 ? behind_separator(text + n, &last) : NULL;
        if (n == 0 || (next == NULL && !ends_list(text + n))) {
            if (joined || strncmp(text + n, " ...", 4) == 0)
                values->n = 0;
            break;
        }
        add(values, text, n);
        if (joined || next == NULL)
            break;
        joined = last;
        text = next;
    }
    if (values->n < (joined ? 2U : 3U))
        values->n = 0;
}

void pps_opt_values_read(const struct pps_opt *option, struct pps_opt_values *values)
{
    static const char *const lists[] = {"NAME", "HOW",   "FORMAT", "FRAMEWORK", "WORD",
                                        "LIST", "KINDS", "FORM",   "METHOD:N",  "STAGE"};
    bool listed = false;
    values->n = 0;
    if (option->arg == NULL || option->help == NULL)
        return;
    if (strchr(option->arg, '|') != NULL) {
        read_argument(option->arg, values);
        return;
    }
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        listed = listed || strcmp(option->arg, lists[l]) == 0;
    for (const char *at = option->help; listed && at != NULL && values->n == 0;) {
        read_list(at, values);
        at = strstr(at, ": ");
        at = at != NULL ? at + 2 : NULL;
    }
}
