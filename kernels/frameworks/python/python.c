// SPDX-License-Identifier: Apache-2.0
// Evaluates the literal values of Python functions.
#include "kernels/frameworks/python/python.h"

#include "base/document/json.h"
#include "base/text/grow_list.h"
#include "base/text/number.h"
#include "kernels/frameworks/python/python_items_private.h"
#include "kernels/frameworks/python/python_text_private.h"
#include "kernels/frameworks/shell/shell_settings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128, DEEPEST = 24 };

struct variable {
    char name[NAME];
    cJSON *value;
};

// The variables of a function that is read.
struct frame {
    struct variable *list;
    size_t n, room;
};

// ---- expressions --------------------------------------------------------------------------------

static cJSON *read_value(struct python *p, struct frame *f, size_t *at, const char *ends);
static cJSON *call(struct python *p, const struct python_function *function);

static cJSON *read_string(struct python *p, size_t *at)
{
    const size_t from = *at, end = python_skip_string(p->text, from);
    const size_t quotes =
        p->text[from + 1] == p->text[from] && p->text[from + 2] == p->text[from] ? 3 : 1;
    const size_t n = end >= from + 2 * quotes ? end - from - 2 * quotes : 0;
    char *text = strndup(p->text + from + quotes, n);
    cJSON *item = text != NULL ? cJSON_CreateString(text) : NULL;
    free(text);
    *at = end;
    return python_note(p, item, from, end, from);
}

// Reads [a, b] or (a, b) or {"k": v}.
static cJSON *read_list(struct python *p, struct frame *f, size_t *at)
{
    const size_t from = *at;
    const bool map = p->text[from] == '{';
    cJSON *list = map ? cJSON_CreateObject() : cJSON_CreateArray();
    size_t i = python_skip_blanks(p->text, from + 1, true);
    while (p->text[i] != '\0' && strchr(")]}", p->text[i]) == NULL && !p->failed &&
           list != NULL) {
        const size_t before = i;
        cJSON *item = read_value(p, f, &i, map ? ":," : ",");
        if (map && item != NULL && p->text[i] == ':') {
            i = python_skip_blanks(p->text, i + 1, true);
            cJSON *value = read_value(p, f, &i, ",");
            python_put(p, list, cJSON_IsString(item) ? item->valuestring : "?", value);
            python_forget(p, item);
        } else if (map) {
            python_forget(p, item);
        } else if (item != NULL) {
            cJSON_AddItemToArray(list, item);
        }
        if (p->text[i] == ',' || (i == before && p->text[i] != '\0'))
            i++;
        i = python_skip_blanks(p->text, i, true);
    }
    *at = i + (p->text[i] != '\0');
    return python_note(p, list, from, *at, from);
}

// Reads the arguments behind "(".
static cJSON *read_arguments(struct python *p, struct frame *f, const char *name, size_t from,
                             size_t *at)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *unnamed = cJSON_AddArrayToObject(object, "_args");
    cJSON_AddStringToObject(object, "_call", name);
    size_t i = python_skip_blanks(p->text, *at, true);
    while (p->text[i] != '\0' && p->text[i] != ')' && !p->failed && unnamed != NULL) {
        const size_t key = i, before = i;
        char word[NAME];
        size_t n = 0;
        while (python_is_name(p->text[i + n]))
            n++;
        const size_t sign = python_skip_blanks(p->text, i + n, true);
        const bool named =
            n > 0 && n < NAME && p->text[sign] == '=' && p->text[sign + 1] != '=';
        snprintf(word, sizeof word, "%.*s", named ? (int)n : 0, p->text + i);
        if (named)
            i = python_skip_blanks(p->text, sign + 1, true);
        cJSON *item = read_value(p, f, &i, ",");
        struct pps_json_place *place = named && item != NULL ? python_place_of(p, item) : NULL;
        if (place != NULL) {
            place->key_at = key;
            python_put(p, object, word, item);
        } else if (item != NULL) {
            cJSON_AddItemToArray(unnamed, item);
        }
        if (p->text[i] == ',' || (i == before && p->text[i] != '\0'))
            i++;
        i = python_skip_blanks(p->text, i, true);
    }
    *at = i + (p->text[i] == ')');
    return python_note(p, object, from, *at, from);
}

