// SPDX-License-Identifier: Apache-2.0
// Writes the options of Megatron-LM that give the model's shape.
#include "planner/nd/launch/megatron_private.h"

static void add_mla(struct nd_megatron_options *w)
{
    const struct modeldesc *m = w->model;
    option_add_flag(w, "multi-latent-attention", true);
    if (m->q_rank > 0)
        option_add_number(w, "q-lora-rank", m->q_rank);
    option_add_number(w, "kv-lora-rank", m->kv_rank);
    option_add_number(w, "qk-head-dim", m->qk_nope);
    option_add_number(w, "qk-pos-emb-head-dim", m->qk_rope);
    option_add_number(w, "v-head-dim", m->v_dim);
    option_add_number(w, "kv-channels", m->v_dim);
    option_add_flag(w, "qk-layernorm",
                    true); // the norms of the compressed queries, keys and values
    if (m->index_heads > 0) {
        option_add_word(w, "experimental-attention-variant", "dsa");
        option_add_number(w, "dsa-indexer-n-heads", m->index_heads);
        option_add_number(w, "dsa-indexer-head-dim", m->index_dim);
        option_add_number(w, "dsa-indexer-topk", m->index_topk);
    }
    if (m->attention_bias && !m->linear_bias)
        option_add_note(w, "Megatron-LM has no bias on compressed queries, keys and values");
}

static void add_attention(struct nd_megatron_options *w)
{
    const struct modeldesc *m = w->model;
    if (m->attention == MODELDESC_MLA) {
        add_mla(w);
    } else {
        option_add_flag(w, "group-query-attention", m->query_groups < m->heads);
        if (m->query_groups < m->heads)
            option_add_number(w, "num-query-groups", m->query_groups);
        option_add_number(w, "kv-channels", m->head_dim);
        option_add_flag(w, "qk-layernorm", m->qk_norm);
        option_add_flag(w, "add-qkv-bias", m->attention_bias && !m->linear_bias);
    }
    if (m->output_bias && !m->linear_bias)
        option_add_note(w, "Megatron-LM has no bias on the attention output alone");
    option_add_flag(w, "attention-output-gate", m->attention_gate);
    if (m->window > 0) {
        option_begin(w);
        text_buffer_add(w->text, "--window-size %" PRId64 ",0", m->window - 1);
    }
}

static void add_experts(struct nd_megatron_options *w)
{
    const struct modeldesc *m = w->model;
    if (m->experts == 0)
        return;
    option_add_number(w, "num-experts", m->experts);
    option_add_number(w, "moe-ffn-hidden-size", m->moe_ffn);
    if (m->shared_ffn > 0)
        option_add_number(w, "moe-shared-expert-intermediate-size", m->shared_ffn);
    if (m->moe_latent > 0)
        option_add_number(w, "moe-latent-size", m->moe_latent);
    if (m->dense_layers > 0 && m->n_kinds == 0) {
        option_begin(w);
        text_buffer_add(w->text, "--moe-layer-freq '([0]*%" PRId64 "+[1]*%" PRId64 ")'",
                        m->dense_layers, m->num_layers - m->dense_layers);
    }
    option_add_number(w, "moe-router-topk", m->topk);
    if (m->routed_groups > 0 && m->routed_groups < m->expert_groups) {
        option_add_number(w, "moe-router-num-groups", m->expert_groups);
        option_add_number(w, "moe-router-group-topk", m->routed_groups);
    }
    option_add_word(w, "moe-router-score-function", m->router_bias ? "sigmoid" : "softmax");
    option_add_flag(w, "moe-router-enable-expert-bias", m->router_bias);
    option_add_flag(w, "moe-router-pre-softmax", m->topk == 1 && !m->router_bias);
    option_add_word(w, "moe-router-dtype", "fp32");
    option_add_word(w, "moe-token-dispatcher-type", "alltoall");
    if (w->s->ep > 1 && training_stack(w->launch->training)->node_copies)
        option_add_note(
            w, "alltoall sends a token to each of its experts; where expert ranks span nodes, "
               "the estimate sends it once to each node, as dispatcher flex with DeepEP does");
    option_add_flag(w, "moe-grouped-gemm", true);
    if (m->linear_bias && (m->shared_ffn > 0 || nd_launch_etp(w->launch) > 1))
        option_add_note(
            w, "does not start: experts with biases allow no shared experts and no expert "
               "tensor parallelism");
    option_add_flag(w, "no-bias-dropout-fusion", m->linear_bias);
}

