// SPDX-License-Identifier: Apache-2.0
// Chooses the files of `ppsweep nd`, checks whether they can be written, and writes them.
#include "planner/nd/commands/search_files.h"

#include "base/system/disk.h"
#include "base/text/say.h"
#include "planner/shared/files.h"

#include "planner/nd/launch/configuration.h"
#include "planner/nd/launch/script.h"
#include "planner/nd/profiling/profile_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

// ---- options ------------------------------------------------------------------------------------

static bool find_style(const char *name, enum nd_profile_style *style)
{
    for (int k = ND_PROFILE_GRAPH; k <= ND_PROFILE_FSDP; k++)
        if (strcmp(name, nd_profile_style_name((enum nd_profile_style)k)) == 0) {
            *style = (enum nd_profile_style)k;
            return true;
        }
    return false;
}

// The published option that names the model file of a style.
static const char *const path_options[] = {[ND_PROFILE_GRAPH] = "yaml-path",
                                           [ND_PROFILE_MEGATRON] = "shell-path",
                                           [ND_PROFILE_FSDP] = "toml-path"};

static enum nd_profile_style style_of(enum framework framework)
{
    return framework == FRAMEWORK_MEGATRON     ? ND_PROFILE_MEGATRON
           : framework == FRAMEWORK_TORCHTITAN ? ND_PROFILE_FSDP
                                               : ND_PROFILE_GRAPH;
}

// Reads --profile-style; the default depends on the framework of the user's configuration, or on the
// option that names the model file.
static enum pps_status read_style(const struct nd_job *job, const struct pps_args *args,
                                  struct nd_files *files, struct pps_error *err)
{
    enum nd_profile_style *style = &files->options.style;
    const char *word = pps_arg(args, "profile-style");
    files->profile = word != NULL;
    if (word != NULL && !find_style(word, style))
        return pps_fail(err, PPS_E_INPUT,
                        "--profile-style %s: expected graph, megatron or fsdp", word);
    if (word != NULL)
        return PPS_OK;
    const struct plan_document *file = plan_run_configuration(&job->run);
    const char *named = NULL;
    for (int k = ND_PROFILE_GRAPH; k <= ND_PROFILE_FSDP && named == NULL; k++) {
        named = pps_arg(args, path_options[k]);
        *style = named != NULL ? (enum nd_profile_style)k : *style;
    }
    if (file != NULL)
        *style = style_of(file->framework);
    files->profile =
        named != NULL ||
        (file != NULL && (files->folder != NULL || pps_arg(args, "rank-num") != NULL));
    return PPS_OK;
}

enum pps_status nd_files_read(const struct nd_job *job, const struct pps_args *args,
                              struct nd_files *files, struct pps_error *err)
{
    uint64_t ranks = 64, most = 0;
    *files = (struct nd_files){.folder = pps_arg(args, "output"), .gate = pps_arg_gate(args)};
    if (files->folder == NULL)
        files->folder = pps_arg(args, "output-path");
    if (files->folder != NULL && (files->folder[0] == '\0' || strlen(files->folder) > 3000))
        return pps_fail(err, PPS_E_INPUT, "-o: expected the name of a folder");
    enum pps_status status =
        files->folder != NULL ? plan_check_folder(files->folder, err) : PPS_OK;
    if (status == PPS_OK)
        status = read_style(job, args, files, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "rank-num", 1, ND_DEVICES_MAX, &ranks, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "profile-max", 1, 1000, &most, err);
    files->options.orig = job->space.orig;
    files->options.dense = job->space.experts == 0;
    files->options.rank_num = (int32_t)ranks;
    files->options.devices = job->space.devices;
    files->options.n_max = (int)most;
    return status;
}

// ---- what to profile ----------------------------------------------------------------------------

// A separate search with the estimates of the small models. Few different depths occur.
struct small {
    struct nd_search search;
    const struct nd_job *job;
    int32_t layers;
    uint32_t id;
    struct nd_estimate estimate;
};

static double step_ms(void *context, const struct nd_strategy *candidate)
{
    return nd_search_evaluate(&((struct small *)context)->search, candidate).step_ms;
}

// graph: the layer count includes the MTP layer, because the profiled model adds one.
static void open_small(struct small *small, int32_t layers)
{
    struct modeldesc model = small->job->run.model;
    if (small->layers == layers && small->id > 0)
        return;
    model.num_layers = layers;
    model.dense_layers = model.experts == 0 ? layers : 3;
    small->layers = layers;
    small->id = small->id > 0 ? small->id + 1 : 2; // 1 is the whole model's
    nd_estimate_open(&small->estimate, &model, &small->job->run.cluster,
                     &small->job->run.training, small->id);
}

