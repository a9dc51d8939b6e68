// SPDX-License-Identifier: Apache-2.0
// ppsweep balance guide: configurations to measure for balance fit.
#include "engine/command/signals.h"
#include "planner/balance/commands.h"
#include "planner/balance/guide/guide.h"
#include "planner/shared/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pps_opt options[] = {
    {"stages", 0, "P", "stages of the pipeline"},
    {"layers", 0, "L", "body layers of the model"},
    {"recompute", 0, "KINDS",
     "kinds to measure: select, select_comm, both, full, separated by commas (none)"},
    {"no-constant", 0, NULL, "without memory that every stage holds: one unknown less"},
    {"seed", 0, "N", "seed of the draws (42)"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "The command prints configurations of a training whose peaks tell the memory of a layer: run\n"
    "each of them, or simulate it (packaging/dryrun.sh), and give the peaks to ppsweep balance\n"
    "fit. Of many draws it takes the one whose equations are best conditioned. Without options,\n"
    "it asks.\n"
    "\n"
    "  ppsweep balance guide --stages 16 --layers 96 --recompute select,select_comm,both\n";

// ---- questions ----------------------------------------------------------------------------------

// Asks for a line. Returns false at the end of the input.
static bool ask(const char *question, char *line, size_t n)
{
    printf("%s\n", question);
    fflush(stdout);
    return fgets(line, (int)n, stdin) != NULL;
}

// Sets *value to 0 if the answer is empty or not a number.
static bool ask_number(const char *question, int32_t *value)
{
    char line[64];
    if (!ask(question, line, sizeof line))
        return false;
    const long read = strtol(line, NULL, 10);
    *value = read > 0 && read < 1000000000 ? (int32_t)read : 0;
    return true;
}

static bool ask_kind(const char *question, bool *is_wanted)
{
    char line[64];
    if (!ask(question, line, sizeof line))
        return false;
    *is_wanted =
        line[0] == 'y' || line[0] == 'Y' || (line[0] == '1' && (line[1] == '\n' || !line[1]));
    return true;
}

// Asks the published questions. Returns false if an answer is missing: the command ends.
static bool ask_all(struct guide_task *task)
{
    static const struct {
        const char *question;
        enum balance_kind kind;
    } kinds[] = {
        {"Do you consider full recomputation?[y/n]?", BALANCE_FULL},
        {"Do you consider select recomputation?[y/n]?", BALANCE_SELECT},
        {"Does your communication recomputation co-work with select recomputation?[y/n]?",
         BALANCE_BOTH},
        {"Do you consider extra communication recomputation?[y/n]?", BALANCE_SELECT_COMM},
    };
    if (!ask_number("Please enter the pipeline stage number (0 if none):", &task->stages) ||
        task->stages == 0 ||
        !ask_number("Please enter the number of layers (0 if none):", &task->layers) ||
        task->layers == 0)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!ask_kind(kinds[i].question, &task->has[kinds[i].kind]))
            return false;
    return true;
}

// ---- options ------------------------------------------------------------------------------------

static enum pps_status read_kinds(struct guide_task *task, const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *rest = pps_arg(args, "recompute"), *word;
    size_t n;
    while (rest != NULL && (word = plan_next_word(&rest, &n)) != NULL) {
        int kind = 0;
        while (kind < BALANCE_KINDS && !plan_is_word(word, n, balance_kind_names[kind]))
            kind++;
        if (kind == BALANCE_KINDS)
            return pps_fail(err, PPS_E_INPUT,
                            "--recompute %.*s: expected select, select_comm, both or full, "
                            "separated by commas",
                            (int)n, word);
        task->has[kind] = true;
    }
    return PPS_OK;
}

static enum pps_status read_task(struct guide_task *task, const struct pps_args *args,
                                 struct pps_error *err)
{
    uint64_t stages = 0, layers = 0;
    enum pps_status status = pps_arg_count(args, "stages", 1, 1000000, &stages, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "layers", 1, 1000000, &layers, err);
    if (status == PPS_OK && (stages == 0 || layers == 0))
        status = pps_fail(err, PPS_E_INPUT, "give --stages and --layers");
    if (status == PPS_OK)
        status = read_kinds(task, args, err);
    task->stages = (int32_t)stages;
    task->layers = (int32_t)layers;
    return status;
}

// ---- the command --------------------------------------------------------------------------------

static void show(const struct guide *found)
{
    printf("Please dryrun following config, %d round(s) is needed\n", found->rounds);
    for (int r = 0; r < found->rounds; r++) {
        printf("for round %d, please dryrun config:\n", r + 1);
        for (int k = 0; k < BALANCE_LISTS; k++) {
            const int32_t *list =
                found->lists + ((size_t)r * BALANCE_LISTS + (size_t)k) * (size_t)found->stages;
            printf("\t%s: [", balance_list_names[k]);
            for (int32_t s = 0; s < found->stages; s++)
                printf("%s%d", s == 0 ? "" : ", ", list[s]);
            printf("]\n");
        }
    }
    printf("# condition number of the equations: %.1f\n", found->condition);
}

static enum pps_status guide(const struct guide_task *task, struct pps_error *err)
{
    struct guide found;
    const char *misfit = guide_misfit(task);
    if (misfit != NULL)
        return pps_fail(err, PPS_E_INPUT, "%s (%d stages, %d layers)", misfit, task->stages,
                        task->layers);
    const enum pps_status status = guide_find(task, pps_signals_install(), &found, err);
    if (status != PPS_OK)
        return status;
    show(&found);
    guide_free(&found);
    return PPS_OK;
}

enum pps_status balance_guide_ask(struct pps_error *err)
{
    struct guide_task task = {.has = {[BALANCE_NONE] = true}, .seed = 42};
    return ask_all(&task) ? guide(&task, err) : PPS_OK;
}

static enum pps_status guide_main(const struct pps_args *args, struct pps_error *err)
{
    struct guide_task task = {.has = {[BALANCE_NONE] = true},
                              .without_constant = pps_arg(args, "no-constant") != NULL,
                              .seed = 42};
    enum pps_status status = pps_arg_count(args, "seed", 0, (uint64_t)1 << 53, &task.seed, err);
    if (status == PPS_OK && pps_arg(args, "stages") == NULL &&
        pps_arg(args, "layers") == NULL && pps_arg(args, "recompute") == NULL)
        return ask_all(&task) ? guide(&task, err) : PPS_OK;
    if (status == PPS_OK)
        status = read_task(&task, args, err);
    return status == PPS_OK ? guide(&task, err) : status;
}

const struct pps_command balance_guide_command = {
    .name = "balance guide",
    .summary = "print configurations to measure for balance fit",
    .usage = "[options]",
    .details = details,
    .options = options,
    .config = true,
    .one_dash = true,
    .max_words = 0,
    .main = guide_main,
};
