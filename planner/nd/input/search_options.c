// SPDX-License-Identifier: Apache-2.0
// Reads the documents of `ppsweep nd`, the search space and its filters.
#include "planner/nd/input/search_options.h"

#include "base/document/json.h"
#include "base/math/units.h"
#include "base/text/nearest.h"
#include "planner/nd/launch/rewritten.h"
#include "planner/shared/options.h"

#include <stdlib.h>
#include <string.h>

// ---- documents ----------------------------------------------------------------------------------

static bool read_switch(const cJSON *strategy, const char *key, bool *value,
                        struct pps_fault *fault)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(strategy, key);
    if (item == NULL)
        return true;
    if (!cJSON_IsBool(item))
        return pps_fault_set(fault, item, false, "%s: expected true or false", key);
    *value = cJSON_IsTrue(item);
    return true;
}

static bool read_switches(void *self, const cJSON *strategy, struct pps_fault *fault)
{
    struct nd_switches *vary = self;
    return read_switch(strategy, "DP", &vary->dp, fault) &&
           read_switch(strategy, "TP", &vary->tp, fault) &&
           read_switch(strategy, "PP", &vary->pp, fault) &&
           read_switch(strategy, "EP", &vary->ep, fault) &&
           read_switch(strategy, "CP", &vary->cp, fault) &&
           read_switch(strategy, "FSDP", &vary->fsdp, fault);
}

// --preset fsdp also shards gradients and parameters; the published formulas have no such levels.
static enum pps_status apply_fsdp(struct nd_job *job, const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *preset = pps_arg(args, "preset"), *compat = pps_arg(args, "compat");
    struct training *t = &job->run.training;
    job->fsdp = preset != NULL && strcmp(preset, "fsdp") == 0 &&
                (compat == NULL || strcmp(compat, "orig") != 0);
    if (!job->fsdp)
        return PPS_OK;
    if (!t->distributed_optimizer)
        return pps_fail(err, PPS_E_INPUT,
                        "--preset fsdp shards parameters, but the training document sets "
                        "use_distributed_optimizer to false; write --preset zero");
    if (t->zero_given && t->zero_level < 2)
        return pps_fail(
            err, PPS_E_INPUT,
            "--preset fsdp shards parameters, but the training document sets zero_level "
            "%d; set 2 or 3, or write --preset zero",
            t->zero_level);
    if (!t->zero_given)
        t->zero_level = 3;
    return PPS_OK;
}

enum pps_status nd_job_open(struct nd_job *job, const struct pps_args *args,
                            struct pps_error *err)
{
    const struct plan_strategy_reader switches = {read_switches, &job->vary};
    *job = (struct nd_job){.vary = {true, true, true, true, false, true}};
    enum pps_status status = plan_run_open(&job->run, args, &switches, err);
    if (status == PPS_OK)
        status = apply_fsdp(job, args, err);
    if (status == PPS_OK && plan_run_configuration(&job->run) != NULL)
        status =
            nd_rewritten_modules(&job->run.training.recompute_modules, args, &job->run, err);
    if (status != PPS_OK)
        nd_job_close(job);
    return status;
}

void nd_job_close(struct nd_job *job)
{
    plan_run_close(&job->run);
}

// ---- options of the space -----------------------------------------------------------------------------------

static const char *const switch_names[] = {"dp", "tp", "pp", "ep", "cp", "fsdp", NULL};

static bool *switch_of(struct nd_switches *vary, int k)
{
    bool *const all[] = {&vary->dp, &vary->tp, &vary->pp, &vary->ep, &vary->cp, &vary->fsdp};
    return all[k];
}

static enum pps_status read_strategy_object(struct nd_switches *vary, const char *text,
                                            struct pps_error *err)
{
    static const char *const keys[] = {"DP", "TP", "PP", "EP", "CP", "FSDP"};
    struct pps_json json;
    enum pps_status status = pps_json_parse(&json, "--strategy", text, strlen(text), err);
    if (status != PPS_OK)
        return status;
    for (const cJSON *item = json.root->child; item != NULL && status == PPS_OK;
         item = item->next) {
        int k = 0;
        while (k < 6 && strcmp(item->string, keys[k]) != 0)
            k++;
        if (k == 6)
            status = pps_json_fail_key(&json, item, err, "%s is not one of DP TP PP EP CP FSDP",
                                       item->string);
        else if (!cJSON_IsBool(item))
            status = pps_json_fail(&json, item, err, "%s: write true or false", item->string);
        else
            *switch_of(vary, k) = cJSON_IsTrue(item);
    }
    pps_json_free(&json);
    return status;
}

