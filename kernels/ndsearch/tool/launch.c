// SPDX-License-Identifier: Apache-2.0
// Options of two frameworks.
#include "launch.h"

#include <inttypes.h>

// ---- Megatron-LM --------------------------------------------------------------------------------

struct words {
    struct textroom *text;
    int n;
};

static void begin(struct words *w)
{
    textroom_add(w->text, "%s", w->n++ > 0 ? " \\\n" : "");
}

static void add_flag(struct words *w, const char *name, bool on)
{
    if (!on)
        return;
    begin(w);
    textroom_add(w->text, "--%s", name);
}

static void add_word(struct words *w, const char *name, const char *word)
{
    begin(w);
    textroom_add(w->text, "--%s %s", name, word);
}

static void add_number(struct words *w, const char *name, int64_t value)
{
    begin(w);
    textroom_add(w->text, "--%s %" PRId64, name, value);
}

static void add_attention(struct words *w, const struct modeldesc *m)
{
    if (m->attention == MODELDESC_MLA) {
        add_flag(w, "multi-latent-attention", true);
        if (m->q_rank > 0)
            add_number(w, "q-lora-rank", m->q_rank);
        add_number(w, "kv-lora-rank", m->kv_rank);
        add_number(w, "qk-head-dim", m->qk_nope);
        add_number(w, "qk-pos-emb-head-dim", m->qk_rope);
        add_number(w, "v-head-dim", m->v_dim);
    } else {
        add_flag(w, "group-query-attention", m->query_groups < m->heads);
        if (m->query_groups < m->heads)
            add_number(w, "num-query-groups", m->query_groups);
        add_number(w, "kv-channels", m->head_dim);
    }
    add_flag(w, "qk-layernorm", m->qk_norm);
    add_flag(w, "add-qkv-bias", m->attention_bias && !m->linear_bias);
}

static void add_experts(struct words *w, const struct modeldesc *m)
{
    if (m->experts == 0)
        return;
    add_number(w, "num-experts", m->experts);
    add_number(w, "moe-router-topk", m->topk);
    add_number(w, "moe-ffn-hidden-size", m->moe_ffn);
    if (m->shared_ffn > 0)
        add_number(w, "moe-shared-expert-intermediate-size", m->shared_ffn);
    add_flag(w, "moe-router-enable-expert-bias", m->router_bias);
    if (m->dense_layers == 0)
        return;
    begin(w);
    textroom_add(w->text, "--moe-layer-freq '([0]*%" PRId64 "+[1]*%" PRId64 ")'",
                 m->dense_layers, m->num_layers - m->dense_layers);
}

static void add_shape(struct words *w, const struct modeldesc *m)
{
    add_number(w, "num-layers", m->num_layers);
    add_number(w, "hidden-size", m->hidden);
    add_number(w, "ffn-hidden-size", m->ffn);
    add_number(w, "num-attention-heads", m->heads);
    add_attention(w, m);
    add_experts(w, m);
    if (m->mtp_depth > 0)
        add_number(w, "mtp-num-layers", m->mtp_depth);
    add_number(w, "seq-length", m->seq_length);
    add_number(w, "max-position-embeddings", m->positions > 0 ? m->positions : m->seq_length);
    add_word(w, "position-embedding-type", m->positions > 0 ? "learned_absolute" : "rope");
    add_number(w, "vocab-size", m->vocab);
    add_word(w, "normalization", m->norm == MODELDESC_RMS ? "RMSNorm" : "LayerNorm");
    add_flag(w, "swiglu", m->gated);
    add_flag(w, "disable-bias-linear", !m->linear_bias);
    add_flag(w, "untie-embeddings-and-output-weights", !m->tied);
}

static bool is_even(const struct nd_launch *launch)
{
    const int32_t chunks = launch->strategy->pp * launch->strategy->vp;
    for (int32_t c = 1; c < chunks; c++)
        if (launch->layers[c] != launch->layers[0])
            return false;
    return launch->model->mtp_depth == 0;
}

// One letter a layer, chunk after chunk: E the embedding, t a layer, m an MTP layer, L the loss.
static void add_layout(struct words *w, const struct nd_launch *launch)
{
    const int32_t chunks = launch->strategy->pp * launch->strategy->vp;
    begin(w);
    textroom_add(w->text, "--pipeline-model-parallel-layout '");
    for (int32_t c = 0; c < chunks; c++) {
        const int64_t mtp = c == chunks - 1 ? launch->model->mtp_depth : 0;
        textroom_add(w->text, "%s", c == 0 ? "E" : "|");
        for (int64_t l = 0; l < launch->layers[c]; l++)
            textroom_add(w->text, "%s", l < launch->layers[c] - mtp ? "t" : "m");
    }
    textroom_add(w->text, "L'");
}

static void add_degrees(struct words *w, const struct nd_launch *launch)
{
    const struct nd_strategy *s = launch->strategy;
    add_number(w, "tensor-model-parallel-size", s->tp);
    add_flag(w, "sequence-parallel", s->sp && s->tp > 1);
    add_number(w, "context-parallel-size", s->cp);
    add_number(w, "pipeline-model-parallel-size", s->pp);
    if (s->pp > 1 && !is_even(launch))
        add_layout(w, launch);
    else if (s->vp > 1)
        add_number(w, "num-virtual-stages-per-pipeline-rank", s->vp);
    if (launch->model->experts > 0) {
        add_number(w, "expert-model-parallel-size", s->ep);
        add_number(w, "expert-tensor-parallel-size",
                   launch->training->expert_tensor_parallel ? s->tp : 1);
    }
}

