// SPDX-License-Identifier: Apache-2.0
// Reads the options of the balance commands.
#include "planner/balance/request.h"

#include "base/text/status.h"
#include "kernels/balance/documents/training_read.h"
#include "kernels/balance/model/sequence.h"
#include "kernels/balance/search/balance_search.h"
#include "planner/shared/document_read.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STAGES_MAX = 4096, MICRO_BATCHES_MAX = 1 << 20, CHUNKS_MAX = 64, PIECES_MAX = 1024 };

#define MEMORY_MAX 1e9

void balance_request_free(struct balance_request *request)
{
    balance_planned_free(&request->planned);
}

const struct balance_strategy *balance_request_mine(const struct balance_request *request)
{
    const struct balance_shape *one = &request->shape, *own = &request->planned.shape;
    const bool same = one->stages == own->stages && one->chunks == own->chunks &&
                      one->micro_batches == own->micro_batches && one->pieces == own->pieces &&
                      (one->order == own->order || one->chunks == 1);
    return same && request->planned.mine.count != NULL ? &request->planned.mine : NULL;
}

// ---- training file ------------------------------------------------------------------------------

// Reads a YAML file. Prints a note on stderr if a usual intermediate_size is used.
static enum pps_status training_file_read(const char *path, struct balance_training *training,
                                          struct pps_error *err)
{
    struct pps_json json;
    struct pps_fault fault;
    bool is_usual = false;
    enum pps_status status = plan_yaml_read(&json, path, err);
    if (status != PPS_OK)
        return status;
    if (!balance_training_read(json.root, training, &is_usual, &fault))
        status = plan_fail_document(&json, &fault, err);
    else if (is_usual)
        fprintf(stderr, "note      %s has no intermediate_size: %d is used\n", path,
                BALANCE_INTERMEDIATE_USUAL);
    pps_json_free(&json);
    return status;
}

// ---- the pipeline -------------------------------------------------------------------------------

static enum pps_status read_whole(const struct pps_args *args, const char *name, uint64_t most,
                                  int32_t *value, struct pps_error *err)
{
    uint64_t read = (uint64_t)*value;
    const enum pps_status status = pps_arg_count(args, name, 1, most, &read, err);
    *value = (int32_t)read;
    return status;
}

// The published --less-memory takes true, 1 or yes, in any case, for the order with less memory.
static enum pps_status read_order(struct balance_shape *shape, const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *name = pps_arg(args, "order");
    bool less = shape->order == BALANCE_LESS_MEMORY;
    if (name != NULL && pps_arg(args, "less-memory") != NULL)
        return pps_fail(err, PPS_E_INPUT, "give --order or --less-memory, not both");
    if (name != NULL && strcmp(name, "big") != 0 && strcmp(name, "less") != 0)
        return pps_fail(err, PPS_E_INPUT, "--order %s: expected big or less", name);
    const enum pps_status status = plan_arg_bool(args, "less-memory", &less, err);
    if (name != NULL)
        less = strcmp(name, "less") == 0;
    shape->order = less ? BALANCE_LESS_MEMORY : BALANCE_BIG_MEMORY;
    return status;
}

static enum pps_status read_memory(struct balance_request *request, const struct pps_args *args,
                                   struct pps_error *err)
{
    static const struct pps_memory_option memory = {"memory", "MiB", MEMORY_MAX, MEMORY_MAX};
    static const struct pps_memory_option margin = {"margin", "MiB", MEMORY_MAX, MEMORY_MAX};
    enum pps_status status = pps_arg_memory(args, &memory, &request->memory_mb, err);
    if (status == PPS_OK && !(request->memory_mb > 0))
        status = pps_fail(err, PPS_E_INPUT, "--memory: expected MiB of a device, above 0");
    if (status == PPS_OK)
        status = pps_arg_memory(args, &margin, &request->margin_mb, err);
    if (status == PPS_OK && request->margin_mb >= request->memory_mb)
        status = pps_fail(err, PPS_E_INPUT, "--margin %.10g: expected less than --memory %.10g",
                          request->margin_mb, request->memory_mb);
    return status;
}

static enum pps_status check_layers(const struct balance_request *request,
                                    struct pps_error *err)
{
    const struct balance_shape *shape = &request->shape;
    const int64_t chunks = (int64_t)shape->stages * shape->chunks;
    const char *misfit = balance_shape_misfit(shape);
    if (misfit != NULL)
        return pps_fail(err, PPS_E_INPUT, "%s (--stages %d, --chunks %d, --micro-batches %d)",
                        misfit, shape->stages, shape->chunks, shape->micro_batches);
    if (request->layers.layers < chunks && !request->allow_empty)
        return pps_fail(err, PPS_E_INPUT,
                        "%d layers cannot fill %d stages x %d chunks; use fewer of them, or "
                        "--allow-empty",
                        request->layers.layers, shape->stages, shape->chunks);
    return PPS_OK;
}

