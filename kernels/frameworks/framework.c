// SPDX-License-Identifier: Apache-2.0
// Finds the framework of a text and calls its reader or writer.
#include "kernels/frameworks/framework.h"

#include "base/document/fault.h"
#include "base/text/characters.h"
#include "base/text/number.h"
#include "kernels/frameworks/framework_private.h"
#include "kernels/frameworks/megatron/megatron.h"
#include "kernels/frameworks/shell/shell.h"
#include "kernels/frameworks/trainer/trainer.h"

#include <string.h>

const char *framework_name(enum framework framework)
{
    static const char *const names[] = {"none",       "MindFormers", "Megatron",
                                        "torchtitan", "a trainer",   "verl"};
    return names[framework];
}

const char *framework_known(void)
{
    return "Megatron-LM, MindSpeed, NeMo, Megatron-Bridge, MindFormers, torchtitan, DeepSpeed, "
           "Hugging Face Trainer, LLaMA-Factory, Accelerate, verl";
}

// ---- all frameworks -----------------------------------------------------------------------------

static const struct framework_form *form_of(const struct plaindoc *doc, enum plaindoc_form form)
{
    static const struct framework_form *const forms[] = {
        &mindformers_form,   &torchtitan_form,        &torchtitan_script_form,
        &verl_script_form,   &trainer_script_form,    &megatron_script_form,
        &verl_yaml_form,     &trainer_yaml_form,      &accelerate_form,
        &megatron_yaml_form, &deepspeed_form,         &bridge_python_form,
        &bridge_script_form, &torchtitan_python_form, NULL,
    };
    for (int k = 0; forms[k] != NULL; k++)
        if (forms[k]->form == form && forms[k]->is(doc))
            return forms[k];
    return NULL;
}

// ---- texts of no framework ----------------------------------------------------------------------

// Returns the offset of the command with the most words; 0: there is none.
static size_t longest_command(const struct plaindoc *source)
{
    struct shell_script script;
    struct pps_fault unused;
    size_t at = 0, most = 0;
    if (!shell_read(&script, source->text, source->n, &unused))
        return 0;
    for (size_t k = 0; k < script.n_commands; k++)
        if (script.commands[k].n > most) {
            most = script.commands[k].n;
            at = (size_t)script.commands[k].from;
        }
    shell_free(&script);
    return at;
}

static bool fail_unknown(const struct plaindoc *source, bool script, size_t at,
                         struct pps_fault *fault)
{
    char line[80];
    number_text_quote(line, sizeof line, source->text + at, strcspn(source->text + at, "\n"));
    pps_fault_set(fault, NULL, false, "%s: \"%s\"; known frameworks: %s",
                  script ? "no command of this script has arguments of a known framework"
                         : "neither a file of a known framework nor lines of key = value",
                  line, framework_known());
    pps_find_place(source->text, at, &fault->line, &fault->column);
    return false;
}

static size_t start_of_line(const char *text, int line)
{
    const char *at = text;
    for (int k = 1; k < line && strchr(at, '\n') != NULL; k++)
        at = strchr(at, '\n') + 1;
    return (size_t)(at - text);
}

// Parses a document that is not a launch line.
static bool parse_document(struct plaindoc *source, enum plaindoc_form form, const char *text,
                           size_t n, struct pps_fault *fault)
{
    struct plaindoc taken;
    if (plaindoc_parse(source, form, text, n, fault))
        return true;
    // Words without a sign are no line of key = value, and text is no key: value.
    const bool words = form == PLAINDOC_FLAT ? strncmp(fault->text, "expected key", 12) == 0 ||
                                                   strncmp(fault->text, "a key cannot", 12) == 0
                                             : strcmp(fault->text, "expected key: value") == 0;
    if (words && form != PLAINDOC_TOML && plaindoc_take(&taken, text, n, fault)) {
        fail_unknown(&taken, false,
                     form == PLAINDOC_FLAT ? longest_command(&taken)
                                           : start_of_line(taken.text, fault->line),
                     fault);
        plaindoc_free(&taken);
    }
    return false;
}

static bool parse_json(struct plaindoc *source, const char *text, size_t n,
                       struct pps_fault *fault)
{
    struct pps_json json;
    struct pps_error err;
    if (pps_json_parse(&json, "", text, n, &err) != PPS_OK) {
        pps_fault_set(fault, NULL, false, "%s", err.text);
        fault->line = err.line;
        fault->column = err.column;
        return false;
    }
    *source = framework_take_json(&json);
    return true;
}