static void add_training(struct words *w, const struct nd_launch *launch)
{
    const struct nd_strategy *s = launch->strategy;
    const struct training *t = launch->training;
    const int32_t replicas = s->dp * s->cp, shards = s->op > 0 ? s->op : s->dp;
    add_number(w, "micro-batch-size", s->mbs);
    add_number(w, "global-batch-size", t->gbs);
    add_flag(w, "bf16", true);
    add_flag(w, "use-distributed-optimizer", t->distributed_optimizer && t->zero_level > 0);
    if (t->distributed_optimizer && t->zero_level > 0 && shards < replicas)
        add_number(w, "num-distributed-optimizer-instances", replicas / shards);
    add_flag(w, "use-flash-attn", t->flash_attention);
    add_flag(w, "cross-entropy-loss-fusion", t->fused_cross_entropy);
    if (s->recompute == ND_RECOMPUTE_SELECT)
        add_word(w, "recompute-granularity", "selective");
    if (s->recompute == ND_RECOMPUTE_FULL) {
        add_word(w, "recompute-granularity", "full");
        add_word(w, "recompute-method", "uniform");
        add_number(w, "recompute-num-layers", 1);
    }
}

void nd_launch_megatron(struct textroom *text, const struct nd_launch *launch)
{
    struct words words = {text, 0};
    add_degrees(&words, launch);
    add_training(&words, launch);
    add_shape(&words, launch->model);
    textroom_add(text, "\n");
}

// ---- torchtitan ---------------------------------------------------------------------------------

// What holds parameters is sharded over dp_shard * cp devices and repeated over dp_replicate. false:
// the shards do not divide so.
static bool shard_degrees(const struct nd_strategy *s, int32_t *shard, int32_t *replicate)
{
    const int32_t shards = s->op > 0 ? s->op : s->dp;
    const bool even = shards % s->cp == 0 && s->dp % (shards / s->cp) == 0;
    *shard = even ? shards / s->cp : s->dp;
    *replicate = s->dp / *shard;
    return even;
}

static void add_notes(struct textroom *text, const struct nd_launch *launch)
{
    const struct nd_strategy *s = launch->strategy;
    int32_t shard, replicate;
    if (!shard_degrees(s, &shard, &replicate))
        textroom_add(text,
                     "# %d shards do not cover context groups of %d: all %d replicas share\n",
                     s->op, s->cp, s->dp);
    if (launch->training->zero_level < 3)
        textroom_add(text,
                     "# parameters and gradients are sharded, too, which the estimate "
                     "(zero_level %d) does not do\n",
                     launch->training->zero_level);
    if (s->sp == (s->tp == 1) && s->tp > 1)
        textroom_add(text, "# tensor parallelism here is always sequence parallel\n");
    if (s->pp > 1)
        textroom_add(text, "# layers of stages, in order:");
    for (int32_t c = 0; s->pp > 1 && c < s->pp * s->vp; c++)
        textroom_add(text, " %d", launch->layers[c]);
    if (s->pp > 1)
        textroom_add(text, "\n");
}

void nd_launch_torchtitan(struct textroom *text, const struct nd_launch *launch)
{
    static const char *const modes[] = {
        [ND_RECOMPUTE_NONE] = "none",
        [ND_RECOMPUTE_SELECT] = "selective",
        [ND_RECOMPUTE_FULL] = "full",
    };
    const struct nd_strategy *s = launch->strategy;
    int32_t shard, replicate;
    shard_degrees(s, &shard, &replicate);
    add_notes(text, launch);
    const int64_t local = s->pp > 1 ? launch->training->gbs / s->dp : s->mbs;
    textroom_add(text,
                 "[training]\nlocal_batch_size = %" PRId64 "\nglobal_batch_size = %" PRId64
                 "\nseq_len = %" PRId64 "\n\n",
                 local, launch->training->gbs, launch->model->seq_length);
    textroom_add(text,
                 "[parallelism]\ndata_parallel_replicate_degree = %d\n"
                 "data_parallel_shard_degree = %d\ntensor_parallel_degree = %d\n"
                 "context_parallel_degree = %d\npipeline_parallel_degree = %d\n",
                 replicate, shard, s->tp, s->cp, s->pp);
    if (s->pp > 1)
        textroom_add(text,
                     "pipeline_parallel_schedule = \"%s\"\n"
                     "pipeline_parallel_microbatch_size = %d\n",
                     s->vp > 1 ? "Interleaved1F1B" : "1F1B", s->mbs);
    if (launch->model->experts > 0)
        textroom_add(text, "expert_parallel_degree = %d\nexpert_tensor_parallel_degree = %d\n",
                     s->ep, launch->training->expert_tensor_parallel ? s->tp : 1);
    textroom_add(text, "\n[activation_checkpoint]\nmode = \"%s\"\n", modes[s->recompute]);
}