static const struct variable *find(const struct frame *f, const char *name, size_t n)
{
    for (size_t k = f->n; k-- > 0;)
        if (strlen(f->list[k].name) == n && strncmp(f->list[k].name, name, n) == 0)
            return &f->list[k];
    return NULL;
}

// Returns what a name with attributes stands for; NULL: unknown.
static const cJSON *look_up(const struct frame *f, const char *name)
{
    const size_t n = strcspn(name, ".");
    const struct variable *v = find(f, name, n);
    const cJSON *item = v != NULL ? v->value : NULL;
    for (name += n; item != NULL && *name == '.';) {
        char key[NAME];
        const size_t length = strcspn(++name, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, name);
        item = pps_json_member(item, key);
        name += length;
    }
    return item;
}

// Reads what the file sets a name to outside of functions; NULL: it does not.
static cJSON *read_global(struct python *p, const char *name)
{
    struct frame none = {.list = NULL};
    const size_t n = strlen(name);
    if (strchr(name, '.') != NULL || p->depth + 1 > DEEPEST)
        return NULL;
    for (size_t at = 0; p->text[at] != '\0';) {
        const size_t end = python_end_of_statement(p->text, at);
        size_t sign = at + n;
        if (strncmp(p->text + at, name, n) == 0 && !python_is_name(p->text[sign])) {
            sign = python_skip_blanks(p->text, sign, false);
            sign = p->text[sign] == ':' ? python_skip_to(p->text, sign, "=\n") : sign;
            if (p->text[sign] == '=' && p->text[sign + 1] != '=') {
                size_t from = python_skip_blanks(p->text, sign + 1, false);
                return read_value(p, &none, &from, "\n");
            }
        }
        at = end + (p->text[end] != '\0');
    }
    return NULL;
}

static cJSON *read_named(struct python *p, struct frame *f, size_t *at)
{
    static const char *const words[] = {"True", "False", "None"};
    const size_t from = *at;
    char name[NAME];
    size_t n = 0;
    while (python_is_name(p->text[from + n]) || p->text[from + n] == '.')
        n++;
    snprintf(name, sizeof name, "%.*s", (int)n, p->text + from);
    *at = from + n;
    for (int k = 0; k < 3; k++)
        if (strcmp(name, words[k]) == 0)
            return python_note(p, k == 2 ? cJSON_CreateNull() : cJSON_CreateBool(k == 0), from,
                               *at, from);
    const size_t next = python_skip_blanks(p->text, *at, false);
    if (p->text[next] != '(') {
        const cJSON *item = look_up(f, name);
        if (item != NULL)
            return python_copy_of(p, item);
        cJSON *global = find(f, name, strlen(name)) == NULL ? read_global(p, name) : NULL;
        return global != NULL ? global : python_unknown(p, from, *at);
    }
    *at = next + 1;
    cJSON *arguments = read_arguments(p, f, name, from, at);
    while (p->text[*at] == '.' && arguments != NULL && !p->failed) {
        // A method of what the call returns stands for the call.
        size_t method = *at + 1;
        while (python_is_name(p->text[method]))
            method++;
        if (p->text[method] != '(')
            break;
        *at = method + 1;
        python_forget(p, read_arguments(p, f, "method", method, at));
    }
    for (size_t k = 0; k < p->functions->n; k++)
        if (strcmp(p->functions->list[k].name, name) == 0) {
            cJSON *result = call(p, &p->functions->list[k]);
            if (result == NULL)
                return arguments;
            python_forget(p, arguments);
            return result;
        }
    return arguments;
}

