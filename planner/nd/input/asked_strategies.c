// SPDX-License-Identifier: Apache-2.0
// Reads the search space of `ppsweep nd`, its filters, and strategies from options.
#include "planner/nd/input/asked.h"

#include <stdlib.h>
#include <string.h>

enum { VP_MAX = 4 }; // default of --vp-max, chunks per stage

// ---- words --------------------------------------------------------------------------------------

// Returns the next of several words separated by commas and sets *n to its length; NULL at the end.
static const char *next_word(const char **rest, size_t *n)
{
    const char *word = *rest;
    if (*word == '\0')
        return NULL;
    *n = strcspn(word, ",");
    *rest = word + *n + (word[*n] == ',');
    return word;
}

static bool is_word(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && strncmp(word, name, n) == 0;
}

static bool read_on(const char *word, size_t n, bool *on)
{
    *on = is_word(word, n, "on") || is_word(word, n, "true") || is_word(word, n, "1");
    return *on || is_word(word, n, "off") || is_word(word, n, "false") || is_word(word, n, "0");
}

// ---- switches -----------------------------------------------------------------------------------

static const char *const switch_names[] = {"dp", "tp", "pp", "ep", "cp", "fsdp", NULL};

static bool *switch_of(struct nd_switches *vary, int k)
{
    bool *const all[] = {&vary->dp, &vary->tp, &vary->pp, &vary->ep, &vary->cp, &vary->fsdp};
    return all[k];
}

