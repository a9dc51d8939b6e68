// SPDX-License-Identifier: Apache-2.0
// Finds the ends of strings, statements and functions in the text of a Python file.
#include "kernels/frameworks/python/python_text_private.h"

#include "kernels/frameworks/python/python.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool python_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t python_skip_string(const char *text, size_t at)
{
    const char quote = text[at];
    const bool triple = text[at + 1] == quote && text[at + 2] == quote;
    at += triple ? 3 : 1;
    for (; text[at] != '\0'; at++) {
        if (text[at] == '\\' && text[at + 1] != '\0')
            at++;
        else if (!triple && (text[at] == quote || text[at] == '\n'))
            return at + (text[at] == quote);
        else if (triple && text[at] == quote && text[at + 1] == quote && text[at + 2] == quote)
            return at + 3;
    }
    return at;
}

size_t python_skip_blanks(const char *text, size_t at, bool lines)
{
    for (;;) {
        if (text[at] == '#')
            at += strcspn(text + at, "\n");
        else if (text[at] == ' ' || text[at] == '\t' || (lines && text[at] == '\n'))
            at++;
        else if (text[at] == '\\' && text[at + 1] == '\n')
            at += 2;
        else
            return at;
    }
}

size_t python_skip_to(const char *text, size_t at, const char *ends)
{
    int open = 0;
    for (; text[at] != '\0'; at++) {
        if (text[at] == '"' || text[at] == '\'') {
            at = python_skip_string(text, at) - 1;
            continue;
        }
        if (text[at] == '#') {
            at += strcspn(text + at, "\n");
            if (text[at] == '\0')
                return at;
        }
        if (open == 0 && strchr(ends, text[at]) != NULL)
            return at;
        open += strchr("([{", text[at]) != NULL;
        if (strchr(")]}", text[at]) != NULL && open-- == 0)
            return at;
    }
    return at;
}

size_t python_end_of_statement(const char *text, size_t at)
{
    for (;;) {
        at = python_skip_to(text, at, "\n");
        if (text[at] != ')' && text[at] != ']' && text[at] != '}')
            return at;
        at++; // a bracket too many
    }
}

size_t python_indent_of(const char *text, size_t at)
{
    size_t n = 0;
    while (at > 0 && text[at - 1] != '\n')
        at--;
    while (text[at + n] == ' ' || text[at + n] == '\t')
        n++;
    return n;
}

void python_find_functions(struct python_functions *functions, const char *text)
{
    functions->n = 0;
    for (size_t at = 0; text[at] != '\0' && functions->n < PYTHON_MOST_FUNCTIONS;) {
        const size_t end = python_end_of_statement(text, at);
        if (strncmp(text + at, "def ", 4) == 0) {
            struct python_function *f = &functions->list[functions->n++];
            f->at = at + 4;
            snprintf(f->name, sizeof f->name, "%.*s", (int)strcspn(text + f->at, "( :\n"),
                     text + f->at);
            f->body = end;
            f->end = end;
        } else if (functions->n > 0 && text[at] != '\n' && text[at] != '#') {
            // The body goes on as long as lines are indented.
            struct python_function *f = &functions->list[functions->n - 1];
            const bool inside = text[at] == ' ' || text[at] == '\t' || text[at] == ')';
            if (inside && f->end + 1 >= at)
                f->end = end;
        }
        if (functions->n > 0 && (text[at] == '\n' || text[at] == '#') &&
            functions->list[functions->n - 1].end + 1 >= at)
            functions->list[functions->n - 1].end = end;
        at = end + (text[end] != '\0');
    }
    for (size_t k = 0; k < functions->n; k++)
        functions->list[k].body = python_skip_blanks(text, functions->list[k].body, true);
}
