// SPDX-License-Identifier: Apache-2.0
// Reads and writes the Python configurations of torchtitan (config_registry.py, since early 2026). Classes follow
// torchtitan of March 2026 (0014ac2ca) and August 2026 (b5bcd76c).
#include "base/document/fault.h"
#include "kernels/frameworks/framework_private.h"
#include "kernels/frameworks/python/python.h"
#include "kernels/frameworks/shell/shell_settings.h"
#include "kernels/frameworks/torchtitan_write_private.h"

#include <stdio.h>
#include <string.h>

struct opened {
    struct python_functions functions;
    const struct python_function *function;
    struct plaindoc settings;
};

// ---- from classes to keys -----------------------------------------------------------------------

static const char *text_at(const struct plaindoc *doc, const char *path)
{
    const cJSON *item = settings_get(doc, path);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static bool put_text(struct plaindoc *doc, const char *path, const char *text, const cJSON *at)
{
    return settings_put(doc, path, cJSON_CreateString(text), framework_value_at(doc, at));
}

// Returns the path of the module from which a file imports model_registry, behind "torchtitan.models."; NULL: none.
static const char *imported_model(const char *text)
{
    const char *const from = "from torchtitan.models.";
    for (const char *at = text; (at = strstr(at, from)) != NULL;) {
        at += strlen(from);
        const size_t line = strcspn(at, "\n");
        if (memmem(at, line, "model_registry", strlen("model_registry")) != NULL)
            return at;
    }
    return NULL;
}

// The model is named by the function of its flavors, by the name of the function, or by the imports of the file.
static bool put_model(struct opened *o)
{
    const cJSON *spec = settings_get(&o->settings, "model_spec");
    const cJSON *flavor = cJSON_GetArrayItem(pps_json_member(spec, "_args"), 0);
    const cJSON *call = pps_json_member(spec, "_call");
    const char *import = imported_model(o->settings.text);
    const char *model = titan_model_in(cJSON_IsString(call) ? call->valuestring : "");
    char name[64] = "";
    if (model == NULL)
        model = titan_model_in(o->function->name);
    if (model == NULL && import != NULL)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(import, " .\n"), import);
    if (model == NULL && import == NULL)
        snprintf(name, sizeof name, "%.60s", o->function->name);
    if (!cJSON_IsString(flavor))
        flavor = pps_json_member(spec, "flavor");
    return put_text(&o->settings, "model.name", model != NULL ? model : name, spec) &&
           (!cJSON_IsString(flavor) ||
            put_text(&o->settings, "model.flavor", flavor->valuestring, flavor));
}

// FullAC.Config() and its relatives.
static bool put_recompute(struct opened *o)
{
    static const char *const kinds[][2] = {{"FullAC", "full"},
                                           {"SelectiveAC", "selective"},
                                           {"MemoryBudgetAC", "memory_budget"}};
    const cJSON *item = settings_get(&o->settings, "activation_checkpoint");
    const char *class = text_at(&o->settings, "activation_checkpoint._call");
    if (cJSON_IsNull(item)) {
        const size_t at = framework_value_at(&o->settings, item);
        return settings_put(&o->settings, "activation_checkpoint", cJSON_CreateObject(), at) &&
               settings_put(&o->settings, "activation_checkpoint.mode",
                            cJSON_CreateString("none"), at);
    }
    for (size_t k = 0; class != NULL && k < sizeof kinds / sizeof *kinds; k++)
        if (strncmp(class, kinds[k][0], strlen(kinds[k][0])) == 0)
            return put_text(&o->settings, "activation_checkpoint.mode", kinds[k][1], item);
    return true;
}

