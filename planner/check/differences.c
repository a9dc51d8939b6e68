// SPDX-License-Identifier: Apache-2.0
// Compares configurations as documents, key by key.
#include "planner/check/differences.h"

#include "base/document/json.h"
#include "base/edit/json_write.h"
#include "base/math/units.h"
#include "base/text/grow_list.h"
#include "kernels/configuration/document.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

// ---- values -------------------------------------------------------------------------------------

// Writes a value on one line, shortened.
static bool write_value(const cJSON *item, char text[DIFFERENCES_TEXT])
{
    struct text_buffer out = {.text = NULL};
    if (item == NULL) {
        snprintf(text, DIFFERENCES_TEXT, "-");
        return true;
    }
    json_write_tree(&out, item);
    if (!out.failed)
        snprintf(text, DIFFERENCES_TEXT, out.n < DIFFERENCES_TEXT ? "%s" : "%.150s ...",
                 out.text);
    const bool ok = !out.failed;
    text_buffer_free(&out);
    return ok;
}

static bool add(struct differences *differences,
                const char *path,
                const cJSON *a,
                const cJSON *b)
{
    struct difference *list =
        pps_grow(differences->list, &differences->room, differences->n + 1, sizeof *list);
    if (list == NULL)
        return false;
    differences->list = list;
    struct difference *added = &list[differences->n++];
    snprintf(added->path, sizeof added->path, "%s", path);
    return write_value(a, added->values[0]) && write_value(b, added->values[1]);
}

// ---- trees --------------------------------------------------------------------------------------

static bool compare(struct differences *differences,
                    const char *path,
                    const cJSON *a,
                    const cJSON *b);

static bool compare_member(struct differences *differences,
                           const char *path,
                           const char *key,
                           const cJSON *a,
                           const cJSON *b)
{
    char below[96];
    snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
    return compare(differences, below, pps_json_member(a, key), pps_json_member(b, key));
}

static bool compare_objects(struct differences *differences,
                            const char *path,
                            const cJSON *a,
                            const cJSON *b)
{
    for (const cJSON *item = a->child; item != NULL; item = item->next)
        if (!compare_member(differences, path, item->string, a, b))
            return false;
    for (const cJSON *item = b->child; item != NULL; item = item->next)
        if (pps_json_member(a, item->string) == NULL &&
            !compare_member(differences, path, item->string, a, b))
            return false;
    return true;
}

static bool compare(struct differences *differences,
                    const char *path,
                    const cJSON *a,
                    const cJSON *b)
{
    if (cJSON_IsObject(a) && cJSON_IsObject(b))
        return compare_objects(differences, path, a, b);
    if (a != NULL && b != NULL && cJSON_Compare(a, b, true))
        return true;
    return add(differences, path, a, b);
}

bool differences_find(struct differences *differences, const struct training_case cases[2])
{
    cJSON *a = configuration_document(&cases[0].mine.plan.configuration),
          *b = configuration_document(&cases[1].mine.plan.configuration);
    const bool ok = a != NULL && b != NULL && compare_objects(differences, "", a, b);
    cJSON_Delete(a);
    cJSON_Delete(b);
    return ok;
}

void differences_free(struct differences *differences)
{
    free(differences->list);
    *differences = (struct differences){.list = NULL};
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_step(struct text_buffer *out, const struct configuration_step *step)
{
    text_buffer_add(out, "{\"step_seconds\": ");
    json_write_number(out, step->seconds);
    text_buffer_add(out, ", \"peak_gib\": ");
    json_write_number(out, units_to_gib(step->peak));
    text_buffer_add(out, ", \"worst_stage\": %d, \"parts\": {", step->worst);
    for (int k = 0; k < CONFIGURATION_TIMES; k++) {
        text_buffer_add(out, "%s\"%s\": ", k > 0 ? ", " : "", configuration_time_names[k]);
        json_write_number(out, step->times[k]);
    }
    text_buffer_add(out, "}, \"causes\": {");
    for (int m = 0; m < CONFIGURATION_MEMORIES; m++) {
        text_buffer_add(out, "%s\"%s\": ", m > 0 ? ", " : "", configuration_memory_names[m]);
        json_write_number(out, units_to_gib(step->devices[step->worst].memory[m]));
    }
    text_buffer_add(out, "}}");
}

void differences_json(const struct differences *differences,
                      const struct training_case cases[2],
                      struct text_buffer *out)
{
    text_buffer_add(out, "{\"differences\": [");
    for (size_t k = 0; k < differences->n; k++) {
        const struct difference *d = &differences->list[k];
        text_buffer_add(out, k > 0 ? ",\n  {\"key\": " : "\n  {\"key\": ");
        json_write_text(out, d->path);
        text_buffer_add(out, ", \"a\": ");
        json_write_text(out, d->values[0]);
        text_buffer_add(out, ", \"b\": ");
        json_write_text(out, d->values[1]);
        text_buffer_add(out, "}");
    }
    text_buffer_add(out, "],\n \"a\": ");
    add_step(out, &cases[0].mine.step);
    text_buffer_add(out, ",\n \"b\": ");
    add_step(out, &cases[1].mine.step);
    text_buffer_add(out, "}\n");
}
