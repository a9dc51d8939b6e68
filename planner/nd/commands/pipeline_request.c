// SPDX-License-Identifier: Apache-2.0
// Reads the options of `ppsweep nd pipeline` and refuses options that exclude each other.
#include "planner/nd/commands/pipeline_report.h"
#include "planner/nd/input/baseline.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include "base/text/say.h"

#include <stdio.h>
#include <string.h>

// ---- options that need or exclude others --------------------------------------------------------

static enum pps_status check_layers(const struct nd_pipe_request *request,
                                    const struct pps_args *args, struct pps_error *err)
{
    static const char *const others[] = {"solution", "check-data", "check", "fit"};
    if (request->layers == NULL)
        return request->recompute == NULL
                   ? PPS_OK
                   : pps_fail(err, PPS_E_INPUT, "--recompute needs a split: add --layers LIST");
    if (request->extract)
        return pps_fail(err, PPS_E_INPUT, "--layers and --extract cannot be used together");
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (pps_arg(args, others[k]) != NULL)
            return pps_fail(err, PPS_E_INPUT, "--layers and --%s cannot be used together",
                            others[k]);
    return PPS_OK;
}

static enum pps_status check_solution(const struct nd_pipe_request *request,
                                      struct pps_error *err)
{
    if (request->extract && request->solution == NULL)
        return pps_fail(err, PPS_E_INPUT, "--extract needs a file: add --solution FILE");
    if (request->extract && request->check_data != NULL)
        return pps_fail(err, PPS_E_INPUT, "--extract and --check-data cannot be used together");
    if (!request->extract && request->solution != NULL)
        return pps_fail(err, PPS_E_INPUT, "--solution needs --extract y");
    return PPS_OK;
}

static enum pps_status check_output(const struct nd_pipe_request *request,
                                    struct pps_error *err)
{
    if (request->files.program && request->files.folder == NULL)
        return pps_fail(err, PPS_E_INPUT, "--mps needs a folder: add --output DIR");
    if (request->files.folder != NULL && strlen(request->files.folder) >= PLAN_PATH)
        return pps_fail(err, PPS_E_INPUT, "--output: the name is too long");
    return PPS_OK;
}

// ---- options ------------------------------------------------------------------------------------

enum pps_status nd_pipe_read_request(struct nd_pipe_request *request,
                                     const struct pps_args *args, struct pps_error *err)
{
    uint64_t fit = 0;
    bool dryrun;
    *request = (struct nd_pipe_request){.check = true,
                                        .files = {.folder = pps_arg(args, "output"),
                                                  .configuration = true,
                                                  .program = pps_arg(args, "mps") != NULL},
                                        .solution = pps_arg(args, "solution"),
                                        .check_data = pps_arg(args, "check-data"),
                                        .trace = pps_arg(args, "trace"),
                                        .plan = pps_arg(args, "plan"),
                                        .layers = pps_arg(args, "layers"),
                                        .recompute = pps_arg(args, "recompute")};
    enum pps_status status = plan_arg_bool(args, "check", &request->check, err);
    if (status == PPS_OK)
        status = plan_arg_bool(args, "dryrun", &dryrun, err);
    if (status == PPS_OK)
        status = plan_arg_bool(args, "is-write", &request->files.configuration, err);
    if (status == PPS_OK)
        status = plan_arg_bool(args, "extract", &request->extract, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "fit", 0, 1, &fit, err);
    request->fit = fit == 1 ? ND_FIT : ND_TIGHTEN;
    request->files.solution = !request->extract;
    if (status == PPS_OK)
        status = check_layers(request, args, err);
    if (status == PPS_OK)
        status = check_solution(request, err);
    return status == PPS_OK ? check_output(request, err) : status;
}

// ---- the strategy -------------------------------------------------------------------------------

enum pps_status nd_pipe_read_strategy(struct nd_pipe *pipe, struct nd_job *job,
                                      const struct pps_args *args, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    pipe->at = pps_arg(args, "at");
    if (pipe->at == NULL) {
        status = nd_baseline_of_document(&job->run, pipe->input->quiet, pipe->of_document, err);
        if (status == PPS_OK && pipe->of_document[0] == '\0')
            status = pps_fail(err, PPS_E_INPUT,
                              "--at: missing; write the strategy, for example --at "
                              "dp=8,tp=4,pp=16,ep=8");
        if (status == PPS_OK && !pipe->input->quiet)
            pps_say(stderr, "note      strategy of %s: --at %s",
                    job->run.baseline_in->json.name, pipe->of_document);
        pipe->at = pipe->of_document;
    }
    return status == PPS_OK ? nd_strategy_read_whole(job, "at", pipe->at, &pipe->strategy, err)
                            : status;
}

// ---- chunks per stage ---------------------------------------------------------------------------

// As published, any schedule allows any number of chunks.
static enum pps_status check_chunks(const struct nd_pipe *pipe, int32_t chunks,
                                    const char *option, // that sets the chunks
                                    struct pps_error *err)
{
    const struct training *training = &pipe->input->job.run.training;
    if (pipe->input->compat == ND_ORIG ||
        training_allows_chunks(training, pipe->strategy.pp, chunks))
        return PPS_OK;
    return pps_fail(
        err, PPS_E_INPUT, "%s%d: the training document sets schedule %s", option, chunks,
        training->schedule == TRAINING_VPP ? "vpp, which needs at least two chunks per stage"
                                           : "1f1b, which has one chunk per stage");
}

// Returns the chunks per stage of a list of layers.
static int32_t rows_of(const char *layers)
{
    int32_t rows = 1;
    for (const char *at = layers; (at = strchr(at, '|')) != NULL && rows < ORDERS_CHUNKS_MAX;
         at++)
        rows++;
    return rows;
}

enum pps_status nd_pipe_read_chunks(struct nd_pipe *pipe, const struct pps_args *args,
                                    struct pps_error *err)
{
    const int32_t vp = pipe->strategy.vp;
    const bool by_strategy = nd_strategy_sets(pipe->at, "vp");
    uint64_t vpp = (uint64_t)vp;
    enum pps_status status = pps_arg_count(args, "vpp", 1, ORDERS_CHUNKS_MAX, &vpp, err);
    if (status == PPS_OK && pipe->input->compat == ND_CORRECTED)
        status = plan_run_check_schedule(&pipe->input->job.run, err);
    if (status != PPS_OK)
        return status;
    if (vp > ORDERS_CHUNKS_MAX)
        return pps_fail(err, PPS_E_INPUT, "--at vp=%d: at most %d chunks per stage are allowed",
                        vp, ORDERS_CHUNKS_MAX);
    if (by_strategy && vpp != (uint64_t)vp)
        return pps_fail(
            err, PPS_E_INPUT,
            "--at vp=%d and --vpp %d: both set the chunks per stage; remove one of them", vp,
            (int)vpp);
    const bool given = by_strategy || pps_arg(args, "vpp") != NULL;
    const char *layers = pps_arg(args, "layers");
    pipe->chooses_vp = !given && layers == NULL;
    pipe->strategy.vp = given || layers == NULL ? (int32_t)vpp : rows_of(layers);
    if (pipe->chooses_vp)
        return PPS_OK;
    return check_chunks(pipe, pipe->strategy.vp,
                        by_strategy ? "--at vp="
                        : given     ? "--vpp "
                                    : "--layers: chunks per stage ",
                        err);
}
