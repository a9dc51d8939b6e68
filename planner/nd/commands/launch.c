// SPDX-License-Identifier: Apache-2.0
// Chooses the strategy, splits its layers and prints the launch line.
#include "planner/nd/commands/launch.h"

#include "kernels/common/estimate/reference.h"
#include "planner/nd/input/baseline.h"
#include "planner/nd/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1000000 };

enum pps_status nd_launch_requested(const struct pps_args *args, bool *requested,
                                    struct pps_error *err)
{
    const char *framework = pps_arg(args, "launch");
    *requested = framework != NULL;
    if (framework == NULL && (pps_arg(args, "row") != NULL || pps_arg(args, "at") != NULL))
        return pps_fail(err, PPS_E_INPUT,
                        "--row and --at choose a strategy for --launch megatron or torchtitan");
    if (framework != NULL && strcmp(framework, "megatron") != 0 &&
        strcmp(framework, "torchtitan") != 0)
        return pps_fail(err, PPS_E_INPUT, "--launch %s: expected megatron or torchtitan",
                        framework);
    static const char *const apart[] = {"baseline", "output"};
    for (int i = 0; framework != NULL && i < 2; i++)
        if (pps_arg(args, apart[i]) != NULL)
            return pps_fail(err, PPS_E_INPUT,
                            "--launch prints the arguments of one strategy and nothing else; "
                            "use --%s in a separate command",
                            apart[i]);
    if (pps_arg(args, "row") != NULL && pps_arg(args, "at") != NULL)
        return pps_fail(err, PPS_E_INPUT, "--row and --at cannot be used together; remove one");
    return PPS_OK;
}

static enum pps_status choose(const struct nd_job *job, const struct nd_search *search,
                              const struct nd_search_result *result,
                              const struct pps_args *args, struct nd_strategy *strategy,
                              struct pps_error *err)
{
    const char *at = pps_arg(args, "at");
    uint64_t row = 1;
    if (at != NULL) {
        enum pps_status status = nd_strategy_read(job, "at", at, strategy, err);
        if (status != PPS_OK)
            return status;
        if (!nd_search_can(search, strategy))
            return pps_fail(err, PPS_E_INPUT,
                            "--at %s: this strategy cannot run; --why %s gives the reason", at,
                            at);
        status = nd_strategy_check_chunks(job, "at", at, strategy, err);
        if (status != PPS_OK)
            return status;
        *strategy = nd_search_evaluate(search, strategy).strategy;
        return PPS_OK;
    }
    enum pps_status status = pps_arg_count(args, "row", 1, MOST_ROWS, &row, err);
    if (status == PPS_OK && row > result->best.n)
        status = pps_fail(err, PPS_E_INPUT,
                          "--row %llu: the table has %zu rows (--top N keeps more)",
                          (unsigned long long)row, result->best.n);
    if (status == PPS_OK)
        *strategy = result->best.heap[row - 1].strategy;
    return status;
}

// Returns the layers of every chunk, which the caller frees; NULL when out of memory.
static int32_t *split(const struct nd_search *search, const struct nd_job *job,
                      const struct nd_strategy *strategy)
{
    const size_t n = (size_t)strategy->pp * (size_t)strategy->vp;
    const struct nd_point point = {*strategy, search->seq_length, job->run.training.gbs};
    struct nd_chunk *chunks = calloc(n, sizeof *chunks);
    int32_t *layers = calloc(n, sizeof *layers);
    if (chunks != NULL && layers != NULL) {
        nd_reference_split(search->estimate, &point, chunks);
        for (size_t c = 0; c < n; c++)
            layers[c] = nd_layers_all(&chunks[c].layers);
    }
    if (chunks == NULL) {
        free(layers);
        layers = NULL;
    }
    free(chunks);
    return layers;
}

enum pps_status nd_launch_print(const struct nd_job *job, const struct nd_search *search,
                                const struct nd_search_result *result,
                                const struct pps_args *args, struct pps_error *err)
{
    struct nd_strategy strategy;
    struct text_buffer text = {.text = NULL};
    enum pps_status status = choose(job, search, result, args, &strategy, err);
    if (status != PPS_OK)
        return status;
    int32_t *layers = split(search, job, &strategy);
    const struct nd_launch launch = {&job->run.model, &job->run.training, &strategy, layers,
                                     search->estimate->layers.fused_ce};
    if (layers != NULL && strcmp(pps_arg(args, "launch"), "megatron") == 0)
        nd_launch_megatron(&text, &launch);
    else if (layers != NULL)
        nd_launch_torchtitan(&text, &launch);
    if (layers == NULL || text.failed)
        status = pps_fail_memory(err, "the arguments");
    else
        fwrite(text.text, 1, text.n, stdout);
    text_buffer_free(&text);
    free(layers);
    return status;
}