static cJSON *read_number(struct python *p, size_t *at)
{
    const size_t from = *at;
    char digits[64];
    size_t n = 0, used = 0;
    double value;
    for (; python_is_name(p->text[from + n]) || p->text[from + n] == '.' ||
           ((p->text[from + n] == '-' || p->text[from + n] == '+') &&
            (n == 0 || tolower((unsigned char)p->text[from + n - 1]) == 'e'));
         n++)
        if (p->text[from + n] != '_' && used + 1 < sizeof digits)
            digits[used++] = p->text[from + n];
    *at = from + (n > 0 ? n : 1);
    if (!number_text_read(digits, used, &value))
        return python_unknown(p, from, *at);
    return python_note(p, cJSON_CreateNumber(value), from, *at, from);
}

static cJSON *read_primary(struct python *p, struct frame *f, size_t *at)
{
    const char *c = p->text + *at;
    if (*c == '"' || *c == '\'')
        return read_string(p, at);
    if ((*c == 'r' || *c == 'b') && (c[1] == '"' || c[1] == '\'')) {
        ++*at;
        return read_string(p, at);
    }
    if (*c == '[' || *c == '{')
        return read_list(p, f, at);
    if (*c == '(') {
        const size_t from = *at;
        *at = python_skip_blanks(p->text, from + 1, true);
        cJSON *item = read_value(p, f, at, ",");
        if (p->text[*at] == ')') {
            ++*at;
            return item;
        }
        python_forget(p, item);
        *at = from;
        return read_list(p, f, at);
    }
    if (isdigit((unsigned char)*c) ||
        ((*c == '-' || *c == '+') && isdigit((unsigned char)c[1])))
        return read_number(p, at);
    return isalpha((unsigned char)*c) || *c == '_' ? read_named(p, f, at)
                                                   : python_unknown(p, *at, *at + (*c != '\0'));
}

// Returns the value of a product or a sum of whole numbers; NaN: unknown.
static double result_of(double a, char sign, double b)
{
    return sign == '*'   ? a * b
           : sign == '+' ? a + b
           : sign == '-' ? a - b
           : b != 0      ? floor(a / b)
                         : (double)NAN;
}

// Reads a value up to one of the characters, a closing bracket, or the end of the line outside brackets.
static cJSON *read_value(struct python *p, struct frame *f, size_t *at, const char *ends)
{
    const size_t from = *at;
    if (++p->depth > DEEPEST) {
        p->depth--;
        p->failed = true;
        return NULL;
    }
    cJSON *item = read_primary(p, f, at);
    while (item != NULL && !p->failed) {
        const size_t next = python_skip_blanks(p->text, *at, true);
        const char sign = p->text[next];
        const size_t n = sign == '/' && p->text[next + 1] == '/' ? 2 : 1;
        if ((sign != '*' && sign != '+' && sign != '-' && n == 1) || p->text[next + 1] == '*' ||
            !cJSON_IsNumber(item))
            break;
        *at = python_skip_blanks(p->text, next + n, true);
        cJSON *right = read_primary(p, f, at);
        const double value = right != NULL && cJSON_IsNumber(right)
                                 ? result_of(item->valuedouble, sign, right->valuedouble)
                                 : (double)NAN;
        python_forget(p, item);
        python_forget(p, right);
        item = isfinite(value) ? python_note(p, cJSON_CreateNumber(value), from, *at, from)
                               : python_unknown(p, from, *at);
    }
    size_t next = python_skip_blanks(p->text, *at, false);
    if (p->text[next] != '\0' && p->text[next] != '\n' && strchr(ends, p->text[next]) == NULL &&
        strchr(")]}", p->text[next]) == NULL) {
        python_forget(p, item);
        next = python_skip_to(p->text, next, ends);
        item = python_unknown(p, from, next);
    }
    *at = python_skip_blanks(p->text, next, strchr(ends, '\n') == NULL);
    p->depth--;
    return item;
}

// ---- statements ---------------------------------------------------------------------------------

static bool starts_with(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(text, word, n) == 0 && !python_is_name(text[n]);
}