// The vocabulary is padded to a multiple of this number times the tensor ranks, 128 by default.
static void add_vocabulary(struct nd_megatron_options *w)
{
    const int64_t columns = w->model->vocab / w->s->tp;
    int64_t multiple = 128;
    while (multiple > 1 && columns % multiple != 0)
        multiple /= 2;
    const bool divides = w->model->vocab % w->s->tp == 0;
    option_add_number(w, "vocab-size", w->model->vocab);
    if (!divides || multiple < 128)
        option_add_number(w, "make-vocab-size-divisible-by", divides ? multiple : 1);
    if (!divides)
        option_add_note(w, "the vocabulary is padded to a multiple of the tensor ranks");
}

static void add_positions(struct nd_megatron_options *w)
{
    const struct modeldesc *m = w->model;
    const bool learned = m->positions > 0;
    option_add_number(w, "seq-length", m->seq_length);
    option_add_number(w, "max-position-embeddings", learned ? m->positions : m->seq_length);
    option_add_word(w, "position-embedding-type", learned ? "learned_absolute" : "rope");
    if (learned && m->positions < m->seq_length)
        option_add_note(
            w, "does not start: --max-position-embeddings must be at least --seq-length");
    if (learned && m->mtp_depth > 0)
        option_add_note(w, "does not start: MTP layers need rotary positions");
}

// What the options cannot say of the model that is priced.
static void note_differences(struct nd_megatron_options *w)
{
    const struct modeldesc *m = w->model;
    if (m->layer_norms != 2)
        option_add_note(w,
                        "Megatron-LM has two norms in a layer; the model has another number");
    if (m->qk_norm_full)
        option_add_note(w, "Megatron-LM has norms of single heads of queries and keys only");
    if (m->norm == MODELDESC_LAYER_NO_BIAS || m->norm == MODELDESC_FIXED)
        option_add_note(w, "Megatron-LM has LayerNorm with weights and bias only");
    if (m->embedding_norm)
        option_add_note(w, "Megatron-LM has no norm after the embedding");
    if (m->ffn_bias && !m->linear_bias)
        option_add_note(w, "Megatron-LM has no bias on feed-forward networks alone");
    if (m->head_bias)
        option_add_note(w, "Megatron-LM has no bias on the output head");
    if (m->attention_sinks)
        option_add_note(w, "sinks of attention: --softmax-type learnable, where it exists");
    if (m->zero_experts > 0)
        option_add_note(w, "Megatron-LM has no experts without parameters");
    if (m->router_scale)
        option_add_note(w, "Megatron-LM has no scales of the router");
    if (m->head_gate)
        option_add_note(w, "Megatron-LM has no gate with one number per head");
    if (m->shared_gate)
        option_add_note(
            w, "the gate of shared experts: --moe-shared-expert-gate, where it exists");
}

void nd_megatron_add_shape(struct nd_megatron_options *w)
{
    const struct modeldesc *m = w->model;
    option_add_number(w, "num-layers", m->num_layers);
    option_add_number(w, "hidden-size", m->hidden);
    option_add_number(w, "ffn-hidden-size", m->ffn);
    option_add_number(w, "num-attention-heads", m->heads);
    add_attention(w);
    add_experts(w);
    nd_megatron_add_kinds(w);
    if (m->mtp_depth > 0)
        option_add_number(w, "mtp-num-layers", m->mtp_depth);
    add_positions(w);
    add_vocabulary(w);
    option_add_word(w, "normalization", m->norm == MODELDESC_RMS ? "RMSNorm" : "LayerNorm");
    option_add_flag(w, "swiglu", m->gated);
    option_add_flag(w, "disable-bias-linear", !m->linear_bias);
    option_add_flag(w, "untie-embeddings-and-output-weights", !m->tied);
    note_differences(w);
}
