// SPDX-License-Identifier: Apache-2.0
// Reads the options of the protocol.
#include "extras/judge/protocol.h"

#include "base/text/number.h"
#include "engine/command/signals.h"
#include "extras/judge/policy_file.h"
#include "planner/shared/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 32, THREADS_MAX = 64 };

struct list {
    double value[LIST_MAX];
    int n;
};

static enum pps_status read_list(const struct pps_args *args, const char *option,
                                 const char *fallback, double least, double below,
                                 struct list *list, struct pps_error *err)
{
    const char *text = pps_arg(args, option), *rest = text != NULL ? text : fallback;
    size_t n;
    list->n = 0;
    for (const char *word; (word = plan_next_word(&rest, &n)) != NULL; list->n++)
        if (list->n == LIST_MAX || !number_text_read(word, n, &list->value[list->n]) ||
            !(list->value[list->n] >= least) || !(list->value[list->n] < below))
            return pps_fail(
                err, PPS_E_INPUT,
                "--%s %s: expected at most %d numbers from %g to below %g, separated by "
                "commas, such as %s",
                option, text, LIST_MAX, least, below, fallback);
    return PPS_OK;
}

static int fill_cells(const struct list *devices, const struct list *levels,
                      const struct list *outliers, struct protocol_cell *cells)
{
    int n = 0;
    for (int d = 0; d < devices->n; d++)
        for (int o = 0; o < outliers->n; o++)
            for (int l = 0; l < levels->n; l++)
                cells[n++] = (struct protocol_cell){
                    .devices = (int32_t)devices->value[d],
                    .micro_batches = PROTOCOL_ROUNDS * (int32_t)devices->value[d],
                    .level = levels->value[l],
                    .outlier_p = outliers->value[o],
                };
    return n;
}

// ---- policies -----------------------------------------------------------------------------------

struct policies {
    struct policy *list[PROTOCOL_POLICIES_MAX];
    const char *names[PROTOCOL_POLICIES_MAX];
    char text[PROTOCOL_POLICIES_MAX][16];
    int n;
};

// The name in the tables: that of the file without folder and extension.
static void name_policy(struct policies *policies, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path,
               *point = strrchr(base, '.');
    const size_t n = point != NULL && point > base ? (size_t)(point - base) : strlen(base);
    char *name = policies->text[policies->n];
    snprintf(name, sizeof policies->text[0], "%.*s", (int)(n < 15 ? n : 15), base);
    policies->names[policies->n] = name;
}

static enum pps_status read_policies(struct policies *policies, const struct pps_args *args,
                                     struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (pps_arg_words(args) > PROTOCOL_POLICIES_MAX)
        return pps_fail(err, PPS_E_INPUT, "more than %d policies", PROTOCOL_POLICIES_MAX);
    for (int i = 0; i < pps_arg_words(args) && status == PPS_OK; i++) {
        status = policy_file_read(pps_arg_word(args, i), &policies->list[i], err);
        if (status == PPS_OK)
            name_policy(policies, pps_arg_word(args, i));
        policies->n += status == PPS_OK;
    }
    return status;
}

// ---- the command --------------------------------------------------------------------------------

static enum pps_status judge(const struct protocol_request *request,
                             const struct protocol_cell *cells, int n, int threads,
                             struct pps_error *err)
{
    struct protocol_result *results = calloc((size_t)n, sizeof *results);
    if (results == NULL)
        return pps_fail_memory(err, "%d cells", n);
    enum pps_status status =
        protocol_run(request, cells, n, threads, pps_signals_install(), results, err);
    if (status == PPS_OK)
        status = protocol_show(request, cells, n, results, err);
    free(results);
    return status;
}

static enum pps_status run(struct protocol_request *request, const struct pps_args *args,
                           struct pps_error *err)
{
    struct list devices, levels, outliers;
    uint64_t threads, replicates = request->replicates;
    enum pps_status status = read_list(args, "devices", "4,8,16", 2, 65, &devices, err);
    for (int i = 0; i < devices.n && status == PPS_OK; i++)
        if (devices.value[i] != floor(devices.value[i]))
            status = pps_fail(err, PPS_E_INPUT, "--devices %g: expected whole numbers",
                              devices.value[i]);
    if (status == PPS_OK)
        status = read_list(args, "levels", "0,0.1,0.2,0.3", 0, 1, &levels, err);
    if (status == PPS_OK)
        status = read_list(args, "outliers", "0,0.02", 0, 1, &outliers, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "replicates", 2, 100000, &replicates, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "seed", 0, UINT32_MAX / 2, &request->seed, err);
    if (status == PPS_OK)
        status = plan_arg_threads(args, THREADS_MAX, &threads, err);
    if (status != PPS_OK)
        return status;
    struct protocol_cell *cells =
        calloc((size_t)(devices.n * levels.n * outliers.n), sizeof *cells);
    if (cells == NULL)
        return pps_fail_memory(err, "the cells");
    request->replicates = (uint32_t)replicates;
    status = judge(request, cells, fill_cells(&devices, &levels, &outliers, cells),
                   (int)threads, err);
    free(cells);
    return status;
}

enum pps_status protocol_main(const struct pps_args *args, struct pps_error *err)
{
    struct policies policies = {.n = 0};
    struct protocol_request request = protocol_defaults();
    enum pps_status status = read_policies(&policies, args, err);
    request.policy = (const struct policy *const *)policies.list;
    request.policy_name = policies.names;
    request.n_policies = policies.n;
    if (status == PPS_OK)
        status = run(&request, args, err);
    for (int i = 0; i < policies.n; i++)
        policy_free(policies.list[i]);
    return status;
}