static enum pps_status read_strategy_object(struct nd_switches *vary,
                                            const char *text,
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

static enum pps_status read_strategy(struct nd_switches *vary,
                                     const char *text,
                                     struct pps_error *err)
{
    size_t n;
    if (text[0] == '{')
        return read_strategy_object(vary, text, err);
    for (const char *word; (word = next_word(&text, &n)) != NULL;) {
        const char *equals = memchr(word, '=', n);
        const size_t name = equals != NULL ? (size_t)(equals - word) : n;
        int k = 0;
        while (switch_names[k] != NULL && !is_word(word, name, switch_names[k]))
            k++;
        if (switch_names[k] == NULL || equals == NULL ||
            !read_on(equals + 1, n - name - 1, switch_of(vary, k)))
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

static enum pps_status edit_rules(struct nd_filters *filters,
                                  const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *word;
    for (int i = 0; (word = pps_arg_nth(args, "rule", i)) != NULL; i++) {
        char name[32] = "";
        bool on;
        enum nd_filter filter;
        const char *equals = strchr(word, '=');
        const size_t n = equals != NULL ? (size_t)(equals - word) : 0;
        if (n == 0 || n >= sizeof name || !read_on(equals + 1, strlen(equals + 1), &on))
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

static enum pps_status edit_list(struct nd_filters *filters,
                                 const struct pps_args *args,
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

static enum pps_status read_bound(const struct pps_args *args,
                                  const char *option,
                                  int32_t *bound,
                                  struct pps_error *err)
{
    uint64_t value = (uint64_t)*bound;
    const enum pps_status status = pps_arg_count(args, option, 1, ND_DEVICES_MAX, &value, err);
    *bound = (int32_t)value;
    return status;
}

static enum pps_status read_bounds(struct nd_filters *filters,
                                   const struct pps_args *args,
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

static enum pps_status read_compat(const struct pps_args *args,
                                   bool *orig,
                                   struct pps_error *err)
{
    const char *word = pps_arg(args, "compat");
    *orig = word != NULL && strcmp(word, "orig") == 0;
    if (word != NULL && !*orig && strcmp(word, "none") != 0)
        return pps_fail(err, PPS_E_INPUT, "--compat %s: expected none or orig", word);
    return PPS_OK;
}

enum pps_status nd_job_space(struct nd_job *job,
                             const struct pps_args *args,
                             struct pps_error *err)
{
    enum nd_preset preset = ND_FSDP;
    bool orig;
    const char *word = pps_arg(args, "preset");
    enum pps_status status = read_compat(args, &orig, err);
    if (status == PPS_OK && word != NULL && !nd_preset_find(word, &preset))
        return pps_fail(err, PPS_E_INPUT,
                        "--preset %s: expected classic, zero, fsdp or megatron", word);
    if (status == PPS_OK && pps_arg(args, "strategy") != NULL)
        status = read_strategy(&job->vary, pps_arg(args, "strategy"), err);
    if (status != PPS_OK)
        return status;
    if (!nd_space_init(&job->space, preset, orig, job->cluster.world_size))
        return pps_fail(err, PPS_E_INPUT, "%lld devices are too many: at most %d",
                        (long long)job->cluster.world_size, ND_DEVICES_MAX);
    job->space.vary = job->vary;
    job->space.node_devices = (int32_t)job->cluster.node_devices;
    nd_space_set_model(&job->space, &job->model);
    nd_space_set_training(&job->space, &job->training);
    nd_filters_init(&job->filters, &job->space);
    if (!orig) { // chunks are free in the estimate but costly in practice
        job->filters.vp_max = VP_MAX;
        nd_filters_add(&job->filters, nd_filter_name(ND_VP_MAX));
    }
    status = edit_list(&job->filters, args, err);
    return status == PPS_OK ? read_bounds(&job->filters, args, err) : status;
}

// ---- one strategy -------------------------------------------------------------------------------

static bool set_degree(struct nd_strategy *s, const char *name, size_t n, int32_t value)
{
    static const char *const names[] = {"dp", "tp", "cp", "pp", "ep", "op", "vp", "mbs"};
    int32_t *const fields[] = {&s->dp, &s->tp, &s->cp, &s->pp, &s->ep, &s->op, &s->vp, &s->mbs};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (is_word(name, n, names[k])) {
            *fields[k] = value;
            return true;
        }
    return false;
}

static bool set_word(struct nd_strategy *s, bool *sp_given, const char *word, size_t n)
{
    char digits[16] = "", *end;
    const char *equals = memchr(word, '=', n);
    const size_t name = equals != NULL ? (size_t)(equals - word) : n;
    if (equals == NULL)
        return false;
    const char *value = equals + 1;
    const size_t length = n - name - 1;
    if (is_word(word, name, "sp")) {
        *sp_given = true;
        return read_on(value, length, &s->sp);
    }
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, value, length);
    const long number = strtol(digits, &end, 10);
    if (*end != '\0' || number < -1 || number > INT32_MAX)
        return false;
    return set_degree(s, word, name, (int32_t)number);
}

// Returns the product of positive degrees; 0 if a degree is not positive or the product is too
// large.
static int64_t product(const int32_t *degrees, size_t n)
{
    int64_t of = 1;
    for (size_t k = 0; k < n; k++) {
        if (degrees[k] < 1 || of > ND_DEVICES_MAX)
            return 0;
        of *= degrees[k];
    }
    return of;
}

enum pps_status nd_job_strategy(const struct nd_job *job,
                                const char *option,
                                const char *text,
                                struct nd_strategy *s,
                                struct pps_error *err)
{
    bool sp_given = false;
    size_t n;
    *s = (struct nd_strategy){.dp = 0,
                              .tp = 1,
                              .cp = 1,
                              .pp = 1,
                              .ep = 1,
                              .op = 0,
                              .vp = 1,
                              .mbs = job->space.mbs[0]};
    for (const char *word; (word = next_word(&text, &n)) != NULL;)
        if (!set_word(s, &sp_given, word, n))
            return pps_fail(
                err, PPS_E_INPUT,
                "--%s %.*s: expected degrees, for example dp=8,tp=4,pp=2 (also cp ep op vp mbs "
                "sp=on)",
                option, (int)n, word);
    const int64_t rest = product((const int32_t[]){s->tp, s->cp, s->pp}, 3);
    if (s->dp == 0)
        s->dp = rest > 0 && job->space.devices % rest == 0
                    ? (int32_t)(job->space.devices / rest)
                    : 1;
    const int64_t replicas = (int64_t)s->dp * s->cp;
    if (s->op == 0)
        s->op = replicas >= 1 && replicas <= INT32_MAX ? (int32_t)replicas : s->dp;
    if (!sp_given)
        s->sp = s->tp > 1;
    return PPS_OK;
}

bool nd_job_says(const char *text, const char *degree)
{
    size_t n;
    for (const char *word; (word = next_word(&text, &n)) != NULL;) {
        const char *equals = memchr(word, '=', n);
        if (equals != NULL && is_word(word, (size_t)(equals - word), degree))
            return true;
    }
    return false;
}

enum pps_status nd_job_check_chunks(const struct nd_job *job,
                                    const char *option,
                                    const char *text,
                                    const struct nd_strategy *strategy,
                                    struct pps_error *err)
{
    const struct training *training = &job->training;
    if (job->space.orig || training_allows_chunks(training, strategy->pp, strategy->vp))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: vp %d, but the training document sets schedule %s", option, text,
                    strategy->vp,
                    training->schedule == TRAINING_VPP
                        ? "vpp, which needs at least two chunks per stage; write vp=2"
                        : "1f1b, which has one chunk per stage");
}

enum pps_status nd_job_whole_strategy(struct nd_job *job,
                                      const char *option,
                                      const char *text,
                                      struct nd_strategy *s,
                                      struct pps_error *err)
{
    job->space.devices = (int32_t)job->cluster.world_size;
    job->space.mbs[0] = (int32_t)job->training.mbs[0];
    const enum pps_status status = nd_job_strategy(job, option, text, s, err);
    const double devices = (double)s->dp * s->tp * s->cp * s->pp;
    if (status == PPS_OK &&
        (s->dp < 1 || s->tp < 1 || s->cp < 1 || s->pp < 1 || s->ep < 1 || s->vp < 1 ||
         s->mbs < 1 || devices != (double)job->cluster.world_size))
        return pps_fail(
            err, PPS_E_INPUT,
            "--%s %s: dp %d x tp %d x cp %d x pp %d must equal the %lld devices of the "
            "cluster; every degree must be at least 1",
            option, text, s->dp, s->tp, s->cp, s->pp, (long long)job->cluster.world_size);
    return status;
}
