// SPDX-License-Identifier: Apache-2.0
// Changes the arguments of a user's launch script or argument list to those that settings need.
#include "base/shell/shell.h"
#include "base/shell/shell_edit.h"
#include "planner/frameworks/megatron/megatron_wish.h"

#include <stdlib.h>
#include <string.h>

// ---- names -----------------------------------------------------------------------------------

static const char *name_of(const struct megatron *now, enum megatron_key key)
{
    const char *name = now->values[key].name;
    return name != NULL ? name : megatron_arguments[key].name;
}

// Arguments beside which a new argument is added.
static const char *const *siblings_of(enum megatron_key key)
{
    static const char *const devices[] = {"nproc-per-node", "nnodes", NULL};
    static const char *const recompute[] = {
        "recompute-granularity", "recompute-method",           "recompute-activations",
        "recompute-num-layers",  "tensor-model-parallel-size", NULL};
    static const char *const profile[] = {"profile",
                                          "profile-step-start",
                                          "log-interval",
                                          "save-interval",
                                          "eval-interval",
                                          "tensor-model-parallel-size",
                                          NULL};
    static const char *const batch[] = {"micro-batch-size", "global-batch-size",
                                        "tensor-model-parallel-size", NULL};
    static const char *const strategy[] = {"pipeline-model-parallel-size",
                                           "tensor-model-parallel-size",
                                           "context-parallel-size",
                                           "expert-model-parallel-size",
                                           "micro-batch-size",
                                           "num-layers",
                                           NULL};
    if (key == MG_NODES || key == MG_PER_NODE)
        return devices;
    if (key == MG_MBS || key == MG_GBS)
        return batch;
    if (key >= MG_PROFILE)
        return profile;
    return key >= MG_GRANULARITY && key <= MG_RECOMPUTE_FUNCTION_LAYERS ? recompute : strategy;
}

// ---- changes ---------------------------------------------------------------------------------

static bool apply_one(struct shell_edit *edit,
                      const struct megatron_wishes *wishes,
                      enum megatron_key key)
{
    const char *name = name_of(wishes->now, key);
    bool found;
    if (wishes->of[key].change == MG_REMOVE)
        return shell_remove(edit, name);
    const char *text = wishes->texts.text + wishes->of[key].text;
    if (name[0] == '$')
        return shell_set_variable(edit, name + 1, text, &found);
    return shell_set(edit, name, text, siblings_of(key));
}

static bool apply(struct shell_edit *edit, const struct megatron_wishes *wishes)
{
    const char *names[N_MEGATRON_KEYS + 1];
    enum megatron_key keys[N_MEGATRON_KEYS];
    size_t n = 0;
    for (int key = 0; key < N_MEGATRON_KEYS; key++)
        if (wishes->of[key].change != MG_KEEP) {
            keys[n] = (enum megatron_key)key;
            names[n++] = name_of(wishes->now, (enum megatron_key)key);
        }
    names[n] = NULL;
    for (size_t i = 0; i < n; i++) {
        edit->later = names + i + 1;
        if (!apply_one(edit, wishes, keys[i]))
            return false;
    }
    return true;
}

// Adds comment lines at the end, unless the text has them.
static bool add_notes(struct text_edit *changes,
                      const struct plaindoc *document,
                      const struct text_buffer *notes)
{
    if (notes->n == 0 || notes->failed || strstr(document->text, notes->text) != NULL)
        return !notes->failed;
    const bool line = document->n > 0 && document->text[document->n - 1] != '\n';
    if (line)
        text_edit_replace(changes, document->n, document->n, "\n", 1);
    text_edit_replace(changes, document->n, document->n, notes->text, notes->n);
    return !changes->failed;
}

static bool change_script(struct framework_writer *w,
                          const struct plaindoc *document,
                          const struct megatron_wishes *wishes)
{
    struct shell_edit edit;
    if (!shell_edit_begin(&edit, document->text, document->n, megatron_kind_of, w->fault))
        return false;
    const bool ok = apply(&edit, wishes) && shell_edit_finish(&edit, &w->edit) &&
                    add_notes(&w->edit, document, &wishes->notes);
    shell_edit_free(&edit);
    return ok;
}

// ---- both forms ------------------------------------------------------------------------------

typedef bool change_text(struct framework_writer *w,
                         const struct plaindoc *document,
                         const struct megatron_wishes *wishes);

static bool wish_and_change(struct framework_writer *w,
                            const struct plaindoc *document,
                            struct megatron *now,
                            change_text *change)
{
    struct megatron_wishes wishes = {.now = now, .settings = w->settings, .fault = w->fault};
    const bool ok =
        megatron_read_values(now) && megatron_wish_all(&wishes) && change(w, document, &wishes);
    text_buffer_free(&wishes.texts);
    text_buffer_free(&wishes.notes);
    free(wishes.decoders);
    return ok;
}

bool megatron_write_script(struct framework_writer *w, const struct plaindoc *document)
{
    struct framework_file file = {.framework = FRAMEWORK_MEGATRON};
    struct framework_reader r = {.file = &file, .fault = w->fault};
    struct megatron now = {.r = &r};
    struct shell_script script;
    if (!shell_read(&script, document->text, document->n, w->fault))
        return false;
    const bool ok = framework_start(&r, document) && megatron_collect(&now, &script) &&
                    wish_and_change(w, document, &now, change_script);
    shell_free(&script);
    framework_file_free(&file);
    return ok;
}

bool megatron_write_yaml(struct framework_writer *w, const struct plaindoc *document)
{
    struct framework_file file = {.framework = FRAMEWORK_MEGATRON};
    struct framework_reader r = {.file = &file, .fault = w->fault};
    struct megatron now = {.r = &r};
    const bool ok = framework_start(&r, document) && megatron_collect_yaml(&now, document) &&
                    wish_and_change(w, document, &now, megatron_change_yaml);
    framework_file_free(&file);
    return ok;
}
