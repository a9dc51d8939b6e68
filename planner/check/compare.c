// SPDX-License-Identifier: Apache-2.0
// ppsweep compare: what differs between two trainings, and what that costs.
#include "planner/check/check.h"

#include "base/math/units.h"
#include "base/text/say.h"
#include "engine/command/signals.h"
#include "planner/check/differences.h"
#include "planner/check/trainings.h"
#include "planner/shared/options.h"

#include <math.h>
#include <stdio.h>

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

static enum pps_status show(const struct training_case cases[2],
                            bool json,
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
