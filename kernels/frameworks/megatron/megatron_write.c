// SPDX-License-Identifier: Apache-2.0
// Changes the arguments of a user's launch script or argument list to those that settings need.
#include "kernels/frameworks/megatron/megatron_wish.h"
#include "kernels/frameworks/shell/shell.h"
#include "kernels/frameworks/shell/shell_edit.h"

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

static bool apply_one(struct shell_edit *edit, const struct megatron_wishes *wishes,
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

// Makes the changes in the order of the keys. Arguments that change later may change meanwhile, and
// so may --sequence-parallel, which scripts often derive from the tensor ranks.
static bool apply(struct shell_edit *edit, const struct megatron_wishes *wishes, size_t *n)
{
    const char *names[N_MEGATRON_KEYS + 2];
    enum megatron_key keys[N_MEGATRON_KEYS];
    *n = 0;
    for (int key = 0; key < N_MEGATRON_KEYS; key++)
        if (wishes->of[key].change != MG_KEEP) {
            keys[*n] = (enum megatron_key)key;
            names[(*n)++] = name_of(wishes->now, (enum megatron_key)key);
        }
    names[*n] = megatron_arguments[MG_SP].name;
    names[*n + 1] = NULL;
    for (size_t i = 0; i < *n; i++) {
        edit->later = names + i + 1;
        if (!apply_one(edit, wishes, keys[i]))
            return false;
    }
    return true;
}

// Adds comment lines at the end, unless the text has them.
static bool add_notes(struct text_edit *changes, const struct plaindoc *document,
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

// Changes the text once towards the settings. *n: number of changes.
static bool change_once(struct framework_writer *w, struct shell_edit *edit,
                        struct megatron_wishes *wishes, const struct plaindoc *document,
                        size_t *n)
{
    struct framework_file file = {.framework = FRAMEWORK_MEGATRON};
    struct framework_reader r = {.file = &file, .fault = w->fault};
    struct megatron now = {.r = &r};
    struct shell_script script;
    wishes->now = &now;
    if (!shell_read(&script, edit->text, edit->n, w->fault))
        return false;
    const bool ok = framework_start(&r, document) && megatron_collect(&now, &script) &&
                    megatron_read_values(&now) && megatron_wish_all(wishes) &&
                    apply(edit, wishes, n);
    shell_free(&script);
    framework_file_free(&file);
    return ok;
}

static void free_wishes(struct megatron_wishes *wishes)
{
    text_buffer_free(&wishes->texts);
    text_buffer_free(&wishes->notes);
    free(wishes->decoders);
    wishes->decoders = NULL;
}

// A change may switch a condition of the script, and with it other arguments: the changed script is
// read again, and changed again.
bool megatron_write_script(struct framework_writer *w, const struct plaindoc *document)
{
    enum { PASSES = 4 };
    struct shell_edit edit;
    size_t n = 1;
    bool ok = true;
    if (!shell_edit_begin(&edit, document->text, document->n, megatron_kind_of, w->fault))
        return false;
    for (int pass = 0; ok && n > 0 && pass < PASSES; pass++) {
        struct megatron_wishes wishes = {.settings = w->settings, .fault = w->fault};
        struct plaindoc changed = {.text = edit.text, .n = edit.n};
        ok = change_once(w, &edit, &wishes, &changed, &n);
        if (ok && (n == 0 || pass == PASSES - 1))
            ok = shell_edit_finish(&edit, &w->edit) &&
                 add_notes(&w->edit, document, &wishes.notes);
        free_wishes(&wishes);
    }
    shell_edit_free(&edit);
    return ok;
}

bool megatron_write_yaml(struct framework_writer *w, const struct plaindoc *document)
{
    struct framework_file file = {.framework = FRAMEWORK_MEGATRON};
    struct framework_reader r = {.file = &file, .fault = w->fault};
    struct megatron now = {.r = &r};
    struct megatron_wishes wishes = {.now = &now, .settings = w->settings, .fault = w->fault};
    const bool ok =
        framework_start(&r, document) && megatron_collect_yaml(&now, document) &&
        (now.dialect <= MEGATRON_CORE ||
         megatron_cannot(&wishes, "copies of configurations of NeMo and Megatron "
                                  "Bridge with another strategy are not written")) &&
        megatron_read_values(&now) && megatron_wish_all(&wishes) &&
        megatron_change_yaml(w, document, &wishes);
    free_wishes(&wishes);
    framework_file_free(&file);
    return ok;
}
