// SPDX-License-Identifier: Apache-2.0
// Makes the configuration of a run from its documents and options.
#include "planner/shared/plan_configuration.h"

#include "base/document/json.h"
#include "base/text/say.h"
#include "engine/command/command.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

// ---- plan edits ---------------------------------------------------------------------------------

static const char *const degrees[] = {"dp", "tp", "cp", "pp", "ep", "op", "vp", "mbs"};

enum { N_DEGREES = sizeof degrees / sizeof *degrees };

// The strategy, and the items that are not part of it any more.
struct edits {
    cJSON *strategy, *removed;
};

// ---- items --------------------------------------------------------------------------------------

static void drop_item(const struct edits *edits, const char *key)
{
    cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(edits->strategy, key);
    if (item != NULL)
        cJSON_AddItemToArray(edits->removed, item);
}

// Takes ownership of the item; NULL means out of memory.
static enum pps_status put(const struct edits *edits, const char *key, cJSON *item,
                           struct pps_error *err)
{
    drop_item(edits, key);
    if (item != NULL && cJSON_AddItemToObject(edits->strategy, key, item))
        return PPS_OK;
    cJSON_Delete(item);
    return pps_fail_memory(err, "the strategy");
}

static void drop(const struct edits *edits, const char *const *keys)
{
    for (; *keys != NULL; keys++)
        drop_item(edits, *keys);
}

static void drop_lists(const struct edits *edits)
{
    static const char *const keys[] = {"layers", "recompute", "select_recompute", NULL};
    drop(edits, keys);
}

// ---- degrees ------------------------------------------------------------------------------------

static enum pps_status fail_word(const char *word, size_t n, struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "--at %.*s: expected a degree as in tp=4 (dp tp cp pp ep op vp mbs), sp=on "
                    "or schedule=NAME",
                    (int)n, word);
}

static enum pps_status put_degree(const struct edits *edits, const char *key, const char *word,
                                  size_t n, struct pps_error *err)
{
    char *end;
    const char *value = memchr(word, '=', n);
    const long number = strtol(value + 1, &end, 10);
    if (end != word + n || number < 1 || number > 1 << 20)
        return fail_word(word, n, err);
    return put(edits, key, cJSON_CreateNumber((double)number), err);
}

// Reads one of "tp=4", "sp=on", "schedule=zbv". *set has a bit for every degree.
static enum pps_status read_word(const struct edits *edits, const char *word, size_t n,
                                 unsigned *set, struct pps_error *err)
{
    const char *equals = memchr(word, '=', n);
    if (equals == NULL)
        return fail_word(word, n, err);
    const size_t key = (size_t)(equals - word), value = n - key - 1;
    for (int k = 0; k < N_DEGREES; k++)
        if (plan_is_word(word, key, degrees[k])) {
            if ((*set & 1u << k) != 0)
                return pps_fail(err, PPS_E_INPUT, "--at %.*s: %s is set twice; remove one",
                                (int)n, word, degrees[k]);
            *set |= 1u << k;
            return put_degree(edits, degrees[k], word, n, err);
        }
    bool on;
    if (plan_is_word(word, key, "sp") && plan_read_switch(equals + 1, value, &on)) {
        *set |= 1u << N_DEGREES;
        return put(edits, "sp", cJSON_CreateBool(on), err);
    }
    char name[64];
    if (!plan_is_word(word, key, "schedule") || value >= sizeof name)
        return fail_word(word, n, err);
    memcpy(name, equals + 1, value);
    name[value] = '\0';
    return put(edits, "schedule", cJSON_CreateString(name), err);
}

static bool sets(unsigned set, const char *degree)
{
    int k = 0;
    while (k < N_DEGREES && strcmp(degrees[k], degree) != 0)
        k++;
    return (set & 1u << k) != 0;
}

// What depends on a degree that has changed follows it, unless it is set, too.
static enum pps_status follow(const struct edits *edits, unsigned set, struct pps_error *err)
{
    static const char *const replicas[] = {"dp", NULL}, *const shards[] = {"op", NULL},
                             *const runs[] = {"run_batch", NULL};
    const bool replicates = sets(set, "tp") || sets(set, "cp") || sets(set, "pp");
    if (replicates || sets(set, "dp") || sets(set, "mbs"))
        drop(edits, runs); // files with other degrees have one run of the pipeline in a step
    if (replicates && !sets(set, "dp"))
        drop(edits, replicas);
    if ((replicates || sets(set, "dp")) && !sets(set, "op"))
        drop(edits, shards);
    if (sets(set, "pp") || sets(set, "vp"))
        drop_lists(edits);
    if (!sets(set, "tp") || (set & 1u << N_DEGREES) != 0)
        return PPS_OK;
    const cJSON *tp = pps_json_member(edits->strategy, "tp");
    return put(edits, "sp", cJSON_CreateBool(tp->valuedouble > 1), err);
}