static enum pps_status read_strategy(struct nd_switches *vary, const char *text,
                                     struct pps_error *err)
{
    size_t n;
    if (text[0] == '{')
        return read_strategy_object(vary, text, err);
    for (const char *word; (word = plan_next_word(&text, &n)) != NULL;) {
        const char *equals = memchr(word, '=', n);
        const size_t name = equals != NULL ? (size_t)(equals - word) : n;
        int k = 0;
        while (switch_names[k] != NULL && !plan_is_word(word, name, switch_names[k]))
            k++;
        if (switch_names[k] == NULL || equals == NULL ||
            !plan_read_switch(equals + 1, n - name - 1, switch_of(vary, k)))
            return pps_fail(err, PPS_E_INPUT,
                            "--strategy %.*s: expected dp, tp, pp, ep, cp or fsdp =on or =off",
                            (int)n, word);
    }
    return PPS_OK;
}

// ---- filters ------------------------------------------------------------------------------------

static enum pps_status no_filter(const char *option, const char *name, struct pps_error *err)
{
    const char *names[ND_N_FILTERS];
    for (int k = 0; k < ND_N_FILTERS; k++)
        names[k] = nd_filter_name((enum nd_filter)k);
    const char *near = pps_suggest(name, names, ND_N_FILTERS);
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: unknown filter%s%s; --list-filters shows all filters", option,
                    name, near != NULL ? "; did you mean " : "", near != NULL ? near : "");
}

static enum pps_status edit_rules(struct nd_filters *filters, const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *word;
    for (int i = 0; (word = pps_arg_nth(args, "rule", i)) != NULL; i++) {
        char name[32] = "";
        bool on;
        enum nd_filter filter;
        const char *equals = strchr(word, '=');
        const size_t n = equals != NULL ? (size_t)(equals - word) : 0;
        if (n == 0 || n >= sizeof name ||
            !plan_read_switch(equals + 1, strlen(equals + 1), &on))
            return pps_fail(err, PPS_E_INPUT, "--rule %s: expected NAME=on or NAME=off", word);
        memcpy(name, word, n);
        if (!nd_filter_find(name, &filter))
            return no_filter("rule", name, err);
        if (on)
            nd_filters_add(filters, name);
        else
            nd_filters_drop(filters, name);
    }
    return PPS_OK;
}

static enum pps_status edit_list(struct nd_filters *filters, const struct pps_args *args,
                                 struct pps_error *err)
{
    const char *word = pps_arg(args, "filters");
    char unknown[65];
    if (word != NULL && !nd_filters_replace(filters, word, unknown, sizeof unknown))
        return no_filter("filters", unknown, err);
    for (int i = 0; (word = pps_arg_nth(args, "drop-filter", i)) != NULL; i++)
        if (!nd_filters_drop(filters, word))
            return no_filter("drop-filter", word, err);
    for (int i = 0; (word = pps_arg_nth(args, "add-filter", i)) != NULL; i++)
        if (!nd_filters_add(filters, word))
            return no_filter("add-filter", word, err);
    return edit_rules(filters, args, err);
}

static enum pps_status read_bound(const struct pps_args *args, const char *option,
                                  int32_t *bound, struct pps_error *err)
{
    uint64_t value = (uint64_t)*bound;
    const enum pps_status status = pps_arg_count(args, option, 1, ND_DEVICES_MAX, &value, err);
    *bound = (int32_t)value;
    return status;
}

