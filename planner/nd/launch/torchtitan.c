// SPDX-License-Identifier: Apache-2.0
// Writes launch lines for torchtitan: a TOML configuration file.
#include "planner/nd/launch/launch.h"

#include <inttypes.h>

// Parameters are sharded over dp_shard * cp devices and replicated over dp_replicate.
struct degrees {
    int32_t shard, replicate, ep, etp;
    bool as_priced; // as many shards as the estimate has
};

static bool divides_experts(const struct nd_launch *launch, int64_t shard, int64_t etp)
{
    const struct nd_strategy *s = launch->strategy;
    return s->ep == 1 || shard * s->cp * s->tp % (s->ep * etp) == 0;
}

static struct degrees degrees_of(const struct nd_launch *launch)
{
    const struct nd_strategy *s = launch->strategy;
    const int32_t shards = nd_launch_zero(launch) > 0 ? nd_launch_shards(s) : 1;
    struct degrees d = {.shard = s->dp, .replicate = 1, .ep = s->ep};
    d.etp = nd_launch_etp(launch);
    const bool even = shards % s->cp == 0 && s->dp % (shards / s->cp) == 0;
    if (even && divides_experts(launch, shards / s->cp, d.etp)) {
        d.as_priced = true;
        d.shard = shards / s->cp;
        d.replicate = s->dp / d.shard;
    }
    return d;
}

static void add_note(struct text_buffer *text, const char *note)
{
    text_buffer_add(text, "# %s\n", note);
}

// ---- comments -----------------------------------------------------------------------------------

static void note_model(struct text_buffer *text, const struct nd_launch *launch)
{
    const struct modeldesc *m = launch->model;
    text_buffer_add(
        text,
        "# for torchtitan 0.2.2; in [model] set the name and flavor of a model with "
        "%" PRId64 " layers and hidden size %" PRId64 "\n",
        m->num_layers, m->hidden);
    if (m->norm != MODELDESC_RMS || m->positions > 0)
        add_note(text, "no language model of torchtitan has LayerNorm or learned positions");
    if (m->layer_norms != 2 || m->embedding_norm || m->qk_norm_full || m->shared_gate)
        add_note(text, "no language model of torchtitan has these norms or a gate of shared "
                       "experts");
    if (m->mtp_depth > 0)
        add_note(text,
                 "torchtitan has no MTP layers; the estimate counts them in the last stage");
}

static void note_shards(struct text_buffer *text, const struct nd_launch *launch,
                        const struct degrees *d)
{
    const struct nd_strategy *s = launch->strategy;
    const int zero = nd_launch_zero(launch);
    if (!d->as_priced)
        text_buffer_add(text,
                        "# parameters are sharded over all %d replicas: %d shards as in the "
                        "estimate do not divide context or expert groups\n",
                        s->dp * s->cp, zero > 0 ? nd_launch_shards(s) : 1);
    if (zero < 3 && d->shard * s->cp > 1)
        text_buffer_add(
            text,
            "# parameters and gradients are sharded, too; the estimate prices zero_level %d\n",
            zero);
    if (!divides_experts(launch, d->shard, d->etp))
        add_note(text,
                 "does not start: shards times context and tensor ranks must be a multiple "
                 "of expert ranks times expert tensor ranks");
}

static void note_batch(struct text_buffer *text, const struct nd_launch *launch)
{
    const struct nd_strategy *s = launch->strategy;
    const int64_t gbs = launch->training->gbs, batch = (int64_t)s->mbs * s->dp;
    const int64_t micro_batches = gbs / batch, rounds = micro_batches / s->pp;
    if (gbs % batch != 0)
        add_note(text,
                 "does not start: global_batch_size must be a multiple of the micro-batch "
                 "size times the data-parallel degrees");
    if (launch->model->seq_length % ((int64_t)2 * s->cp * s->tp) != 0)
        add_note(text, "does not start: seq_len must be a multiple of 2 * "
                       "context_parallel_degree * tensor_parallel_degree");
    if (s->pp > 1 && s->vp > 1 && rounds > 1 && micro_batches % rounds != 0)
        add_note(text,
                 "does not start: Interleaved1F1B splits micro-batches into as many equal "
                 "rounds as the stages fit into them");
    if (s->pp == 1 && s->vp > 1)
        add_note(text,
                 "one stage has no virtual stages: the chunks of the estimate are dropped");
}

static void note_kernels(struct text_buffer *text, const struct nd_launch *launch)
{
    const struct nd_strategy *s = launch->strategy;
    const struct training *t = launch->training;
    if (!s->sp && s->tp > 1)
        add_note(text,
                 "tensor parallelism is always sequence parallel; the estimate prices none");
    if (launch->model->experts > 0 && s->ep == 1 && s->tp > 1 && nd_launch_etp(launch) == 1)
        add_note(text,
                 "without expert parallelism tensor ranks split each expert, unlike in the "
                 "estimate");
    if (!t->flash_attention)
        add_note(text, "attention is scaled dot-product attention of PyTorch, which keeps no "
                       "scores; the estimate keeps them");
    if (launch->fused_ce)
        add_note(text, "the cross-entropy is not fused; [compile] with components = [\"loss\"] "
                       "fuses it");
    if (t->low_mem_vpp && s->vp > 1)
        add_note(text, "Interleaved1F1B has more micro-batches in flight than the low-memory "
                       "order of the estimate");
    if (s->recompute == ND_RECOMPUTE_SELECT)
        add_note(text, "every second matrix product is recomputed, too");
}