static enum pps_status edit_degrees(const struct edits *edits, const char *text,
                                    struct pps_error *err)
{
    const char *word, *rest = text;
    unsigned set = 0;
    size_t n;
    enum pps_status status = PPS_OK;
    while (status == PPS_OK && (word = plan_next_word(&rest, &n)) != NULL)
        status = read_word(edits, word, n, &set, err);
    return status == PPS_OK ? follow(edits, set, err) : status;
}

// ---- lists --------------------------------------------------------------------------------------

static enum pps_status fail_list(const char *option, const char *text, struct pps_error *err)
{
    return pps_fail(
        err, PPS_E_INPUT,
        "--%s %s: expected numbers, one per stage, as in 4,5,4,3; with several chunks "
        "a row for each, as in 2,2|2,1",
        option, text);
}

// Reads "4,5,4,3" or "2,2|2,1" as lists of lists. NULL: it is not one, or out of memory.
static cJSON *read_rows(const char *text)
{
    cJSON *rows = cJSON_CreateArray(), *row = cJSON_CreateArray();
    cJSON_AddItemToArray(rows, row);
    for (const char *at = text; row != NULL;) {
        char *end;
        const long value = strtol(at, &end, 10);
        if (end == at || value < 0 || value > 1 << 20 ||
            !cJSON_AddItemToArray(row, cJSON_CreateNumber((double)value)))
            break;
        at = end + strspn(end, " ");
        if (*at == '\0')
            return rows;
        if (*at == '|') {
            row = cJSON_CreateArray();
            cJSON_AddItemToArray(rows, row);
        } else if (*at != ',') {
            break;
        }
        at++;
    }
    cJSON_Delete(rows);
    return NULL;
}

static enum pps_status edit_list(const struct edits *edits, const char *option,
                                 const char *text, struct pps_error *err)
{
    cJSON *rows = read_rows(text);
    return rows == NULL ? fail_list(option, text, err) : put(edits, option, rows, err);
}

static enum pps_status edit_recompute(const struct edits *edits, const char *text,
                                      struct pps_error *err)
{
    static const char *const lists[] = {"recompute", "select_recompute", NULL};
    static const char *const words[] = {"none", "select", "full"};
    drop(edits, lists);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(text, words[k]) == 0)
            return put(edits, "recompute_all", cJSON_CreateString(text), err);
    return edit_list(edits, "recompute", text, err);
}

// ---- all ----------------------------------------------------------------------------------------

// Edits the strategy, an object as kernels/configuration reads it. A change of the stages or chunks removes
// the lists of layers, a change of other degrees the number of replicas, unless options set them. What is removed
// moves to the list `removed`, so that no later item takes its place in the text.
static enum pps_status plan_edits_apply(cJSON *strategy, cJSON *removed,
                                        const struct pps_args *args, struct pps_error *err)
{
    const char *at = pps_arg(args, "at"), *layers = pps_arg(args, "layers"),
               *recompute = pps_arg(args, "recompute");
    const struct edits edits = {strategy, removed};
    enum pps_status status = at != NULL ? edit_degrees(&edits, at, err) : PPS_OK;
    if (status == PPS_OK && layers != NULL)
        status = edit_list(&edits, "layers", layers, err);
    if (status == PPS_OK && recompute != NULL)
        status = edit_recompute(&edits, recompute, err);
    return status;
}

// ---- plan configuration -------------------------------------------------------------------------

// Returns the strategy of the run's documents, which options may change; a new one if no document sets it.
static enum pps_status strategy_of(struct plan_run *run, cJSON **strategy,
                                   struct pps_error *err)
{
    *strategy = run->baseline;
    if (*strategy == NULL)
        *strategy = cJSON_AddObjectToObject(run->documents[0].json.root, "baseline");
    return *strategy != NULL ? PPS_OK : pps_fail_memory(err, "the strategy");
}

static enum pps_status read_strategy(struct plan_configuration *plan, struct plan_run *run,
                                     const cJSON *strategy, struct pps_error *err)
{
    const struct plan_document *document =
        run->baseline_in != NULL ? run->baseline_in : &run->documents[0];
    struct pps_fault fault = {.item = NULL};
    bool no_memory;
    char why[256];
    if (!configuration_read(&plan->configuration, strategy, &plan->items, &no_memory, &fault))
        return no_memory ? pps_fail_memory(err, "the configuration")
                         : plan_fail_document(&document->json, &fault, err);
    if (!configuration_check(&plan->configuration, why, sizeof why))
        text_buffer_add(&plan->cannot_run, "%s", why);
    return plan->cannot_run.failed ? pps_fail_memory(err, "the configuration") : PPS_OK;
}