static enum pps_status read_bounds(struct nd_filters *filters, const struct pps_args *args,
                                   struct pps_error *err)
{
    enum pps_status status = read_bound(args, "tp-max", &filters->tp_max, err);
    if (status == PPS_OK)
        status = read_bound(args, "max-expert-parallel", &filters->ep_max, err);
    if (status == PPS_OK)
        status = read_bound(args, "ep-max", &filters->ep_max, err);
    if (status == PPS_OK)
        status = read_bound(args, "pp-max", &filters->pp_max, err);
    if (status == PPS_OK)
        status = read_bound(args, "vp-max", &filters->vp_max, err);
    if (status == PPS_OK && pps_arg(args, "vp-max") != NULL) // no preset has this filter
        nd_filters_add(filters, nd_filter_name(ND_VP_MAX));
    if (status == PPS_OK)
        status = read_bound(args, "large", &filters->large, err);
    return status;
}

// ---- the space ----------------------------------------------------------------------------------

static bool varies_context(const struct nd_job *job, const struct pps_args *args)
{
    return job->vary.cp || (pps_arg(args, "strategy") == NULL && nd_is_long(&job->run.model));
}

// Without a published preset, tensor ranks stay within a node or a domain of fast links.
static void stay_in_node(struct nd_job *job, const struct pps_args *args)
{
    if (job->space.node_devices > 0 && pps_arg(args, "tp-max") == NULL)
        job->filters.tp_max = job->space.node_devices;
    if (job->vary.cp)
        nd_filters_drop(&job->filters, nd_filter_name(ND_CP_ONE));
}

enum pps_status nd_job_space(struct nd_job *job, const struct pps_args *args,
                             struct pps_error *err)
{
    enum nd_preset preset = ND_FSDP;
    bool orig;
    const char *word = pps_arg(args, "preset");
    enum pps_status status = plan_arg_compat(args, &orig, err);
    if (status == PPS_OK && word != NULL && !nd_preset_find(word, &preset))
        return pps_fail(err, PPS_E_INPUT,
                        "--preset %s: expected classic, zero, fsdp or megatron", word);
    if (status == PPS_OK && pps_arg(args, "strategy") != NULL)
        status = read_strategy(&job->vary, pps_arg(args, "strategy"), err);
    if (status != PPS_OK)
        return status;
    if (!nd_space_init(&job->space, preset, orig, job->run.cluster.world_size))
        return pps_fail(err, PPS_E_INPUT, "%lld devices are too many: at most %d",
                        (long long)job->run.cluster.world_size, ND_DEVICES_MAX);
    const bool usual = !orig && word == NULL;
    if (usual)
        job->vary.cp = varies_context(job, args);
    job->space.vary = job->vary;
    job->space.node_devices = (int32_t)job->run.cluster.node_devices;
    nd_space_set_model(&job->space, &job->run.model);
    nd_space_set_training(&job->space, &job->run.training);
    nd_filters_init(&job->filters, &job->space);
    if (!orig) // chunks are free in the estimate but costly in practice
        nd_filters_add(&job->filters, nd_filter_name(ND_VP_MAX));
    if (usual)
        stay_in_node(job, args);
    status = edit_list(&job->filters, args, err);
    return status == PPS_OK ? read_bounds(&job->filters, args, err) : status;
}

// ---- search open --------------------------------------------------------------------------------

enum pps_status nd_search_open(struct nd_open_search *open, const struct nd_job *job,
                               size_t top, struct pps_error *err)
{
    const char *lack = layercost_adapters_lack(&job->run.model, &job->run.training);
    open->search.cache = NULL;
    if (lack != NULL)
        return pps_fail(err, PPS_E_INPUT, "%s", lack);
    const size_t bytes = (nd_cache_bytes() + 63) / 64 * 64;
    open->search = (struct nd_search){.space = &job->space,
                                      .filters = &job->filters,
                                      .estimate = &open->estimate,
                                      .cache = aligned_alloc(64, bytes),
                                      .origmem = &open->origmem,
                                      .seq_length = job->run.model.seq_length,
                                      .limit_mb = units_to_mib(job->run.cluster.memory_limit),
                                      .top = top};
    if (open->search.cache == NULL)
        return pps_fail_memory(err, "the search");
    memset(open->search.cache, 0, bytes);
    nd_estimate_open(&open->estimate, &job->run.model, &job->run.cluster, &job->run.training,
                     1);
    nd_origmem_init(&open->origmem, &job->run.model, job->run.training.distributed_optimizer);
    return PPS_OK;
}

void nd_search_close(struct nd_open_search *open)
{
    free(open->search.cache);
    open->search.cache = NULL;
}
