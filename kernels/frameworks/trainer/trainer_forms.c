// SPDX-License-Identifier: Apache-2.0
// Reads and changes files with arguments of the Hugging Face Trainer: launch scripts, and YAML of LLaMA-Factory.
#include "base/edit/yaml_edit.h"
#include "base/text/characters.h"
#include "kernels/frameworks/shell/shell_edit.h"
#include "kernels/frameworks/shell/shell_settings.h"
#include "kernels/frameworks/trainer/trainer_arguments_private.h"
#include "kernels/frameworks/trainer/trainer_write.h"

#include <stdio.h>
#include <string.h>

static bool is_known(const char *path)
{
    return trainer_knows(&trainer_arguments, path);
}

static bool needs(const char *path)
{
    return trainer_needs(&trainer_arguments, path);
}

static bool is_argument(const char *path)
{
    return strcmp(path, "per_device_train_batch_size") == 0 ||
           strcmp(path, "gradient_accumulation_steps") == 0 || strcmp(path, "do_train") == 0 ||
           strcmp(path, "num_train_epochs") == 0 || strcmp(path, "deepspeed") == 0;
}

// Returns the file of arguments that a command of LLaMA-Factory has: llamafactory-cli train FILE.yaml.
static const struct shell_text *file_of(const struct shell_script *script,
                                        const struct shell_command **command)
{
    for (size_t k = 0; k < script->n_commands; k++) {
        const struct shell_command *c = &script->commands[k];
        bool trains = false;
        for (size_t i = 0; i < c->n; i++) {
            const char *word = c->words[i].bytes;
            trains |= strcmp(word, "train") == 0 || strcmp(word, "src/train.py") == 0;
            if (!trains || !(pps_ends_with(word, ".yaml") || pps_ends_with(word, ".yml")))
                continue;
            if (command != NULL)
                *command = c;
            return &c->words[i];
        }
    }
    return NULL;
}

static bool is_script(const struct plaindoc *document)
{
    struct shell_script script;
    struct pps_fault fault;
    if (document->root != NULL || strstr(document->text, "train") == NULL ||
        !shell_read(&script, document->text, document->n, &fault))
        return false;
    const bool is =
        settings_command(&script, is_argument) != NULL || file_of(&script, NULL) != NULL;
    shell_free(&script);
    return is;
}

// Arguments that only LLaMA-Factory has; other files are those of scripts with the Hugging Face Trainer.
static bool is_factory(const struct trainer *t)
{
    return trainer_get(t, "finetuning_type") != NULL || trainer_get(t, "template") != NULL ||
           trainer_get(t, "cutoff_len") != NULL;
}

// Puts the arguments of a file that the command does not have.
static bool take_file(struct trainer_script *o, const struct shell_text *name)
{
    struct plaindoc file;
    const size_t at = shell_word_at(name, &o->script);
    bool ok = settings_put(&o->settings, "$file", cJSON_CreateString(name->bytes), at) &&
              trainer_open_beside(&o->t, "$file", name->bytes, &file);
    if (!ok)
        return false;
    for (const cJSON *item = file.root->child; ok && item != NULL; item = item->next)
        ok = settings_get(&o->settings, item->string) != NULL ||
             settings_put(&o->settings, item->string, cJSON_Duplicate(item, true), at);
    plaindoc_free(&file);
    return ok || framework_no_memory(o->t.r);
}

static bool open_script(struct trainer_script *o, struct framework_reader *r,
                        const struct plaindoc *document)
{
    if (!shell_read(&o->script, document->text, document->n, r->fault))
        return false;
    const struct shell_command *command = settings_command(&o->script, is_known);
    const struct shell_text *named = file_of(&o->script, &command);
    if (!settings_read(&o->settings, &o->script, command, needs, r->fault)) {
        shell_free(&o->script);
        return false;
    }
    o->t = (struct trainer){.r = r, .doc = &o->settings, .all_at = (size_t)command->from};
    const bool factory = is_factory(&o->t) || named != NULL ||
                         strstr(document->text, "llamafactory-cli") != NULL;
    if ((named == NULL || take_file(o, named)) && trainer_fill(&o->t, factory))
        return true;
    trainer_script_close(o);
    return false;
}

static bool read_script(struct framework_reader *r, const struct plaindoc *document)
{
    return trainer_read_launch(r, document, open_script);
}