// Reads --seq and --training-config, and changes the layers to those of pieces of the sequence. Prints what changes.
static enum pps_status balance_read_sequence(struct balance_request *request,
                                             const struct pps_args *args, struct pps_error *err)
{
    const char *path = pps_arg(args, "training-config");
    struct balance_training training;
    int32_t wanted = 1;
    enum pps_status status = read_whole(args, "seq", PIECES_MAX, &wanted, err);
    if (status != PPS_OK || wanted == 1)
        return status;
    if (path == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--seq %d: give the training configuration with --training-config FILE",
                        wanted);
    status = training_file_read(path, &training, err);
    if (status != PPS_OK)
        return status;
    const int32_t pieces = balance_pieces_of(&training, wanted);
    if (pieces != wanted)
        fprintf(
            stderr,
            "warning   --seq %d: a piece needs at least %d tokens of the %lld of a sequence; %d is used\n",
            wanted, BALANCE_TOKENS_LEAST, (long long)training.sequence, pieces);
    request->shape.pieces = pieces;
    if (pieces == 1)
        return PPS_OK;
    if (request->layers.has[BALANCE_FULL])
        fputs(
            "note      full recomputation is left out: pieces of a sequence do not allow it\n",
            stderr);
    balance_cut_sequence(&request->layers, &training, pieces);
    const char *misfit = balance_layers_misfit(&request->layers);
    return misfit == NULL ? PPS_OK
                          : pps_fail(err, PPS_E_INPUT,
                                     "%s: pieces of the sequence do not fit these layers: %s",
                                     path, misfit);
}

// Returns whether a strategy that is known has a chunk without layers.
static bool has_empty_chunk(const struct balance_strategy *strategy)
{
    for (int32_t k = 0; strategy->count != NULL && k < strategy->stages * strategy->chunks; k++)
        if (balance_chunk_layers(strategy, k / strategy->stages, k % strategy->stages) == 0)
            return true;
    return false;
}

enum pps_status balance_read_pipeline(struct balance_request *request,
                                      const struct pps_args *args, struct pps_error *err)
{
    struct balance_shape *shape = &request->shape;
    *shape = (struct balance_shape){.stages = 4, .chunks = 1, .micro_batches = 4, .pieces = 1};
    request->memory_mb = 56000;
    if (request->planned.layers.layers > 0) {
        *shape = request->planned.shape;
        if (isfinite(request->planned.memory_mb))
            request->memory_mb = request->planned.memory_mb;
    }
    request->margin_mb = 0;
    request->allow_empty =
        pps_arg(args, "allow-empty") != NULL || has_empty_chunk(&request->planned.mine);
    enum pps_status status = read_whole(args, "stages", STAGES_MAX, &shape->stages, err);
    if (status == PPS_OK)
        status =
            read_whole(args, "micro-batches", MICRO_BATCHES_MAX, &shape->micro_batches, err);
    if (status == PPS_OK)
        status = read_whole(args, "chunks", CHUNKS_MAX, &shape->chunks, err);
    if (status == PPS_OK)
        status = read_order(shape, args, err);
    if (status == PPS_OK)
        status = read_memory(request, args, err);
    if (status == PPS_OK)
        status = balance_read_sequence(request, args, err);
    shape->transfer = request->layers.transfer;
    return status == PPS_OK ? check_layers(request, err) : status;
}

// ---- the search ---------------------------------------------------------------------------------

// Reads the kinds of recomputation that strategies may use. Kinds without known memory are refused.
static enum pps_status read_kinds(struct balance_layers *layers, const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *rest = pps_arg(args, "recompute"), *word;
    bool wanted[BALANCE_KINDS] = {[BALANCE_NONE] = true};
    size_t n;
    if (rest == NULL)
        return PPS_OK;
    while ((word = plan_next_word(&rest, &n)) != NULL) {
        int kind = 0;
        while (kind < BALANCE_KINDS && !plan_is_word(word, n, balance_kind_names[kind]))
            kind++;
        if (kind == BALANCE_KINDS)
            return pps_fail(
                err, PPS_E_INPUT,
                "--recompute %.*s: expected none, select, select_comm, both or full, "
                "separated by commas",
                (int)n, word);
        if (!layers->has[kind])
            return pps_fail(err, PPS_E_INPUT,
                            "--recompute %.*s: the layers do not say the memory of this kind",
                            (int)n, word);
        wanted[kind] = true;
    }
    memcpy(layers->has, wanted, sizeof wanted);
    return PPS_OK;
}

static enum pps_status read_objective(struct balance_request *request,
                                      const struct pps_args *args, struct pps_error *err)
{
    const char *name = pps_arg(args, "objective");
    request->by_proxy = name != NULL && strcmp(name, "proxy") == 0;
    if (name != NULL && !request->by_proxy && strcmp(name, "makespan") != 0)
        return pps_fail(err, PPS_E_INPUT, "--objective %s: expected makespan or proxy", name);
    return PPS_OK;
}

enum pps_status balance_read_search(struct balance_request *request,
                                    const struct pps_args *args, struct pps_error *err)
{
    request->budget = BALANCE_BUDGET;
    request->seed = 42;
    request->level = 1;
    request->seconds = 0;
    enum pps_status status = read_kinds(&request->layers, args, err);
    if (status == PPS_OK)
        status = read_objective(request, args, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "budget", 0, (uint64_t)1 << 40, &request->budget, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "seed", 0, (uint64_t)1 << 53, &request->seed, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "optimization-level", 0, 2, &request->level, err);
    if (status == PPS_OK)
        status = pps_arg_duration(args, "time-limit", &request->seconds, err);
    return status;
}
