// SPDX-License-Identifier: Apache-2.0
// ppsweep compare: what differs between two trainings, and what that costs.
#include "base/document/json.h"
#include "base/edit/json_write.h"
#include "base/math/units.h"
#include "base/text/grow_list.h"
#include "base/text/say.h"
#include "base/text/text_buffer.h"
#include "engine/command/signals.h"
#include "kernels/configuration/document.h"
#include "planner/check/trainings.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

// ---- differences --------------------------------------------------------------------------------

enum { DIFFERENCES_TEXT = 160 };

struct difference {
    char path[96];                    // "baseline.tp"
    char values[2][DIFFERENCES_TEXT]; // as JSON, shortened; "-": none
};

struct differences {
    struct difference *list;
    size_t n, room;
};

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

static bool add(struct differences *differences, const char *path, const cJSON *a,
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

static bool compare(struct differences *differences, const char *path, const cJSON *a,
                    const cJSON *b);

static bool compare_member(struct differences *differences, const char *path, const char *key,
                           const cJSON *a, const cJSON *b)
{
    char below[96];
    snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
    return compare(differences, below, pps_json_member(a, key), pps_json_member(b, key));
}

static bool compare_objects(struct differences *differences, const char *path, const cJSON *a,
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

static bool compare(struct differences *differences, const char *path, const cJSON *a,
                    const cJSON *b)
{
    if (cJSON_IsObject(a) && cJSON_IsObject(b))
        return compare_objects(differences, path, a, b);
    if (a != NULL && b != NULL && cJSON_Compare(a, b, true))
        return true;
    return add(differences, path, a, b);
}

// Compares the documents of two trainings. Returns false when out of memory. The caller frees the differences in
// any case.
static bool differences_find(struct differences *differences,
                             const struct training_case cases[2])
{
    cJSON *a = configuration_document(&cases[0].mine.plan.configuration),
          *b = configuration_document(&cases[1].mine.plan.configuration);
    const bool ok = a != NULL && b != NULL && compare_objects(differences, "", a, b);
    cJSON_Delete(a);
    cJSON_Delete(b);
    return ok;
}

static void differences_free(struct differences *differences)
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

// Appends the differences, and both steps by part and cause, as one JSON object.
static void differences_json(const struct differences *differences,
                             const struct training_case cases[2], struct text_buffer *out)
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

// ---- compare ------------------------------------------------------------------------------------

static const struct pps_opt options[] = {
    {"devices", 'n', "N", "number of devices (from the files)"},
    {"json", 0, NULL, "print one JSON object"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "A and B are trainings as ppsweep check reads them: configurations of frameworks, or plans. Both\n"
    "are evaluated on CLUSTER, or on the devices that they name. The command prints the values that\n"
    "differ, the time of a step by part, and the memory of the fullest stage by cause.\n"
    "\n"
    "  ppsweep compare my-training.sh tuned/my-training.sh h100\n";

// ---- text ---------------------------------------------------------------------------------------

static void print_differences(const struct differences *differences)
{
    printf("differs   %zu value%s\n", differences->n, differences->n == 1 ? "" : "s");
    for (size_t k = 0; k < differences->n; k++)
        pps_say(stdout, "          %s: %s, %s", differences->list[k].path,
                differences->list[k].values[0], differences->list[k].values[1]);
}

static void print_row(const char *name, double a, double b, double unit)
{
    printf("%-14s %12.4f %12.4f %+12.4f\n", name, a / unit, b / unit, (b - a) / unit);
}

static void print_tables(const struct training_case cases[2])
{
    const struct configuration_step *a = &cases[0].mine.step, *b = &cases[1].mine.step;
    printf("\n%-14s %12s %12s %12s\n", "time, s", "A", "B", "B - A");
    print_row("step", a->seconds, b->seconds, 1);
    for (int k = 0; k < CONFIGURATION_TIMES; k++)
        if (a->times[k] != 0 || b->times[k] != 0)
            print_row(configuration_time_names[k], a->times[k], b->times[k], 1);
    printf("\n%-14s %12s %12s %12s\n", "memory, GiB", "A", "B", "B - A");
    print_row("peak", a->peak, b->peak, UNITS_GIB);
    for (int m = 0; m < CONFIGURATION_MEMORIES; m++) {
        const double x = a->devices[a->worst].memory[m], y = b->devices[b->worst].memory[m];
        if (x != 0 || y != 0)
            print_row(configuration_memory_names[m], x, y, UNITS_GIB);
    }
    printf(
        "\nThe peaks are those of stage %d of A and stage %d of B. B takes %+.2f %% of the time of "
        "A.\n",
        a->worst, b->worst, 100 * (b->seconds / a->seconds - 1));
}

// ---- the command --------------------------------------------------------------------------------

static enum pps_status show(const struct training_case cases[2], bool json,
                            struct pps_error *err)
{
    struct differences differences = {.list = NULL};
    struct text_buffer out = {.text = NULL};
    enum pps_status status = PPS_OK;
    if (!differences_find(&differences, cases)) {
        status = pps_fail_memory(err, "the differences");
    } else if (json) {
        differences_json(&differences, cases, &out);
        if (out.failed)
            status = pps_fail_memory(err, "the differences");
        else
            fwrite(out.text, 1, out.n, stdout);
    } else {
        print_differences(&differences);
        print_tables(cases);
    }
    text_buffer_free(&out);
    differences_free(&differences);
    return status;
}

static enum pps_status compare_main(const struct pps_args *args, struct pps_error *err)
{
    struct training_case cases[2] = {{.opened = false}, {.opened = false}};
    struct poll poll = {.over = poll_flag, .self = pps_signals_install()};
    const char *cluster = pps_arg_words(args) > 2 ? pps_arg_word(args, 2) : NULL;
    enum pps_status status = PPS_OK;
    for (int k = 0; k < 2 && status == PPS_OK; k++)
        status =
            training_case_open(&cases[k], pps_arg_word(args, k), cluster, args, &poll, err);
    if (status == PPS_OK)
        status = show(cases, pps_arg(args, "json") != NULL, err);
    for (int k = 0; k < 2; k++)
        training_case_close(&cases[k]);
    return status;
}

const struct pps_command compare_command = {
    .name = "compare",
    .summary = "what differs between two trainings, and what that costs",
    .usage = "[options] A B [CLUSTER]",
    .details = details,
    .options = options,
    .min_words = 2,
    .max_words = 3,
    .main = compare_main,
};