static bool put_converters(struct opened *o, const char *path)
{
    static const char *const kinds[][3] = {
        {"Float8LinearConverter", "quantize.linear.float8", NULL},
        {"Float8GroupedExpertsConverter", "quantize.grouped_mm.float8",
         "quantize.grouped_mm.float8.fqns"},
        {"MXFP8LinearConverter", "quantize.linear.mx", NULL},
        {"MXFP8GroupedExpertsConverter", "quantize.grouped_mm.mx",
         "quantize.grouped_mm.mx.fqns"},
    };
    const cJSON *list = settings_get(&o->settings, path), *item;
    cJSON *names = cJSON_CreateArray();
    bool ok = names != NULL;
    cJSON_ArrayForEach (item, list) {
        const cJSON *call = pps_json_member(item, "_call");
        const char *class = cJSON_IsString(call) ? call->valuestring : "unknown", *name = class;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (strncmp(class, kinds[k][0], strlen(kinds[k][0])) != 0)
                continue;
            name = kinds[k][1];
            ok = ok &&
                 (kinds[k][2] == NULL || put_text(&o->settings, kinds[k][2], "experts", item));
        }
        const cJSON *rank = pps_json_member(item, "rank");
        if (strncmp(class, "LoRAConverter", 13) == 0 && cJSON_IsNumber(rank) &&
            pps_json_member(item, "target_modules") == NULL) { // of all linear layers
            name = "lora";
            ok = ok &&
                 settings_put(&o->settings, "lora.rank", cJSON_CreateNumber(rank->valuedouble),
                              framework_value_at(&o->settings, rank));
        }
        cJSON_AddItemToArray(names, cJSON_CreateString(name));
    }
    if (ok && cJSON_IsArray(list) && list->child != NULL)
        return settings_put(&o->settings, "model.converters", names,
                            framework_value_at(&o->settings, list));
    cJSON_Delete(names);
    return ok;
}

// ---- the function -------------------------------------------------------------------------------

static bool is_configuration(const struct plaindoc *settings)
{
    return pps_json_member(settings->root, "model_spec") != NULL ||
           pps_json_member(settings->root, "parallelism") != NULL;
}

static bool read_function(struct opened *o, const struct plaindoc *document, const char *name)
{
    if (!python_read(&o->settings, document->text, document->n, &o->functions, name))
        return false;
    if (is_configuration(&o->settings))
        return true;
    settings_free(&o->settings);
    return false;
}

static bool fail_choice(struct opened *o, const struct plaindoc *document,
                        struct pps_fault *fault)
{
    char names[300] = "";
    size_t used = 0;
    for (size_t k = 0; k < o->functions.n && used + 100 < sizeof names; k++)
        if (read_function(o, document, o->functions.list[k].name)) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : "", o->functions.list[k].name);
            settings_free(&o->settings);
        }
    pps_fault_set(fault, NULL, false, "%s; known: %s",
                  "the file has several configurations: write FILE.py:NAME", names);
    fault->line = fault->column = 1;
    return false;
}

// Finds the function: the one that the user names, or the only one that returns a configuration.
static bool open_python(struct opened *o, const struct plaindoc *document, const char *choice,
                        struct pps_fault *fault)
{
    size_t found = 0;
    python_find_functions(&o->functions, document->text);
    o->function = NULL;
    for (size_t k = 0; k < o->functions.n; k++) {
        const struct python_function *f = &o->functions.list[k];
        if (choice != NULL && strcmp(choice, f->name) != 0)
            continue;
        if (!read_function(o, document, f->name))
            continue;
        settings_free(&o->settings);
        o->function = f;
        found++;
    }
    if (found != 1 || !read_function(o, document, o->function->name))
        return fail_choice(o, document, fault);
    if (put_model(o) && put_recompute(o) && put_converters(o, "model_spec.converters") &&
        put_converters(o, "model_converters.converters"))
        return true;
    settings_free(&o->settings);
    return pps_fault_set(fault, NULL, false, "out of memory for this document");
}

static bool is_python(const struct plaindoc *document)
{
    return strstr(document->text, "Trainer.Config") != NULL ||
           strstr(document->text, "ParallelismConfig") != NULL;
}

static bool read_python(struct framework_reader *r, const struct plaindoc *document)
{
    struct opened o;
    const char *choice = r->beside != NULL ? r->beside->choice : NULL;
    if (!open_python(&o, document, choice, r->fault))
        return false;
    const struct titan_source source = {&o.settings, r->fault, true};
    const bool ok = titan_read_settings(r, &source);
    settings_free(&o.settings);
    return ok;
}

// ---- changed copies -----------------------------------------------------------------------------

static bool is_inside(const struct titan_writer *t, const struct pps_json_place *place)
{
    return place != NULL && place->value_end > place->value_at &&
           place->value_at >= t->function->body && place->value_end <= t->function->end;
}

static const struct pps_json_place *place_of(const struct plaindoc *doc, const cJSON *item)
{
    for (size_t k = 0; item != NULL && k < doc->n_places; k++)
        if (doc->places[k].item == item)
            return &doc->places[k];
    return NULL;
}

