// SPDX-License-Identifier: Apache-2.0
// Makes the run document of a trainer's configuration.
#include "base/text/characters.h"
#include "kernels/frameworks/trainer/trainer_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1 << 20 };
enum { LORA_RANK = 8 }; // of LLaMA-Factory and of peft

struct putting {
    struct trainer *t;
    int64_t tp, pp, cp, ep, vp, mbs;
    int64_t devices, dp; // 0: not known
    int64_t copies;      // of all parameters; 0: one per rank
};

static bool put(const struct putting *p, enum framework_part part, const char *name,
                int64_t value, enum trainer_key key)
{
    const size_t at = p->t->numbers[key].value > 0 ? p->t->numbers[key].at : p->t->all_at;
    return framework_put_number(p->t->r, part, name, (double)value, at);
}

// ---- devices ------------------------------------------------------------------------------------

static int64_t devices_of(const struct trainer *t)
{
    const int64_t all = trainer_number(t, TRAINER_DEVICES, 0);
    const int64_t per_node = trainer_number(t, TRAINER_PER_NODE, 0);
    return all > 0 ? all : per_node * trainer_number(t, TRAINER_NODES, 1);
}

// Returns how many copies of the parameters the ranks have. 0: one each.
static int64_t copies_of(const struct putting *p)
{
    const int64_t shards = trainer_number(p->t, TRAINER_SHARDS, 0), ranks = p->dp * p->cp;
    if (p->t->zero == 0)
        return 0;
    if (shards > 0 && ranks > 0 && ranks % shards == 0)
        return ranks / shards;
    return trainer_number(p->t, TRAINER_REPLICATE, 1);
}

static bool find_ranks(struct putting *p)
{
    struct trainer *t = p->t;
    p->tp = trainer_number(t, TRAINER_TP, 1);
    p->pp = trainer_number(t, TRAINER_PP, 1);
    p->cp = trainer_number(t, TRAINER_CP, 1);
    p->ep = trainer_number(t, TRAINER_EP, 1);
    p->vp = trainer_number(t, TRAINER_VP, 1);
    p->mbs = trainer_number(t, TRAINER_MBS, 1);
    p->devices = devices_of(t);
    const int64_t others = p->tp * p->pp * p->cp;
    if (p->devices > MOST || others > MOST)
        return framework_fail(t->r, t->all_at, "more than %d devices", MOST);
    if (p->devices % others != 0)
        framework_cannot_run(t->r, t->numbers[TRAINER_TP].at,
                             "%" PRId64
                             " devices cannot be shared by tensor x pipeline x sequence "
                             "= %" PRId64 " ranks; correct the devices or a degree",
                             p->devices, others);
    p->dp = p->devices / others;
    if (p->devices > 0 && p->dp == 0)
        p->dp = 1;
    p->copies = copies_of(p);
    if (p->copies > 0 && p->dp * p->cp % p->copies != 0)
        framework_cannot_run(t->r, t->numbers[TRAINER_REPLICATE].at,
                             "%" PRId64 " copies of the parameters cannot share %" PRId64
                             " ranks",
                             p->copies, p->dp * p->cp);
    return p->devices == 0 ||
           put(p, FRAMEWORK_CLUSTER, "world_size", p->devices, TRAINER_DEVICES);
}

// If the devices are not known, plan_run completes the baseline.
static bool put_ranks(const struct putting *p)
{
    if (p->dp > 0) {
        const int64_t op = p->copies > 0 ? p->dp * p->cp / p->copies : 1;
        return put(p, FRAMEWORK_BASELINE, "dp", p->dp, TRAINER_DEVICES) &&
               put(p, FRAMEWORK_BASELINE, "op", op > 0 ? op : 1, TRAINER_REPLICATE);
    }
    return p->copies > 0
               ? put(p, FRAMEWORK_BASELINE, "dp_replicate", p->copies, TRAINER_REPLICATE)
               : put(p, FRAMEWORK_BASELINE, "op", 1, TRAINER_REPLICATE);
}

// ---- batch --------------------------------------------------------------------------------------

static bool put_batch(const struct putting *p)
{
    struct trainer *t = p->t;
    const int64_t accumulation = trainer_number(t, TRAINER_ACCUMULATION, 1);
    const int64_t replica = p->mbs * accumulation, all = trainer_number(t, TRAINER_GBS, 0);
    if (all > 0 && p->dp > 0 && all % (p->dp * p->mbs) != 0)
        framework_cannot_run(t->r, t->numbers[TRAINER_GBS].at,
                             "%" PRId64
                             " sequences of a step are not whole micro-batches of %" PRId64
                             " on %" PRId64 " data-parallel ranks",
                             all, p->mbs, p->dp);
    if (!put(p, FRAMEWORK_BASELINE, "mbs", p->mbs, TRAINER_MBS))
        return false;
    if (all == 0 && !put(p, FRAMEWORK_BASELINE, "replica_batch", replica, TRAINER_MBS))
        return false;
    if (p->dp == 0 && all == 0)
        return put(p, FRAMEWORK_BASELINE, "micro_batches", accumulation, TRAINER_ACCUMULATION);
    const int64_t gbs = all > 0 ? all : replica * p->dp;
    const int64_t micro = p->dp > 0 ? gbs / (p->dp * p->mbs) : 0;
    return put(p, FRAMEWORK_TRAINING, "gbs", gbs, all > 0 ? TRAINER_GBS : TRAINER_MBS) &&
           (micro == 0 ||
            put(p, FRAMEWORK_BASELINE, "micro_batches", micro, TRAINER_ACCUMULATION));
}