// What the training sets and a configuration does not express.
static void note_training(struct text_buffer *text, const struct nd_launch *launch)
{
    const struct training *t = launch->training;
    if (t->precision != TRAINING_BF16)
        text_buffer_add(text,
                        "# linear layers multiply bf16; the estimate prices 8 bits: add the "
                        "converter \"quantize.linear.%s\" to [model]\n",
                        t->precision == TRAINING_MXFP8 ? "mx" : "float8");
    if (t->schedule == TRAINING_ZERO_BUBBLE || t->schedule == TRAINING_DUALPIPE)
        text_buffer_add(
            text, "# the schedule is 1F1B: torchtitan has no %s, which the estimate assumes\n",
            t->schedule == TRAINING_DUALPIPE ? "DualPipe with whole stages"
                                             : "zero bubble with one chunk a stage");
    if (t->recompute_modules != 0 && launch->strategy->recompute == ND_RECOMPUTE_SELECT)
        add_note(text, "torchtitan selects operations, not the recompute_modules that the "
                       "estimate assumes");
}

// ---- sections -----------------------------------------------------------------------------------

static void add_training(struct text_buffer *text, const struct nd_launch *launch)
{
    const struct nd_strategy *s = launch->strategy;
    const int64_t local = s->pp > 1 ? launch->training->gbs / s->dp : s->mbs;
    text_buffer_add(text,
                    "[training]\nlocal_batch_size = %" PRId64 "\nglobal_batch_size = %" PRId64
                    "\nseq_len = %" PRId64 "\nmixed_precision_param = \"bfloat16\"\n"
                    "mixed_precision_reduce = \"float32\"\n\n",
                    local, launch->training->gbs, launch->model->seq_length);
}

// The modules of every chunk in the order of the model; MTP layers do not exist.
static void add_modules(struct text_buffer *text, const struct nd_launch *launch)
{
    const int32_t chunks = launch->strategy->pp * launch->strategy->vp;
    int64_t layer = 0;
    text_buffer_add(text, "module_fqns_per_model_part = [\n");
    for (int32_t c = 0; c < chunks; c++) {
        text_buffer_add(text, "  [");
        if (c == 0)
            text_buffer_add(text, "\"tok_embeddings\"");
        const char *comma = c == 0 ? ", " : "";
        for (int32_t l = 0; l < launch->layers[c] && layer < launch->model->num_layers; l++) {
            text_buffer_add(text, "%s\"layers.%" PRId64 "\"", comma, layer++);
            comma = ", ";
        }
        if (c == chunks - 1)
            text_buffer_add(text, "%s\"norm\", \"output\"", comma);
        text_buffer_add(text, "],\n");
    }
    text_buffer_add(text, "]\n");
}

static void add_parallelism(struct text_buffer *text, const struct nd_launch *launch,
                            const struct degrees *d)
{
    const struct nd_strategy *s = launch->strategy;
    text_buffer_add(text,
                    "[parallelism]\ndata_parallel_replicate_degree = %d\n"
                    "data_parallel_shard_degree = %d\nfsdp_reshard_after_forward = \"%s\"\n"
                    "tensor_parallel_degree = %d\ncontext_parallel_degree = %d\n",
                    d->replicate, d->shard, nd_launch_zero(launch) >= 3 ? "always" : "never",
                    s->tp, s->cp);
    if (s->cp > 1)
        text_buffer_add(text, "context_parallel_rotate_method = \"allgather\"\n");
    if (launch->model->experts > 0)
        text_buffer_add(text,
                        "expert_parallel_degree = %d\nexpert_tensor_parallel_degree = %d\n",
                        d->ep, d->etp);
    text_buffer_add(text, "pipeline_parallel_degree = %d\n", s->pp);
    if (s->pp == 1)
        return;
    text_buffer_add(
        text, "pipeline_parallel_schedule = \"%s\"\npipeline_parallel_microbatch_size = %d\n",
        s->vp > 1 ? "Interleaved1F1B" : "1F1B", s->mbs);
    add_modules(text, launch);
}

static void add_recompute(struct text_buffer *text, const struct nd_launch *launch)
{
    static const char *const modes[] = {
        [ND_RECOMPUTE_NONE] = "none",
        [ND_RECOMPUTE_SELECT] = "selective",
        [ND_RECOMPUTE_FULL] = "full",
    };
    const enum nd_recompute recompute = launch->strategy->recompute;
    text_buffer_add(text, "\n[activation_checkpoint]\nmode = \"%s\"\n", modes[recompute]);
    if (recompute == ND_RECOMPUTE_SELECT)
        text_buffer_add(text, "selective_ac_option = \"op\"\n");
}

void nd_launch_torchtitan(struct text_buffer *text, const struct nd_launch *launch)
{
    const struct degrees degrees = degrees_of(launch);
    note_model(text, launch);
    note_shards(text, launch, &degrees);
    note_batch(text, launch);
    note_kernels(text, launch);
    note_training(text, launch);
    add_training(text, launch);
    add_parallelism(text, launch, &degrees);
    add_recompute(text, launch);
}