static void add_literal(struct text_buffer *out, const cJSON *value)
{
    if (value == NULL || cJSON_IsNull(value))
        text_buffer_add(out, "None");
    else if (cJSON_IsBool(value))
        text_buffer_add(out, cJSON_IsTrue(value) ? "True" : "False");
    else if (cJSON_IsNumber(value))
        text_buffer_add(out, "%.0f", value->valuedouble);
    else if (cJSON_IsString(value))
        text_buffer_add(out, "\"%s\"", value->valuestring);
    else {
        text_buffer_add(out, "[");
        for (const cJSON *item = value->child; item != NULL; item = item->next) {
            text_buffer_add(out, item == value->child ? "" : ", ");
            add_literal(out, item);
        }
        text_buffer_add(out, "]");
    }
}

// Adds a key to the call of its section, or the section to the call of the configuration.
static bool add_value(struct titan_writer *t, const char *path, const char *literal)
{
    static const char *const classes[][2] = {{"parallelism", "ParallelismConfig"},
                                             {"training", "TrainingConfig"},
                                             {"compile", "CompileConfig"}};
    char section[64], added[512];
    const char *dot = strchr(path, '.');
    snprintf(section, sizeof section, "%.*s", (int)(dot != NULL ? dot - path : 0), path);
    const struct pps_json_place *place = place_of(t->doc, settings_get(t->doc, section));
    const struct pps_json_place *root = place_of(t->doc, t->doc->root);
    const bool has = is_inside(t, place);
    const char *class = NULL;
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        if (strcmp(classes[k][0], section) == 0)
            class = classes[k][1];
    const struct pps_json_place *to = has ? place : root;
    if (dot == NULL || !is_inside(t, to) || (!has && class == NULL))
        return false;
    const char *open = strchr(t->doc->text + to->value_at, '(');
    if (open == NULL || open >= t->doc->text + to->value_end)
        return false;
    const size_t at = (size_t)(open + 1 - t->doc->text);
    for (int k = 0; k < t->n_added; k++) // several keys of one new section
        if (!has && strcmp(t->added[k], section) == 0)
            return false;
    if (!has && t->n_added < 4)
        snprintf(t->added[t->n_added++], sizeof t->added[0], "%s", section);
    const char *gap = t->doc->text[at] == '\n' ? "" : " ";
    if (has)
        snprintf(added, sizeof added, "%s=%s,%s", dot + 1, literal, gap);
    else
        snprintf(added, sizeof added, "%s=%s(%s=%s),%s", section, class, dot + 1, literal, gap);
    return text_edit_replace(t->python, at, at, added, strlen(added));
}

bool titan_set_literal(struct titan_writer *t, const char *path, const cJSON *value)
{
    const cJSON *now = settings_get(t->doc, path);
    const struct pps_json_place *place = place_of(t->doc, now);
    struct text_buffer out = {.text = NULL};
    if (now != NULL && value != NULL && cJSON_Compare(now, value, true))
        return true;
    add_literal(&out, value);
    bool ok = !out.failed;
    if (ok && is_inside(t, place) && strcmp(path, "activation_checkpoint.mode") != 0)
        ok = text_edit_replace(t->python, place->value_at, place->value_end, out.text, out.n);
    else if (ok)
        ok = add_value(t, path, out.text);
    text_buffer_free(&out);
    return ok ||
           titan_fail(&t->source, now,
                      "%s cannot be set in this function; write it there as a value of its "
                      "section",
                      path);
}

static bool write_python(struct framework_writer *w, const struct plaindoc *document)
{
    struct opened o;
    struct text_buffer notes = {.text = NULL};
    const char *choice = w->beside != NULL ? w->beside->choice : NULL;
    if (!open_python(&o, document, choice, w->fault))
        return false;
    struct titan_writer t = {.settings = w->settings,
                             .doc = &o.settings,
                             .source = {&o.settings, w->fault, true},
                             .python = &w->edit,
                             .function = o.function,
                             .notes = &notes};
    const bool ok = titan_write_all(&t) && titan_add_notes(w, document, &notes);
    text_buffer_free(&notes);
    titan_config_free(&t.old);
    titan_config_free(&t.now);
    settings_free(&o.settings);
    return ok;
}

const struct framework_form torchtitan_python_form = {
    .framework = FRAMEWORK_TORCHTITAN,
    .form = PLAINDOC_PYTHON,
    .is = is_python,
    .read = read_python,
    .write = write_python,
};