// A run that does not fit even with full recompute would measure nothing.
static bool fits(void *context, const struct nd_profile_run *run)
{
    struct small *small = context;
    struct nd_search search = small->search;
    struct nd_strategy strategy = run->strategy;
    if (run->layers > 0) {
        open_small(small, run->layers);
        search.estimate = &small->estimate;
    }
    search.fits = NULL;
    if (strategy.dp * (int64_t)strategy.mbs > search.space->gbs)
        return false;
    const struct nd_candidate candidate = nd_search_evaluate(&search, &strategy);
    return nd_search_fits(&search, &candidate);
}

static enum pps_status choose(const struct nd_files *files, const struct nd_job *job,
                              const struct nd_search *search,
                              const struct nd_search_result *result,
                              struct nd_profile_run **runs, int *n, struct pps_error *err)
{
    struct nd_profile_options options = files->options;
    struct small small = {.search = *search, .job = job};
    char text[160];
    options.seconds = step_ms;
    options.fits = fits;
    options.context = &small;
    *runs = calloc((size_t)nd_profile_max(&options), sizeof **runs);
    struct nd_strategy *strategies = calloc(result->n + 1, sizeof *strategies);
    enum nd_profile_status status = ND_PROFILE_MEMORY;
    for (size_t k = 0; k < result->n && strategies != NULL; k++)
        strategies[k] = result->candidates[k].strategy;
    if (*runs != NULL && strategies != NULL)
        status = nd_profile_choose(&options, strategies, result->n, *runs, n, text);
    free(strategies);
    if (status == ND_PROFILE_MEMORY)
        return pps_fail_memory(err, "the configurations to profile");
    return status == ND_PROFILE_OK ? PPS_OK : pps_fail(err, PPS_E_INPUT, "%s", text);
}

// ---- files --------------------------------------------------------------------------------------

// The files to write, all under the folder.
struct output {
    const struct nd_files *files;
    const struct nd_job *job;
    const struct plan_document *file; // the user's configuration in the style; NULL: none
    struct nd_plan plan;
    const struct nd_profile_run *runs;
    int n_runs;
};

static void candidates_path(const struct output *o, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/nd_candidate_config.csv", o->files->folder);
}

static void plan_path(const struct output *o, int k, char path[PATH_BYTES])
{
    char name[ND_PLAN_NAME];
    nd_plan_name(&o->plan, &o->runs[k], name);
    snprintf(path, PATH_BYTES, "%s/profile_yaml/%s", o->files->folder, name);
}

static enum pps_status check_paths(const struct output *o, struct pps_error *err)
{
    char path[PATH_BYTES];
    candidates_path(o, path);
    enum pps_status status = pps_gate_check(o->files->gate, path, err);
    for (int k = 0; k < o->n_runs && status == PPS_OK; k++) {
        plan_path(o, k, path);
        status = pps_gate_check(o->files->gate, path, err);
    }
    return status;
}

// As published, with dry runs: every strategy that fits by its dry run, searched or not.
static void add_fitted(struct text_buffer *text, const struct nd_epfit_result *fits, bool dense)
{
    nd_candidates_header(text, ND_COLUMNS_DRYRUN, dense);
    for (size_t k = 0; k < fits->n_candidates; k++) {
        const struct nd_epfit_candidate *c = &fits->candidates[k];
        const struct nd_candidate candidate = {
            .strategy = {.dp = c->dp, .tp = c->tp, .pp = c->pp, .ep = c->ep},
            .memory_mb = c->peak_mb};
        nd_candidates_line(text, ND_COLUMNS_DRYRUN, dense, &candidate);
    }
}

static enum pps_status write_candidates(const struct output *o,
                                        const struct nd_search_result *result,
                                        const struct nd_epfit_result *measured,
                                        struct pps_error *err)
{
    char path[PATH_BYTES];
    struct text_buffer text = {.text = NULL};
    const bool orig = o->job->space.orig, dense = o->job->space.experts == 0 && !orig;
    const enum nd_candidate_columns columns = orig ? ND_COLUMNS_STATIC : ND_COLUMNS_ALL;
    if (orig && measured->n_groups > 0) {
        add_fitted(&text, measured, o->job->space.experts == 0);
    } else {
        nd_candidates_header(&text, columns, dense);
        for (size_t k = 0; k < result->n; k++)
            nd_candidates_line(&text, columns, dense, &result->candidates[k]);
    }
    candidates_path(o, path);
    const enum pps_status status = plan_write_text(path, &text, o->files->gate, err);
    if (status == PPS_OK) {
        printf("\n");
        pps_say(stdout, "wrote %s", path);
    }
    return status;
}

// As published, two runs can have the same name; the file of the last run remains.
static bool is_written_over(const struct output *o, int k)
{
    char name[ND_PLAN_NAME], other[ND_PLAN_NAME];
    nd_plan_name(&o->plan, &o->runs[k], name);
    for (int later = k + 1; later < o->n_runs; later++) {
        nd_plan_name(&o->plan, &o->runs[later], other);
        if (strcmp(name, other) == 0)
            return true;
    }
    return false;
}

