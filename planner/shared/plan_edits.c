// SPDX-License-Identifier: Apache-2.0
// Reads the options and changes the items of the strategy.
#include "planner/shared/plan_edits.h"

#include "base/document/json.h"
#include "planner/shared/options.h"

#include <stdlib.h>
#include <string.h>

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
static enum pps_status put(const struct edits *edits,
                           const char *key,
                           cJSON *item,
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

static enum pps_status put_degree(const struct edits *edits,
                                  const char *key,
                                  const char *word,
                                  size_t n,
                                  struct pps_error *err)
{
    char *end;
    const char *value = memchr(word, '=', n);
    const long number = strtol(value + 1, &end, 10);
    if (end != word + n || number < 1 || number > 1 << 20)
        return fail_word(word, n, err);
    return put(edits, key, cJSON_CreateNumber((double)number), err);
}

// Reads one of "tp=4", "sp=on", "schedule=zbv". *set has a bit for every degree.
static enum pps_status read_word(const struct edits *edits,
                                 const char *word,
                                 size_t n,
                                 unsigned *set,
                                 struct pps_error *err)
{
    const char *equals = memchr(word, '=', n);
    if (equals == NULL)
        return fail_word(word, n, err);
    const size_t key = (size_t)(equals - word), value = n - key - 1;
    for (int k = 0; k < N_DEGREES; k++)
        if (plan_is_word(word, key, degrees[k])) {
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

static enum pps_status edit_degrees(const struct edits *edits,
                                    const char *text,
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

static enum pps_status edit_list(const struct edits *edits,
                                 const char *option,
                                 const char *text,
                                 struct pps_error *err)
{
    cJSON *rows = read_rows(text);
    return rows == NULL ? fail_list(option, text, err) : put(edits, option, rows, err);
}

static enum pps_status edit_recompute(const struct edits *edits,
                                      const char *text,
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

enum pps_status plan_edits_apply(cJSON *strategy,
                                 cJSON *removed,
                                 const struct pps_args *args,
                                 struct pps_error *err)
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