// The size of the micro-batch is tried in addition to the default sizes.
static bool put_sizes(const struct putting *p)
{
    const double sizes[] = {1, 2, 4, (double)p->mbs};
    return p->mbs == 1 || p->mbs == 2 || p->mbs == 4 ||
           framework_put(p->t->r, FRAMEWORK_TRAINING, "mbs_options",
                         cJSON_CreateDoubleArray(sizes, 4), p->t->numbers[TRAINER_MBS].at);
}

// ---- all ----------------------------------------------------------------------------------------

static bool put_bytes(const struct trainer *t)
{
    if (t->half)
        return !t->half_gradients ||
               framework_put_number(t->r, FRAMEWORK_TRAINING, "bytes_grad", 2, t->zero_at);
    return framework_put_number(t->r, FRAMEWORK_TRAINING, "bytes_param", 4, t->all_at) &&
           framework_put_number(t->r, FRAMEWORK_TRAINING, "bytes_grad", 4, t->all_at) &&
           framework_put_number(t->r, FRAMEWORK_TRAINING, "bytes_optim", 8, t->all_at);
}

static bool put_offload(const struct trainer *t)
{
    return (t->offload_optimizer == 0 ||
            framework_put_number(t->r, FRAMEWORK_TRAINING, "offload_optimizer",
                                 t->offload_optimizer, t->offload_at)) &&
           (!t->offload_parameters ||
            framework_put_bool(t->r, FRAMEWORK_TRAINING, "offload_parameters", true,
                               t->offload_at)) &&
           (!t->offload_checkpoints ||
            framework_put_number(t->r, FRAMEWORK_TRAINING, "offload_checkpoints", 1,
                                 t->offload_at));
}

static bool put_training(const struct putting *p)
{
    const struct trainer *t = p->t;
    return put_batch(p) && put_sizes(p) && put_offload(t) &&
           (t->adapters == 0 ||
            framework_put_adapters(t->r, trainer_number(t, TRAINER_RANK, LORA_RANK),
                                   t->adapters, t->adapters_at)) &&
           framework_put_number(t->r, FRAMEWORK_TRAINING, "zero_level", t->zero, t->zero_at) &&
           put_bytes(t) &&
           (t->precision == NULL || framework_put_text(t->r, FRAMEWORK_TRAINING, "precision",
                                                       t->precision, t->all_at)) &&
           (!t->fused_loss || framework_put_bool(t->r, FRAMEWORK_TRAINING,
                                                 "fused_cross_entropy", true, t->all_at)) &&
           (p->ep == 1 || trainer_number(t, TRAINER_ETP, 1) == 1 ||
            framework_put_text(t->r, FRAMEWORK_TRAINING, "expert_tensor_parallel", "tp",
                               t->numbers[TRAINER_ETP].at));
}

static bool put_degrees(const struct putting *p)
{
    const struct trainer *t = p->t;
    return put_ranks(p) && put(p, FRAMEWORK_BASELINE, "tp", p->tp, TRAINER_TP) &&
           put(p, FRAMEWORK_BASELINE, "pp", p->pp, TRAINER_PP) &&
           put(p, FRAMEWORK_BASELINE, "cp", p->cp, TRAINER_CP) &&
           put(p, FRAMEWORK_BASELINE, "ep", p->ep, TRAINER_EP) &&
           put(p, FRAMEWORK_BASELINE, "vp", p->pp > 1 ? p->vp : 1, TRAINER_VP) &&
           framework_put_bool(t->r, FRAMEWORK_BASELINE, "sp", t->sp && p->tp > 1, t->all_at) &&
           framework_put_text(t->r, FRAMEWORK_BASELINE, "recompute_all", t->recompute,
                              t->recompute_at);
}

// The shape of the model is in another file.
static bool put_model(const struct putting *p)
{
    struct trainer *t = p->t;
    struct pps_fault *unknown = &t->r->file->unknown_model;
    const int64_t seq = trainer_number(t, TRAINER_SEQ, 0);
    pps_find_place(t->r->text, t->model != NULL ? t->model_at : t->all_at, &unknown->line,
                   &unknown->column);
    snprintf(unknown->text, sizeof unknown->text,
             "%.120s%sthe file does not describe the shape of the model; name the model first: "
             "ppsweep check config.json FILE",
             t->model != NULL ? t->model : "", t->model != NULL ? ": " : "");
    pps_make_printable(unknown->text);
    if (t->model != NULL)
        snprintf(t->r->file->model_name, sizeof t->r->file->model_name, "%s", t->model);
    return seq == 0 || put(p, FRAMEWORK_BASELINE, "seq_length", seq, TRAINER_SEQ);
}

bool trainer_put(struct trainer *t)
{
    struct putting p = {.t = t};
    return find_ranks(&p) && put_model(&p) && put_training(&p) && put_degrees(&p);
}
