// SPDX-License-Identifier: Apache-2.0
// Makes documents of the settings of commands.
#include "kernels/frameworks/shell/shell_settings.h"

#include "base/document/fault.h"
#include "base/text/characters.h"
#include "base/text/grow_list.h"
#include "base/text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 256 };

// ---- values -------------------------------------------------------------------------------------

static bool is_word(const char *text, size_t n, const char *a, const char *b)
{
    return (n == strlen(a) && memcmp(text, a, n) == 0) ||
           (n == strlen(b) && memcmp(text, b, n) == 0);
}

// Reads a list or a map as YAML does; NULL: it is neither.
static cJSON *nested_value(const char *text, size_t n)
{
    struct plaindoc doc;
    struct pps_fault fault;
    char *line = malloc(n + 4);
    if (line == NULL)
        return NULL;
    snprintf(line, n + 4, "v: %.*s", (int)n, text);
    cJSON *copy = NULL;
    if (plaindoc_parse(&doc, PLAINDOC_YAML, line, n + 3, &fault)) {
        copy = cJSON_Duplicate(pps_json_member(doc.root, "v"), true);
        plaindoc_free(&doc);
    }
    free(line);
    return copy;
}

cJSON *settings_value(const char *text, size_t n)
{
    double number;
    if (n >= 2 && (text[0] == '\'' || text[0] == '"') && text[n - 1] == text[0]) {
        text++;
        n -= 2;
    } else if (is_word(text, n, "true", "True")) {
        return cJSON_CreateTrue();
    } else if (is_word(text, n, "false", "False")) {
        return cJSON_CreateFalse();
    } else if (is_word(text, n, "null", "None")) {
        return cJSON_CreateNull();
    } else if (number_text_read(text, n, &number)) {
        return cJSON_CreateNumber(number);
    } else if (n > 0 && (text[0] == '[' || text[0] == '{')) {
        cJSON *nested = nested_value(text, n);
        if (nested != NULL)
            return nested;
    }
    char *copy = strndup(text, n);
    cJSON *item = copy != NULL ? cJSON_CreateString(copy) : NULL;
    free(copy);
    return item;
}

// ---- the tree -----------------------------------------------------------------------------------

static bool note_place(struct plaindoc *settings, const cJSON *item, size_t at)
{
    // How many places fit is not known: documents of other readers come here, too.
    size_t room = settings->n_places;
    struct pps_json_place *places =
        pps_grow(settings->places, &room, settings->n_places + 1, sizeof *places);
    if (places == NULL)
        return false;
    settings->places = places;
    places[settings->n_places++] =
        (struct pps_json_place){.item = item, .value_at = at, .key_at = at};
    return true;
}

// Deletes an item that another one replaces.
static void forget(struct plaindoc *settings, cJSON *item)
{
    for (size_t k = 0; item != NULL && k < settings->n_places; k++)
        if (settings->places[k].item == item)
            settings->places[k].item = NULL;
    cJSON_Delete(item);
}

static cJSON *enter(struct plaindoc *settings, cJSON *object, const char *key, size_t at)
{
    cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, key);
    if (inner != NULL)
        return cJSON_IsObject(inner) ? inner : NULL;
    inner = cJSON_AddObjectToObject(object, key);
    return inner != NULL && note_place(settings, inner, at) ? inner : NULL;
}

bool settings_put(struct plaindoc *settings, const char *path, cJSON *item, size_t at)
{
    char key[PATH_BYTES];
    cJSON *object = settings->root;
    const char *dot;
    for (; item != NULL && object != NULL && (dot = strchr(path, '.')) != NULL;
         path = dot + 1) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        object = enter(settings, object, key, at);
    }
    if (item == NULL || object == NULL) {
        cJSON_Delete(item);
        return false;
    }
    forget(settings, cJSON_DetachItemFromObjectCaseSensitive(object, path));
    return cJSON_AddItemToObject(object, path, item) && note_place(settings, item, at);
}

const cJSON *settings_get(const struct plaindoc *settings, const char *path)
{
    char key[PATH_BYTES];
    const cJSON *item = settings->root;
    while (item != NULL && *path != '\0') {
        const size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        item = pps_json_member(item, key);
        path += n + (path[n] == '.');
    }
    return item;
}

