// SPDX-License-Identifier: Apache-2.0
// Reads configurations of frameworks for kernels.
#include "kernels/configuration/convert.h"

#include "base/document/fault.h"
#include "base/edit/json_write.h"
#include "base/text/characters.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/document.h"
#include "kernels/configuration/run.h"
#include "kernels/frameworks/framework.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

// ---- a file of a framework ----------------------------------------------------------------------

// Returns whether the text is a configuration of a framework; otherwise the fault is set if it is one with an
// error. The caller frees the file only if it is one.
static bool read_file(struct framework_file *file, const char *path, const char *text, size_t n,
                      struct pps_fault *fault)
{
    enum plaindoc_form form = plaindoc_form_of(path);
    bool is_one;
    if (form == PLAINDOC_NONE)
        form = plaindoc_form_like(text, n);
    if (!framework_read(file, &is_one, form, text, n, fault)) {
        if (form != PLAINDOC_NONE && !is_one && file->framework == FRAMEWORK_NONE)
            fault->text[0] = '\0'; // the engine reads it and reports what is wrong
        return false;
    }
    return is_one;
}

// Returns the text of a buffer, or NULL with a fault.
static char *text_of(struct text_buffer *buffer, struct pps_fault *fault)
{
    if (!buffer->failed)
        return buffer->text;
    text_buffer_free(buffer);
    pps_fault_set(fault, NULL, false, "out of memory for this document");
    return NULL;
}

char *configuration_convert_run(const char *path, const char *text, size_t n,
                                struct pps_fault *fault)
{
    struct framework_file file;
    struct text_buffer out = {.text = NULL};
    if (!read_file(&file, path, text, n, fault))
        return NULL;
    json_write_tree(&out, file.document.root);
    framework_file_free(&file);
    return text_of(&out, fault);
}

// ---- its plan -----------------------------------------------------------------------------------

static bool fail(struct pps_fault *fault, const char *why)
{
    return pps_fault_set(fault, NULL, false, "%s", why);
}

static bool read_parts(struct configuration *c, cJSON *root, struct pps_fault *fault)
{
    struct rundoc parts;
    return rundoc_split(&parts, root, fault) && configuration_read_run(c, &parts, NULL, fault);
}

// Writes the plan, with the name of the file and of the devices.
static void write_plan(struct text_buffer *out, const struct plan *plan, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    char title[64];
    struct text_buffer text = {.text = NULL};
    snprintf(title, sizeof title, "%.*s-on-H100", (int)(dot != NULL ? dot - name : 40), name);
    plan_json_write(plan, &text);
    text_buffer_add(out, "{\"name\": ");
    json_write_text(out, title);
    text_buffer_add(out, ",%s", text.text != NULL ? text.text + 1 : "}");
    out->failed = out->failed || text.failed;
    text_buffer_free(&text);
}

static bool evaluate(struct text_buffer *out, const struct configuration *c, const char *path,
                     struct pps_fault *fault)
{
    struct configuration_step step;
    struct plan *plan = NULL;
    const enum configuration_status status = configuration_step_brief(&step, c, NULL);
    if (status == CONFIGURATION_DONE)
        plan = configuration_plan(c, &step);
    configuration_step_free(&step);
    if (plan == NULL)
        return fail(fault, status == CONFIGURATION_NO_ORDER
                               ? "the schedule has no order"
                               : "out of memory for this document");
    write_plan(out, plan, path);
    plan_free(plan);
    return true;
}

char *configuration_convert_plan(const char *path, const char *text, size_t n,
                                 struct pps_fault *fault)
{
    struct framework_file file;
    struct configuration c = {.parts = NULL};
    struct text_buffer out = {.text = NULL};
    if (!read_file(&file, path, text, n, fault))
        return NULL;
    const bool ok =
        read_parts(&c, file.document.root, fault) && evaluate(&out, &c, path, fault);
    for (size_t k = 0; !ok && k < file.document.n_places; k++)
        if (file.document.places[k].item == fault->item && fault->item != NULL)
            pps_find_place(file.document.text, file.document.places[k].value_at, &fault->line,
                           &fault->column);
    configuration_free(&c);
    framework_file_free(&file);
    return ok ? text_of(&out, fault) : NULL;
}