static bool is_yaml(const struct plaindoc *document)
{
    static const char *const words[] = {"finetuning_type",
                                        "cutoff_len",
                                        "per_device_train_batch_size",
                                        "template",
                                        "gradient_accumulation_steps",
                                        "num_train_epochs"};
    int n = 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        n += pps_json_member(document->root, words[k]) != NULL;
    return n > 1 && pps_json_member(document->root, "model_name_or_path") != NULL;
}

static bool read_yaml(struct framework_reader *r, const struct plaindoc *document)
{
    struct trainer t = {.r = r, .doc = document};
    return trainer_fill(&t, is_factory(&t)) && trainer_put(&t);
}

// ---- changed copies -----------------------------------------------------------------------------

static bool can_add(const struct trainer_writer *w, const char *path)
{
    (void)w;
    return strcmp(path, "per_device_train_batch_size") == 0 ||
           strcmp(path, "gradient_accumulation_steps") == 0 || strcmp(path, "nnodes") == 0;
}

static bool set_sp(struct trainer_writer *w, bool on)
{
    return trainer_set_item(w, "sequence_parallel", cJSON_CreateBool(on));
}

static bool set_batch(struct trainer_writer *w, int64_t all)
{
    return trainer_fail(w->old, "deepspeed",
                        "%lld sequences a step: train_batch_size is in that file",
                        (long long)all);
}

static bool set_recompute(struct trainer_writer *w, const char *word)
{
    const bool factory = trainer_get(w->old, "finetuning_type") != NULL;
    if (trainer_get(w->old, "recompute_granularity") != NULL || strcmp(word, "select") == 0)
        return trainer_fail(w->old, "recompute_granularity",
                            "recomputation \"%s\" is not written here", word);
    return trainer_set_item(
        w, factory ? "disable_gradient_checkpointing" : "gradient_checkpointing",
        cJSON_CreateBool((strcmp(word, "full") == 0) != factory));
}

static struct trainer_writer writer_of(struct framework_writer *w, struct trainer *old)
{
    return (struct trainer_writer){.settings = w->settings,
                                   .old = old,
                                   .dialect = &trainer_arguments,
                                   .can_add = can_add,
                                   .set_sp = set_sp,
                                   .set_batch = set_batch,
                                   .set_recompute = set_recompute};
}

static bool write_yaml(struct framework_writer *w, const struct plaindoc *document)
{
    struct framework_file file = {.framework = FRAMEWORK_TRAINER};
    struct framework_reader r = {.file = &file, .fault = w->fault, .beside = w->beside};
    struct trainer t = {.r = &r, .doc = document};
    struct trainer_writer writer = writer_of(w, &t);
    struct yaml_edit yaml;
    yaml_edit_begin(&yaml, document, &w->edit);
    trainer_writer_of_yaml(&writer, &yaml);
    const bool ok = framework_start(&r, document) && trainer_fill(&t, is_factory(&t)) &&
                    trainer_write_all(&writer);
    const bool ended = yaml_edit_end(&yaml, w->fault);
    framework_file_free(&file);
    return ok && ended;
}

static enum shell_kind kind_of(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s", name);
    for (char *c = path; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    return is_known(path) ? SHELL_MANY : SHELL_OTHER;
}

static bool write_script(struct framework_writer *w, const struct plaindoc *document)
{
    struct framework_file file = {.framework = FRAMEWORK_TRAINER};
    struct framework_reader r = {.file = &file, .fault = w->fault, .beside = w->beside};
    struct shell_edit shell;
    struct trainer_script o;
    bool ok = framework_start(&r, document) && open_script(&o, &r, document);
    if (ok) {
        struct trainer_writer writer = writer_of(w, &o.t);
        trainer_writer_of_arguments(&writer, &shell);
        ok = shell_edit_begin(&shell, document->text, document->n, kind_of, w->fault);
        if (ok) {
            ok = trainer_write_all(&writer) && shell_edit_finish(&shell, &w->edit);
            shell_edit_free(&shell);
        }
        trainer_script_close(&o);
    }
    framework_file_free(&file);
    return ok;
}

const struct framework_form trainer_script_form = {
    .framework = FRAMEWORK_TRAINER,
    .form = PLAINDOC_FLAT,
    .is = is_script,
    .read = read_script,
    .write = write_script,
};

const struct framework_form trainer_yaml_form = {
    .framework = FRAMEWORK_TRAINER,
    .form = PLAINDOC_YAML,
    .is = is_yaml,
    .read = read_yaml,
    .write = write_yaml,
};
