// SPDX-License-Identifier: Apache-2.0
// Finds the framework of a text and calls its reader or writer.
#include "kernels/frameworks/framework.h"

#include "base/document/fault.h"
#include "kernels/frameworks/framework_private.h"
#include "kernels/frameworks/megatron/megatron.h"

const char *framework_name(enum framework framework)
{
    static const char *const names[] = {"none", "MindFormers", "Megatron", "torchtitan"};
    return names[framework];
}

// ---- all frameworks -----------------------------------------------------------------------------

static const struct framework_form *form_of(const struct plaindoc *doc, enum plaindoc_form form)
{
    static const struct framework_form *const forms[] = {
        &mindformers_form, &torchtitan_form, &megatron_script_form, &megatron_yaml_form, NULL,
    };
    for (int k = 0; forms[k] != NULL; k++)
        if (forms[k]->form == form && forms[k]->is(doc))
            return forms[k];
    return NULL;
}

// Reads the text into a document; a launch script stays a text. *form becomes the form that readers
// and writers are registered for.
static bool parse(struct plaindoc *source,
                  enum plaindoc_form *form,
                  const char *text,
                  size_t n,
                  struct pps_fault *fault)
{
    if (*form == PLAINDOC_TOML || !megatron_is_script(text, n))
        return plaindoc_parse(source, *form, text, n, fault);
    *form = PLAINDOC_FLAT;
    return plaindoc_take(source, text, n, fault);
}

bool framework_read(struct framework_file *file,
                    bool *read,
                    enum plaindoc_form form,
                    const char *text,
                    size_t n,
                    struct pps_fault *fault)
{
    struct framework_reader r = {.file = file, .fault = fault};
    struct plaindoc source;
    *read = false;
    *file = (struct framework_file){.framework = FRAMEWORK_NONE};
    if (form == PLAINDOC_NONE)
        return true;
    if (!parse(&source, &form, text, n, fault))
        return false;
    const struct framework_form *found = form_of(&source, form);
    bool ok = true;
    if (found != NULL) {
        file->framework = found->framework;
        ok = framework_start(&r, &source) && found->read(&r, &source);
        *read = ok;
    }
    plaindoc_free(&source);
    if (!ok) {
        framework_file_free(file);
        file->framework = found->framework;
    }
    return ok;
}

bool framework_write(struct text_buffer *out,
                     enum framework framework,
                     enum plaindoc_form form,
                     const char *text,
                     size_t n,
                     const struct framework_settings *settings,
                     struct pps_fault *fault)
{
    struct framework_writer w = {.settings = settings, .fault = fault};
    struct plaindoc source;
    if (!parse(&source, &form, text, n, fault))
        return false;
    const struct framework_form *found = form_of(&source, form);
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