// Reads the text into a document; a launch script stays a text. *found becomes its framework; NULL: none.
static bool parse(struct plaindoc *source, const struct framework_form **found,
                  enum plaindoc_form form, const char *text, size_t n, struct pps_fault *fault)
{
    *found = NULL;
    if (form == PLAINDOC_NONE) {
        if (!parse_json(source, text, n, fault))
            return false;
        *found = form_of(source, form);
        return true;
    }
    if (form == PLAINDOC_PYTHON) {
        if (!plaindoc_take(source, text, n, fault))
            return false;
        *found = form_of(source, form);
        if (*found != NULL)
            return true;
        pps_fault_set(fault, NULL, false,
                      "no function of this file returns a configuration of torchtitan; known "
                      "frameworks: %s",
                      framework_known());
        fault->line = fault->column = 1;
        plaindoc_free(source);
        return false;
    }
    if (form != PLAINDOC_TOML) {
        if (!plaindoc_take(source, text, n, fault))
            return false;
        *found = form_of(source, PLAINDOC_FLAT);
        if (*found != NULL)
            return true;
        const bool script = strncmp(source->text, "#!", 2) == 0;
        if (script)
            fail_unknown(source, true, longest_command(source), fault);
        plaindoc_free(source);
        if (script)
            return false;
    }
    if (!parse_document(source, form, text, n, fault))
        return false;
    *found = form_of(source, form);
    return true;
}

// Refuses YAML of a known framework that trains nothing, or that other files complete.
static bool is_no_training(const struct plaindoc *source, enum plaindoc_form form,
                           struct pps_fault *fault)
{
    static const char *const rows[][2] = {
        {"exp_manager", "a file of NeMo without the layers and widths of a decoder; name the "
                        "file from which the model was trained"},
        {"defaults", "Hydra makes this configuration of several files; write the whole one: "
                     "--cfg job --resolve"},
        {"model_name_or_path",
         "a file of LLaMA-Factory or of a trainer that trains nothing: it "
         "has no stage and no batch"},
        {"model_class", "a file of LLaMA-Factory 1, which is not known here; write it with the "
                        "keys of version 0: stage, model_name_or_path ..."}};
    for (size_t i = 0; form == PLAINDOC_YAML && i < sizeof rows / sizeof *rows; i++) {
        const cJSON *item = pps_json_member(source->root, rows[i][0]);
        if (item == NULL)
            continue;
        pps_fault_set(fault, NULL, false, "%s: %s", rows[i][0], rows[i][1]);
        pps_find_place(source->text, framework_value_at(source, item), &fault->line,
                       &fault->column);
        return true;
    }
    return false;
}

static bool mentions(const char *text, size_t n, const char *word)
{
    return memmem(text, n, word, strlen(word)) != NULL;
}

bool framework_read(struct framework_file *file, bool *read, enum plaindoc_form form,
                    const char *text, size_t n, struct pps_fault *fault)
{
    return framework_read_beside(file, read, form, text, n, NULL, fault);
}

bool framework_read_beside(struct framework_file *file, bool *read, enum plaindoc_form form,
                           const char *text, size_t n, const struct framework_beside *beside,
                           struct pps_fault *fault)
{
    struct framework_reader r = {.file = file, .beside = beside, .fault = fault};
    const struct framework_form *found;
    struct plaindoc source;
    *read = false;
    *file = (struct framework_file){.framework = FRAMEWORK_NONE};
    if (form == PLAINDOC_NONE && !mentions(text, n, "zero_optimization") &&
        !mentions(text, n, "train_micro_batch_size_per_gpu"))
        return true; // JSON of ours
    if (!parse(&source, &found, form, text, n, fault))
        return false;
    bool ok = found != NULL || !is_no_training(&source, form, fault);
    if (found != NULL) {
        file->framework = found->framework;
        ok = framework_start(&r, &source) && found->read(&r, &source);
        *read = ok;
    }
    plaindoc_free(&source);
    if (!ok) {
        framework_file_free(file);
        file->framework = found != NULL ? found->framework : FRAMEWORK_NONE;
    }
    return ok;
}

bool framework_write(struct text_buffer *out, enum framework framework, enum plaindoc_form form,
                     const char *text, size_t n, const struct framework_settings *settings,
                     const struct framework_beside *beside, struct pps_fault *fault)
{
    struct framework_writer w = {.settings = settings, .beside = beside, .fault = fault};
    const struct framework_form *found;
    struct plaindoc source;
    if (!parse(&source, &found, form, text, n, fault))
        return false;
    const bool ok = found != NULL && found->framework == framework
                        ? found->write(&w, &source)
                        : pps_fault_set(fault, NULL, false, "not a configuration of %s",
                                        framework_name(framework));
    if (ok)
        text_edit_apply(&w.edit, text, n, out);
    text_edit_free(&w.edit);
    plaindoc_free(&source);
    return ok;
}