bool settings_put_defaults(struct plaindoc *settings, const char *text, size_t at)
{
    char path[PATH_BYTES];
    while (*text != '\0') {
        const size_t n = strcspn(text, " "), name = strcspn(text, "=");
        snprintf(path, sizeof path, "%.*s", (int)name, text);
        if (settings_get(settings, path) == NULL &&
            !settings_put(settings, path, settings_value(text + name + 1, n - name - 1), at))
            return false;
        text += n + strspn(text + n, " ");
    }
    return true;
}

void settings_free(struct plaindoc *settings)
{
    cJSON_Delete(settings->root);
    free(settings->places);
    *settings = (struct plaindoc){.text = NULL};
}

// ---- words --------------------------------------------------------------------------------------

// A setting in the words of a command.
struct setting {
    char path[PATH_BYTES];
    struct shell_text value; // n 0 and bytes NULL: a flag
    bool off;                // --no-x
};

static bool starts_option(const struct shell_text *word)
{
    return word->n > 2 && word->bytes[0] == '-' && word->bytes[1] == '-';
}

// Writes the path that n bytes spell. "no-" before the last name is a flag that is off.
static void take_path(struct setting *s, const char *name, size_t n, bool option)
{
    n = n < PATH_BYTES - 1 ? n : PATH_BYTES - 1;
    memcpy(s->path, name, n);
    s->path[n] = '\0';
    for (char *c = s->path; option && *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    char *dot = strrchr(s->path, '.'), *last = dot != NULL ? dot + 1 : s->path;
    s->off = option && strncmp(last, "no_", 3) == 0;
    if (s->off)
        memmove(last, last + 3, strlen(last + 3) + 1);
}

static struct shell_text rest_of(const struct shell_text *word, size_t at)
{
    struct shell_text rest = *word;
    rest.bytes += at;
    rest.marks += at;
    rest.n -= at;
    return rest;
}

// Reads word i of a command. *n: the words that the setting has. false: it is no setting.
static bool take_setting(const struct shell_command *command, size_t i, struct setting *s,
                         size_t *n)
{
    const struct shell_text *word = &command->words[i];
    const bool option = starts_option(word);
    const size_t skip = option ? 2 : strspn(word->bytes, "+");
    const size_t name = strcspn(word->bytes + skip, "=");
    const bool has_value = word->bytes[skip + name] == '=';
    *n = 1;
    if (name == 0 || (!option && (!has_value || strspn(word->bytes + skip, "/.$({[") > 0)))
        return false;
    s->value = (struct shell_text){.bytes = NULL};
    take_path(s, word->bytes + skip, name, option);
    if (has_value) {
        s->value = rest_of(word, skip + name + 1);
    } else if (i + 1 < command->n && !starts_option(&command->words[i + 1])) {
        s->value = command->words[i + 1];
        *n = 2;
    }
    if (s->off && s->value.bytes != NULL)
        *n = 1; // the word after a flag is another one
    return true;
}

static bool ends_program(const struct shell_command *command, size_t i)
{
    const struct shell_text *word = &command->words[i];
    return pps_ends_with(word->bytes, ".py") || pps_ends_with(word->bytes, ".sh") ||
           (i > 0 && strcmp(command->words[i - 1].bytes, "-m") == 0);
}

const struct shell_command *settings_command(const struct shell_script *script,
                                             settings_known *known)
{
    const struct shell_command *best = NULL;
    size_t most = 0;
    for (size_t k = 0; k < script->n_commands; k++) {
        const struct shell_command *command = &script->commands[k];
        struct setting s;
        size_t n = 0, words;
        for (size_t i = 0; i < command->n; i++)
            n += take_setting(command, i, &s, &words) && known(s.path);
        if (n > most) {
            best = command;
            most = n;
        }
    }
    return best;
}

static bool fail_reason(const struct shell_script *script, const struct setting *s,
                        int32_t number, struct pps_fault *fault)
{
    const struct shell_reason *reason = &script->reasons[number];
    pps_fault_set(fault, NULL, false, "%s: the value %s; %s", s->path, reason->text,
                  reason->absent ? "set the value in the file"
                                 : "write the value in place of it");
    pps_find_place(script->text, (size_t)reason->at, &fault->line, &fault->column);
    return false;
}

// Returns whether a value is a path of which only folders are unknown.
static bool ends_known(const struct shell_text *value)
{
    const char *slash = strrchr(value->bytes, '/');
    for (size_t i = slash != NULL ? (size_t)(slash - value->bytes) : 0; i < value->n; i++)
        if (value->marks[i].reason >= 0)
            return false;
    return slash != NULL && slash[1] != '\0';
}

static bool put_setting(struct plaindoc *settings, const struct shell_script *script,
                        const struct shell_text *word, const struct setting *s,
                        settings_known *known, struct pps_fault *fault)
{
    const struct shell_text *value = s->value.bytes != NULL && !s->off ? &s->value : NULL;
    int32_t why = shell_uncertain(word);
    if (why < 0 && value != NULL)
        why = shell_unresolved(value) >= 0 ? shell_unresolved(value) : shell_uncertain(value);
    const bool folders = value != NULL && shell_uncertain(value) < 0 && ends_known(value);
    if (why >= 0 && !folders && known(s->path))
        return fail_reason(script, s, why, fault);
    cJSON *item =
        value == NULL ? cJSON_CreateBool(!s->off) : settings_value(value->bytes, value->n);
    const size_t at = shell_word_at(value != NULL && value->n > 0 ? value : word, script);
    if (settings_put(settings, s->path, item, at))
        return true;
    pps_fault_set(fault, NULL, false, "%s: the name before the last dot has a value of its own",
                  s->path);
    pps_find_place(script->text, at, &fault->line, &fault->column);
    return false;
}

// Variables that are set for the command alone.
static bool put_variables(struct plaindoc *settings, const struct shell_script *script,
                          const struct shell_command *command)
{
    const char *text = script->text + command->from;
    for (;;) {
        char path[64];
        text += strspn(text, " \t\\\n");
        const size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        if (name == 0 || text[name] != '=')
            return true;
        const size_t n = strcspn(text + name + 1, " \t\n;");
        snprintf(path, sizeof path, "$%.*s", (int)(name < 60 ? name : 60), text);
        if (!settings_put(settings, path, settings_value(text + name + 1, n),
                          (size_t)(text - script->text)))
            return false;
        text += name + 1 + n;
    }
}

// Returns whether a word is one more of a list, as in --modules q_proj v_proj.
static bool continues(const struct shell_command *command, size_t i)
{
    return i < command->n && command->words[i].n > 0 && command->words[i].bytes[0] != '-' &&
           strchr(command->words[i].bytes, '=') == NULL && !ends_program(command, i);
}

// Adds a word to a text, with a blank between.
static bool add_word(struct plaindoc *settings, const char *path, const struct shell_text *word,
                     struct pps_fault *fault)
{
    cJSON *item = (cJSON *)(uintptr_t)settings_get(settings, path);
    char text[1024];
    if (!cJSON_IsString(item))
        return true;
    snprintf(text, sizeof text, "%s %s", item->valuestring,
             shell_unresolved(word) < 0 && shell_uncertain(word) < 0 ? word->bytes : "?");
    return cJSON_SetValuestring(item, text) != NULL ||
           pps_fault_set(fault, NULL, false, "out of memory for this document");
}

bool settings_read(struct plaindoc *settings, const struct shell_script *script,
                   const struct shell_command *command, settings_known *known,
                   struct pps_fault *fault)
{
    *settings = (struct plaindoc){.text = (char *)(uintptr_t)script->text,
                                  .n = script->n,
                                  .root = cJSON_CreateObject()};
    bool ok = settings->root != NULL && note_place(settings, settings->root, 0) &&
              put_variables(settings, script, command);
    if (!ok)
        pps_fault_set(fault, NULL, false, "out of memory for this document");
    for (size_t i = 0, n = 1; ok && i < command->n; i += n) {
        struct setting s;
        n = 1;
        if (ends_program(command, i) || !take_setting(command, i, &s, &n))
            continue;
        ok = put_setting(settings, script, &command->words[i], &s, known, fault);
        while (ok && n >= 2 && known(s.path) && continues(command, i + n))
            ok = add_word(settings, s.path, &command->words[i + n++], fault);
    }
    if (!ok)
        settings_free(settings);
    return ok;
}