static void set_variable(struct python *p, struct frame *f, const char *name, cJSON *value)
{
    struct variable *list = pps_grow(f->list, &f->room, f->n + 1, sizeof *list);
    if (list == NULL || value == NULL) {
        p->failed = p->failed || list == NULL;
        python_forget(p, value);
        return;
    }
    f->list = list;
    snprintf(list[f->n].name, NAME, "%s", name);
    list[f->n++].value = value;
}

// Sets a.b.c of a variable.
static void set_attribute(struct python *p, struct frame *f, const char *path, cJSON *value)
{
    const size_t n = strcspn(path, ".");
    const struct variable *v = find(f, path, n);
    cJSON *object = v != NULL ? v->value : NULL;
    for (path += n; object != NULL && *path == '.';) {
        char key[NAME];
        const size_t length = strcspn(++path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        path += length;
        if (*path == '\0') {
            if (cJSON_IsObject(object))
                python_put(p, object, key, value);
            else
                python_forget(p, value);
            return;
        }
        cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, key);
        if (inner == NULL && cJSON_IsObject(object)) {
            inner = python_note(p, cJSON_CreateObject(), 0, 0, 0);
            python_put(p, object, key, inner);
        }
        object = inner;
    }
    python_forget(p, value);
}

// Reads NAME = value, or NAME.a.b = value. `sure`: not in a block that may not run.
static void read_assignment(struct python *p, struct frame *f, size_t at, size_t end, bool sure)
{
    char name[NAME];
    size_t n = 0;
    while (at + n < end && (python_is_name(p->text[at + n]) || p->text[at + n] == '.'))
        n++;
    size_t sign = python_skip_blanks(p->text, at + n, false);
    if (p->text[sign] == ':') // an annotation
        sign = python_skip_to(p->text, sign, "=\n");
    if (n == 0 || n >= NAME || p->text[sign] != '=' || p->text[sign + 1] == '=')
        return;
    snprintf(name, sizeof name, "%.*s", (int)n, p->text + at);
    size_t from = python_skip_blanks(p->text, sign + 1, false);
    cJSON *value = sure ? read_value(p, f, &from, "\n") : python_unknown(p, from, end);
    if (strchr(name, '.') == NULL)
        set_variable(p, f, name, value);
    else
        set_attribute(p, f, name, value);
}

// Runs the statements between two offsets; returns what the function returns.
static cJSON *run(struct python *p, struct frame *f, size_t at, size_t to)
{
    const size_t indent = python_indent_of(p->text, at);
    cJSON *result = NULL;
    while (at < to && !p->failed && result == NULL) {
        at = python_skip_blanks(p->text, at, true);
        const size_t end = python_end_of_statement(p->text, at);
        const bool sure = python_indent_of(p->text, at) == indent;
        if (at >= to)
            break;
        if (starts_with(p->text + at, "return") && sure) {
            size_t from = python_skip_blanks(p->text, at + 6, false);
            result = read_value(p, f, &from, "\n");
        } else {
            read_assignment(p, f, at, end, sure);
        }
        at = end > at ? end : at + 1;
    }
    return result;
}

static cJSON *call(struct python *p, const struct python_function *function)
{
    struct frame f = {.list = NULL};
    if (++p->depth > DEEPEST) {
        p->depth--;
        return NULL;
    }
    cJSON *result = run(p, &f, function->body, function->end);
    for (size_t k = 0; k < f.n; k++)
        python_forget(p, f.list[k].value);
    free(f.list);
    p->depth--;
    return result;
}

bool python_read(struct plaindoc *document, const char *text, size_t n,
                 const struct python_functions *functions, const char *name)
{
    struct python p = {.doc = document, .text = text, .functions = functions};
    *document = (struct plaindoc){.text = (char *)(uintptr_t)text, .n = n};
    for (size_t k = 0; k < functions->n && document->root == NULL; k++)
        if (strcmp(functions->list[k].name, name) == 0)
            document->root = call(&p, &functions->list[k]);
    if (cJSON_IsObject(document->root) && !p.failed)
        return true;
    settings_free(document);
    return false;
}