// The user's configuration reduced to the run; without one, a file with the keys of the run.
static enum pps_status make_plan(const struct output *o, int k, struct text_buffer *text,
                                 struct pps_error *err)
{
    const struct nd_profile_run *run = &o->runs[k];
    if (o->file != NULL)
        return nd_configuration_profile(text, o->file, run, o->plan.style,
                                        nd_plan_micro_batches(&o->plan, run),
                                        o->job->run.model.mtp_depth, err);
    nd_plan_write(text, &o->plan, run);
    if (o->plan.style == ND_PROFILE_MEGATRON && !o->plan.orig)
        nd_launch_profile_run(text, run, &o->job->run.model, &o->job->run.training,
                              nd_plan_micro_batches(&o->plan, run));
    return PPS_OK;
}

static enum pps_status write_plans(const struct output *o, struct pps_error *err)
{
    int n = 0;
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/profile_yaml", o->files->folder);
    enum pps_status status = o->n_runs > 0 ? pps_disk_make_folder(path, err) : PPS_OK;
    for (int k = 0; k < o->n_runs && status == PPS_OK; k++) {
        struct text_buffer text = {.text = NULL};
        if (is_written_over(o, k))
            continue;
        plan_path(o, k, path);
        status = make_plan(o, k, &text, err);
        const bool refused = status == PPS_E_INPUT; // the file cannot say this strategy
        if (status == PPS_OK)
            status = plan_write_text(path, &text, o->files->gate, err);
        text_buffer_free(&text);
        n += !refused;
        if (refused && (n > 0 || k + 1 < o->n_runs)) {
            pps_say(stderr, "note      not written: %s: %s", strrchr(path, '/') + 1, err->text);
            *err = (struct pps_error){.code = PPS_OK};
            status = PPS_OK;
        }
    }
    if (status == PPS_OK && o->n_runs > 0)
        pps_say(stdout, "wrote %d file%s in %s/profile_yaml", n, n == 1 ? "" : "s",
                o->files->folder);
    return status;
}

// Only as published; otherwise the search does not choose such runs.
static bool is_too_wide(const struct output *o, const struct nd_strategy *s)
{
    const struct nd_profile_options *options = &o->files->options;
    const int64_t devices =
        options->rank_num < options->devices ? options->rank_num : options->devices;
    return 2 * (int64_t)s->tp * s->cp > devices || 2 * (int64_t)s->ep > devices;
}

static void print_runs(const struct output *o)
{
    char name[ND_PLAN_NAME];
    int n_wide = 0, n_over = 0;
    printf("\nto profile on %d devices, style %s:\n", o->files->options.rank_num,
           nd_profile_style_name(o->plan.style));
    for (int k = 0; k < o->n_runs; k++) {
        nd_plan_name(&o->plan, &o->runs[k], name);
        pps_say(stdout, "  %s", name);
        n_over += is_written_over(o, k);
        n_wide += o->plan.orig && o->plan.style == ND_PROFILE_GRAPH &&
                  is_too_wide(o, &o->runs[k].strategy);
    }
    if (n_over > 0)
        fprintf(
            stderr,
            "note      %d of %d configurations are not written: a later one has the same name, "
            "because published names omit %s\n",
            n_over, o->n_runs, o->plan.style == ND_PROFILE_FSDP ? "mbs and sp" : "op and cp");
    if (n_wide > 0)
        fprintf(stderr, "note      %d of them need more devices than --rank-num\n", n_wide);
    if (o->n_runs == 0)
        printf("  none: no candidate can be reduced to so few devices and fit in memory\n");
}

enum pps_status nd_files_write(const struct nd_files *files, const struct nd_job *job,
                               const struct nd_search *search,
                               const struct nd_search_result *result,
                               const struct nd_epfit_result *measured, struct pps_error *err)
{
    struct nd_profile_run *runs = NULL;
    struct output o = {.files = files,
                       .job = job,
                       .plan = {.style = files->options.style,
                                .orig = job->space.orig,
                                .dense = job->space.experts == 0,
                                .gbs = job->space.gbs,
                                .seq_length = job->run.model.seq_length,
                                .model = job->run.model_item}};
    enum pps_status status = PPS_OK;
    const struct plan_document *file = plan_run_configuration(&job->run);
    if (file != NULL && style_of(file->framework) == o.plan.style) {
        o.file = file;
        o.plan.ending = nd_configuration_ending(file);
    }
    if (files->profile)
        status = choose(files, job, search, result, &runs, &o.n_runs, err);
    o.runs = runs;
    if (status == PPS_OK && files->profile)
        print_runs(&o);
    if (status == PPS_OK && files->folder != NULL) {
        status = check_paths(&o, err);
        if (status == PPS_OK)
            status = pps_disk_make_folder(files->folder, err);
        if (status == PPS_OK)
            status = write_candidates(&o, result, measured, err);
        if (status == PPS_OK)
            status = write_plans(&o, err);
    }
    free(runs);
    return status;
}