// Returns whether options change what a document sets.
static bool has_edits(const struct pps_args *args)
{
    return args != NULL && (pps_arg(args, "at") != NULL || pps_arg(args, "layers") != NULL);
}

// A reader of a framework's file may have found why the training in it does not start.
static enum pps_status take_reason(struct plan_configuration *plan,
                                   const struct plan_document *document, struct pps_error *err)
{
    const struct pps_fault *reason = &document->cannot_run;
    if (reason->text[0] != '\0')
        text_buffer_add(&plan->cannot_run, "%s:%d:%d: %s", document->json.name, reason->line,
                        reason->column, reason->text);
    return plan->cannot_run.failed ? pps_fail_memory(err, "the configuration") : PPS_OK;
}

enum pps_status plan_configuration_open(struct plan_configuration *plan, struct plan_run *run,
                                        const struct pps_args *args, struct pps_error *err)
{
    cJSON *strategy;
    *plan = (struct plan_configuration){.configuration = {.model = run->model,
                                                          .cluster = run->cluster,
                                                          .training = run->training}};
    enum pps_status status = strategy_of(run, &strategy, err);
    plan->removed = cJSON_CreateArray();
    if (status == PPS_OK && plan->removed == NULL)
        status = pps_fail_memory(err, "the strategy");
    if (status == PPS_OK && args != NULL)
        status = plan_edits_apply(strategy, plan->removed, args, err);
    if (status == PPS_OK && run->baseline_in != NULL && !has_edits(args))
        status = take_reason(plan, run->baseline_in, err);
    if (status == PPS_OK && plan->cannot_run.n == 0)
        status = read_strategy(plan, run, strategy, err);
    if (status != PPS_OK)
        plan_configuration_close(plan);
    return status;
}

void plan_configuration_close(struct plan_configuration *plan)
{
    configuration_free(&plan->configuration);
    cJSON_Delete(plan->removed);
    plan->removed = NULL;
    text_buffer_free(&plan->cannot_run);
}

// ---- the training of the user -------------------------------------------------------------------

static enum pps_status evaluate(struct plan_mine *mine, struct poll *poll,
                                struct pps_error *err)
{
    const struct configuration *c = &mine->plan.configuration;
    switch (configuration_step_of(&mine->step, c, poll)) {
    case CONFIGURATION_DONE:
        mine->has = true;
        return PPS_OK;
    case CONFIGURATION_NO_ORDER:
        text_buffer_add(&mine->plan.cannot_run, "schedule %s has no order for it",
                        configuration_schedule(c));
        return PPS_OK;
    case CONFIGURATION_STOPPED:
        return pps_fail(err, PPS_E_STOPPED, "stopped");
    case CONFIGURATION_NO_MEMORY:
        break;
    }
    return pps_fail_memory(err, "the training step");
}

enum pps_status plan_mine_open(struct plan_mine *mine, struct plan_run *run, bool quiet,
                               struct poll *poll, struct pps_error *err)
{
    *mine = (struct plan_mine){.has = false};
    if (run->baseline == NULL)
        return PPS_OK;
    enum pps_status status = plan_configuration_open(&mine->plan, run, NULL, err);
    if (status == PPS_OK && mine->plan.cannot_run.n == 0)
        status = evaluate(mine, poll, err);
    if (status != PPS_OK) {
        plan_mine_close(mine);
        return status;
    }
    if (!mine->has && !quiet)
        pps_say(stderr, "note      no baseline: the training in %s cannot run: %s",
                run->baseline_in->json.name, mine->plan.cannot_run.text);
    return PPS_OK;
}

void plan_mine_close(struct plan_mine *mine)
{
    configuration_step_free(&mine->step);
    plan_configuration_close(&mine->plan);
}

bool plan_mine_fits(const struct plan_mine *mine)
{
    return mine->step.peak <= mine->plan.configuration.cluster.memory_limit;
}

const char *plan_mine_recompute(const struct configuration *c)
{
    int64_t layers = 0, full = 0, select = 0;
    for (int32_t k = 0; k < c->n_parts; k++) {
        layers += configuration_part_layers(&c->parts[k]);
        full += c->parts[k].full[0] + c->parts[k].full[1];
        select += c->parts[k].select[0] + c->parts[k].select[1];
    }
    return full == 0 && select == 0 ? "none"
           : full == layers         ? "full"
           : select == layers       ? "select"
                                    : "mixed";
}
