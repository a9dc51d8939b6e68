// SPDX-License-Identifier: Apache-2.0
// Reads values of options from the JSON file of --config.
#include "engine/command/arguments_private.h"

#include "base/document/json.h"
#include "base/text/characters.h"
#include "base/text/grow_list.h"
#include "base/text/nearest.h"
#include "base/text/text_buffer.h"

#include <stdlib.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------

// Returns the name of an option with the same meaning that both have: itself if there is none.
static const char *meaning_of(const struct pps_args *args, const char *name)
{
    const struct pps_opt_alias *same = args->command->same;
    for (; same != NULL && same->name != NULL; same++)
        if (strcmp(same->name, name) == 0)
            return same->option;
    return name;
}

// Returns whether the command line gives an option, or one with the same meaning.
static bool is_typed(const struct pps_args *args, int option)
{
    const char *meaning = meaning_of(args, args->table[option].name);
    for (int i = 0; i < args->n_typed; i++)
        if (strcmp(meaning_of(args, args->table[args->given[i].option].name), meaning) == 0)
            return true;
    return false;
}

// Returns the option of a key, which may have _ for - and may be an alias; -1: none.
static int option_of(const struct pps_args *args, const char *key)
{
    const struct pps_opt_alias *alias = args->command->aliases;
    char name[64];
    if (strlen(key) >= sizeof name)
        return -1;
    strcpy(name, key);
    pps_hyphenate(name, '\0');
    for (; alias != NULL && alias->name != NULL; alias++)
        if (strcmp(alias->name, name) == 0)
            return pps_args_option(args, alias->option);
    return pps_args_option(args, name);
}

static enum pps_status unknown_key(const struct pps_args *args, const cJSON *item,
                                   struct pps_error *err)
{
    struct pps_nearest nearest = pps_nearest_to(item->string);
    char name[64];
    for (int i = 0; args->table[i].name != NULL; i++)
        pps_nearest_consider(&nearest, args->table[i].name);
    if (nearest.name == NULL)
        return pps_json_fail_key(&args->config, item, err,
                                 "%s: not an option of %s; ppsweep %s --help lists them",
                                 item->string, args->command->name, args->command->name);
    size_t n = 0;
    for (; nearest.name[n] != '\0' && n + 1 < sizeof name; n++)
        name[n] = nearest.name[n] == '-' ? '_' : nearest.name[n];
    name[n] = '\0';
    return pps_json_fail_key(&args->config, item, err,
                             "%s: not an option of %s; did you mean %s?", item->string,
                             args->command->name, name);
}

// ---- values -------------------------------------------------------------------------------------

static enum pps_status no_memory(const struct pps_args *args, struct pps_error *err)
{
    return pps_fail_memory(err, "%s", args->config.name);
}

// Adds a value; takes ownership of the text.
static enum pps_status add_value(struct pps_args *args, int option, char *text,
                                 struct pps_error *err)
{
    const size_t n = (size_t)args->n_given;
    char **texts = pps_grow(args->texts, &args->room_texts, args->n_texts + 1, sizeof *texts);
    args->texts = texts != NULL ? texts : args->texts;
    struct pps_args_given *given =
        pps_grow(args->given, &args->room_given, n + 1, sizeof *given);
    args->given = given != NULL ? given : args->given;
    if (text == NULL || texts == NULL || given == NULL) {
        free(text);
        return no_memory(args, err);
    }
    texts[args->n_texts++] = text;
    given[n] = (struct pps_args_given){option, text};
    args->n_given++;
    return PPS_OK;
}

static void add_scalar(struct text_buffer *text, const cJSON *item)
{
    if (cJSON_IsBool(item))
        text_buffer_add(text, cJSON_IsTrue(item) ? "true" : "false");
    else if (cJSON_IsNumber(item))
        text_buffer_add_number(text, item->valuedouble);
    else
        text_buffer_add(text, "%s", item->valuestring);
}

static bool is_scalar(const cJSON *item)
{
    return cJSON_IsBool(item) || cJSON_IsNumber(item) || cJSON_IsString(item);
}

// Returns the text of a value as the command line has it: lists with commas, objects as JSON. NULL:
// not a value of an option, or out of memory (*memory).
static char *text_of(const cJSON *item, bool *memory)
{
    struct text_buffer text = {.text = NULL};
    *memory = true;
    if (cJSON_IsObject(item))
        return pps_json_print_line(item);
    text_buffer_add_bytes(&text, "", 0);
    if (is_scalar(item))
        add_scalar(&text, item);
    for (const cJSON *child = cJSON_IsArray(item) ? item->child : NULL;
         child != NULL && *memory; child = child->next) {
        if (child != item->child)
            text_buffer_add(&text, ",");
        if (is_scalar(child))
            add_scalar(&text, child);
        *memory = is_scalar(child);
    }
    if (*memory && !text.failed)
        return text.text;
    text_buffer_free(&text);
    return NULL;
}

// An option without an argument is given by true.
static enum pps_status take_switch(struct pps_args *args, int option, const cJSON *item,
                                   struct pps_error *err)
{
    const bool number =
        cJSON_IsNumber(item) && (item->valuedouble == 0 || item->valuedouble == 1);
    if (!cJSON_IsBool(item) && !number)
        return pps_json_fail(&args->config, item, err, "%s: expected true or false",
                             item->string);
    if (cJSON_IsTrue(item) || (number && item->valuedouble == 1))
        return add_value(args, option, strdup(""), err);
    return PPS_OK;
}

static enum pps_status take_key(struct pps_args *args, const cJSON *item, struct pps_error *err)
{
    const int option = option_of(args, item->string);
    const bool empty = cJSON_IsString(item) && item->valuestring[0] == '\0';
    bool memory;
    if (option < 0)
        return unknown_key(args, item, err);
    if (strcmp(args->table[option].name, "config") == 0)
        return pps_json_fail_key(&args->config, item, err,
                                 "config: a file of options cannot name another one");
    if (cJSON_IsNull(item) || empty || is_typed(args, option))
        return PPS_OK;
    if (args->table[option].arg == NULL)
        return take_switch(args, option, item, err);
    char *text = text_of(item, &memory);
    if (text == NULL && !memory)
        return pps_json_fail(&args->config, item, err, "%s: expected a list of numbers or text",
                             item->string);
    return add_value(args, option, text, err);
}

enum pps_status pps_args_read_config(struct pps_args *args, struct pps_error *err)
{
    const char *path = args->command->config ? pps_arg(args, "config") : NULL;
    args->n_typed = args->n_given;
    if (path == NULL)
        return PPS_OK;
    enum pps_status status = pps_json_load(&args->config, path, err);
    if (status != PPS_OK)
        return status;
    if (!cJSON_IsObject(args->config.root))
        return pps_json_fail(&args->config, args->config.root, err,
                             "expected an object of options: {\"gbs\": 1024}");
    for (const cJSON *item = args->config.root->child; item != NULL && status == PPS_OK;
         item = item->next)
        status = take_key(args, item, err);
    return status;
}

bool pps_arg_in_config(const struct pps_args *args, const char *name)
{
    const int option = pps_args_option(args, name);
    for (int i = args->n_typed; i < args->n_given; i++)
        if (args->given[i].option == option)
            return true;
    return false;
}
