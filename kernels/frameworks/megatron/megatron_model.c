// SPDX-License-Identifier: Apache-2.0
// Turns the arguments of a model's shape into the model part of a run document.
#include "kernels/frameworks/megatron/megatron_private.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool put_number(const struct megatron *m, const char *name, int64_t x,
                       enum megatron_key from)
{
    return framework_put_number(m->r, FRAMEWORK_MODEL, name, (double)x,
                                megatron_has(m, from) ? m->values[from].at : m->at);
}

static bool put_flag(const struct megatron *m, const char *name, bool on,
                     enum megatron_key from)
{
    return framework_put_bool(m->r, FRAMEWORK_MODEL, name, on,
                              megatron_has(m, from) ? m->values[from].at : m->at);
}

// Puts a number if it is given.
static bool put_given(const struct megatron *m, const char *name, enum megatron_key from)
{
    return !megatron_has(m, from) || put_number(m, name, m->values[from].number, from);
}

// ---- parts -----------------------------------------------------------------------------------

static bool check_kinds(const struct megatron *m)
{
    if (megatron_has(m, MG_HETEROGENEOUS))
        return megatron_fail(m, MG_HETEROGENEOUS,
                             "the layers that it describes are not known here");
    if (megatron_has(m, MG_VARIANT) && !megatron_is(m, MG_VARIANT, "gated_delta_net", "dsa"))
        return megatron_fail(m, MG_VARIANT, "only gated_delta_net and dsa are known here");
    if (megatron_has(m, MG_LINEAR_ATTENTION) !=
        megatron_is(m, MG_VARIANT, "gated_delta_net", NULL))
        return megatron_fail(m, megatron_has(m, MG_VARIANT) ? MG_VARIANT : MG_LINEAR_ATTENTION,
                             "--experimental-attention-variant gated_delta_net and "
                             "--linear-attention-freq need each other");
    return true;
}

// Sparse attention: an indexer, whose three numbers have no defaults.
static bool put_indexer(const struct megatron *m)
{
    static const enum megatron_key keys[] = {MG_INDEX_HEADS, MG_INDEX_DIM, MG_INDEX_TOPK};
    if (!megatron_is(m, MG_VARIANT, "dsa", NULL))
        return true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!megatron_has(m, keys[i]))
            return megatron_fail(m, keys[i], "missing; dsa needs it");
    return put_given(m, "index_n_heads", MG_INDEX_HEADS) &&
           put_given(m, "index_head_dim", MG_INDEX_DIM) &&
           put_given(m, "index_topk", MG_INDEX_TOPK);
}

static bool put_feed_forward(const struct megatron *m)
{
    const bool gated = megatron_has(m, MG_GATED);
    const int64_t h = megatron_number(m, MG_HIDDEN, 0);
    if (!put_flag(m, "gated_ffn", gated, MG_GATED))
        return false;
    if (megatron_has(m, MG_FFN) || !gated)
        return put_given(m, "ffn_hidden_size", MG_FFN);
    return put_number(m, "ffn_hidden_size", 8 * h / 3 / 64 * 64, MG_HIDDEN);
}

static bool put_compressed(const struct megatron *m)
{
    return put_number(m, "q_lora_rank", megatron_number(m, MG_Q_RANK, 0), MG_Q_RANK) &&
           put_number(m, "kv_lora_rank", megatron_number(m, MG_KV_RANK, 32), MG_KV_RANK) &&
           put_number(m, "qk_nope_head_dim", megatron_number(m, MG_QK_DIM, 128), MG_QK_DIM) &&
           put_number(m, "qk_rope_head_dim", megatron_number(m, MG_QK_ROPE, 64), MG_QK_ROPE) &&
           put_number(m, "v_head_dim", megatron_number(m, MG_V_DIM, 128), MG_V_DIM) &&
           put_indexer(m);
}

static bool put_attention(const struct megatron *m)
{
    const bool mla = megatron_has(m, MG_MLA), grouped = megatron_has(m, MG_GROUPED) && !mla;
    if (!framework_put_text(m->r, FRAMEWORK_MODEL, "attention", mla ? "mla" : "gqa",
                            mla ? m->values[MG_MLA].at : m->at) ||
        !put_given(m, "head_dim", MG_HEAD_DIM))
        return false;
    if (mla)
        return put_compressed(m);
    if (grouped && !put_number(m, "num_query_groups", megatron_number(m, MG_GROUPS, 1),
                               megatron_has(m, MG_GROUPS) ? MG_GROUPS : MG_GROUPED))
        return false;
    if (megatron_is(m, MG_VARIANT, "dsa", NULL))
        return megatron_fail(m, MG_VARIANT, "dsa needs --multi-latent-attention");
    return put_flag(m, "attention_gate", megatron_has(m, MG_ATTENTION_GATE),
                    MG_ATTENTION_GATE) &&
           put_flag(m, "qk_norm", megatron_has(m, MG_QK_NORM), MG_QK_NORM) &&
           put_flag(m, "attention_bias", megatron_has(m, MG_QKV_BIAS), MG_QKV_BIAS) &&
           (!megatron_has(m, MG_OUTPUT_BIAS) ||
            put_flag(m, "output_bias", true, MG_OUTPUT_BIAS));
}

// Sets which layers have experts.
static bool read_experts(const struct megatron *m, bool *experts)
{
    const int64_t n = m->values[MG_LAYERS].number;
    const bool listed = megatron_has(m, MG_FREQUENCY) && !megatron_has(m, MG_DENSE) &&
                        !megatron_is(m, MG_FREQUENCY, "-1", "1");
    for (int64_t i = 0; i < n; i++)
        experts[i] =
            megatron_number(m, MG_EXPERTS, 0) > 0 && i >= megatron_number(m, MG_DENSE, 0);
    if (megatron_number(m, MG_EXPERTS, 0) == 0 || !listed ||
        megatron_read_frequency(m->values[MG_FREQUENCY].text, experts, n))
        return true;
    return megatron_fail(m, MG_FREQUENCY,
                         "expected a period, or a list as ([0]*3+[1]*58), one number for each "
                         "of %lld layers",
                         (long long)n);
}

// Sets dense and kinds of the model.
static void find_kinds(struct megatron *m, const bool *experts, int64_t window)
{
    const int64_t n = m->values[MG_LAYERS].number;
    const bool has = megatron_number(m, MG_EXPERTS, 0) > 0;
    m->dense = 0;
    while (has && m->dense < n && !experts[m->dense])
        m->dense++;
    m->kinds = megatron_has(m, MG_HYBRID) || megatron_has(m, MG_HYBRID_OLD) ||
               megatron_has(m, MG_LINEAR_ATTENTION) ||
               (megatron_has(m, MG_WINDOW_SKIP) && window > 0);
    for (int64_t i = m->dense; has && i < n; i++)
        m->kinds = m->kinds || !experts[i];
}

// A token chooses its experts among those of a few groups.
static bool put_groups(const struct megatron *m)
{
    const int64_t groups = megatron_number(m, MG_EXPERT_GROUPS, 0);
    const int64_t chosen = megatron_number(m, MG_ROUTED_GROUPS, 0);
    return groups == 0 || chosen == 0 ||
           (put_number(m, "expert_groups", groups, MG_EXPERT_GROUPS) &&
            put_number(m, "routed_groups", chosen, MG_ROUTED_GROUPS));
}

static bool put_experts(struct megatron *m)
{
    const int64_t n = megatron_number(m, MG_EXPERTS, 0);
    if (n == 0)
        return true;
    const int64_t dense = m->dense - megatron_noop_between(m, 0, m->dense);
    return put_number(m, "num_experts", n, MG_EXPERTS) &&
           put_number(m, "topk", megatron_number(m, MG_TOPK, n < 2 ? n : 2), MG_TOPK) &&
           put_given(m, "moe_intermediate_size", MG_MOE_FFN) &&
           put_given(m, "shared_expert_intermediate_size", MG_SHARED) &&
           put_given(m, "moe_latent_size", MG_LATENT) &&
           (megatron_has(m, MG_SHARED) || put_given(m, "n_shared_experts", MG_N_SHARED)) &&
           put_number(m, "first_k_dense_replace", dense,
                      megatron_has(m, MG_DENSE) ? MG_DENSE : MG_FREQUENCY) &&
           (!megatron_has(m, MG_SHARED_GATE) ||
            put_flag(m, "shared_gate", true, MG_SHARED_GATE)) &&
           put_flag(m, "router_bias", megatron_has(m, MG_ROUTER_BIAS), MG_ROUTER_BIAS) &&
           put_groups(m);
}

// ---- vocabulary and positions ----------------------------------------------------------------

// Vocabularies of published tokenizers as Megatron-LM counts them (the length of the tokenizer), by
// a part of the tokenizer's type or name, or by the type of the model.
static const struct {
    enum megatron_key key;
    const char *part;
    int64_t size;
} tokenizers[] = {
    {MG_TOKENIZER, "GPT2BPE", 50257},
    {MG_TOKENIZER, "Llama2Tokenizer", 32000},
    {MG_TOKENIZER_MODEL, "DeepSeek-V3", 128815},
    {MG_TOKENIZER_MODEL, "DeepSeek-R1", 128815},
    {MG_TOKENIZER_MODEL, "DeepSeek-V2", 100002},
    {MG_TOKENIZER_MODEL, "Llama-3", 128256},
    {MG_TOKENIZER_MODEL, "Llama-4", 201135},
    {MG_TOKENIZER_MODEL, "Llama-2", 32000},
    {MG_TOKENIZER_MODEL, "Mixtral-8x7B", 32000},
    {MG_TOKENIZER_MODEL, "Mixtral-8x22B", 32768},
    {MG_TOKENIZER_MODEL, "Mistral-7B-v0.1", 32000},
    {MG_TOKENIZER_MODEL, "Mistral-7B-Instruct-v0.3", 32768},
    {MG_TOKENIZER_MODEL, "Qwen3", 151669},
    {MG_TOKENIZER_MODEL, "Qwen2.5", 151665},
    {MG_TOKENIZER_MODEL, "Kimi-K2", 163840},
    {MG_MODEL_TYPE, "llama2", 32000},
    {MG_MODEL_TYPE, "llama3", 128256},
    {MG_MODEL_TYPE, "deepseek3", 129280},
};

static bool contains(const char *text, const char *part)
{
    for (; *text != '\0'; text++)
        if (strncasecmp(text, part, strlen(part)) == 0)
            return true;
    return *part == '\0';
}

// Returns 0 if the vocabulary is unknown. A multiple as large as a vocabulary is the vocabulary.
static int64_t tokenizer_vocab(const struct megatron *m, int64_t multiple)
{
    for (size_t i = 0; i < sizeof tokenizers / sizeof *tokenizers; i++) {
        const char *text = m->values[tokenizers[i].key].text;
        if (text != NULL && contains(text, tokenizers[i].part))
            return tokenizers[i].size;
    }
    // pretrain_gpt.py's tokenizer unless another is named.
    if (megatron_has(m, MG_MERGES) && !megatron_has(m, MG_TOKENIZER))
        return 50257;
    return multiple >= 1 << 15 ? multiple : 0;
}

// Returns the vocabulary without padding; 0: unknown.
static int64_t vocab_of(const struct megatron *m)
{
    const int64_t multiple = megatron_number(m, MG_DIVISIBLE, 128) * m->tp;
    return megatron_has(m, MG_VOCAB) ? m->values[MG_VOCAB].number
                                     : tokenizer_vocab(m, multiple);
}

// Megatron-LM pads the vocabulary to a multiple of --make-vocab-size-divisible-by x tensor ranks.
static bool put_vocab(const struct megatron *m)
{
    const enum megatron_key from = megatron_has(m, MG_VOCAB) ? MG_VOCAB : MG_TOKENIZER_MODEL;
    const int64_t multiple = megatron_number(m, MG_DIVISIBLE, 128) * m->tp;
    const int64_t vocab = vocab_of(m);
    if (megatron_has(m, MG_PADDED_VOCAB))
        return put_number(m, "vocab_size", m->values[MG_PADDED_VOCAB].number, MG_PADDED_VOCAB);
    return put_number(m, "vocab_size", vocab, from) &&
           put_number(m, "padded_vocab_size", (vocab + multiple - 1) / multiple * multiple,
                      from);
}

// The rest of the file is of use with the model of another document.
static bool without_model(const struct megatron *m)
{
    struct pps_fault *unknown = &m->r->file->unknown_model, *fault = m->r->fault;
    m->r->fault = unknown;
    framework_fail(
        m->r, m->at,
        m->dialect == MEGATRON_ARGUMENTS
            ? "--vocab-size: missing, and the tokenizer's vocabulary is not known here; add "
              "--vocab-size N to the arguments"
            : "vocab_size: missing, and the tokenizer's vocabulary is not known here; add "
              "vocab_size: N to the model");
    m->r->fault = fault;
    return !megatron_has(m, MG_SEQ_LENGTH) ||
           framework_put_number(m->r, FRAMEWORK_BASELINE, "seq_length",
                                (double)m->values[MG_SEQ_LENGTH].number,
                                m->values[MG_SEQ_LENGTH].at);
}

static bool put_positions(const struct megatron *m)
{
    const bool learned = !megatron_has(m, MG_NO_POSITIONS) && !megatron_has(m, MG_ROTARY) &&
                         (!megatron_has(m, MG_POSITION_TYPE) ||
                          megatron_is(m, MG_POSITION_TYPE, "learned_absolute", NULL));
    return put_given(m, "seq_length", MG_SEQ_LENGTH) &&
           put_given(m, "max_position_embeddings", MG_MAX_POSITIONS) &&
           put_flag(m, "learned_positions", learned, MG_POSITION_TYPE);
}

enum { MOST_TOKENS = 1 << 28 };

// --window-size LEFT,RIGHT: tokens before and behind; -1: all. A number alone counts the token itself.
static int64_t window_of(const struct megatron *m)
{
    const char *text = m->values[MG_WINDOW].text;
    char *end;
    text += strspn(text, " ([");
    const long long left = strtoll(text, &end, 10);
    if (end == text || left < 0 || left >= MOST_TOKENS)
        return 0;
    return left + (*end == ',');
}

static bool put_window(const struct megatron *m, const bool *experts)
{
    const int64_t window = megatron_has(m, MG_WINDOW) ? window_of(m) : 0;
    if (m->kinds)
        return megatron_put_kinds(m, experts, window);
    return window == 0 || put_number(m, "attention_window", window, MG_WINDOW);
}

// ---- whole models ----------------------------------------------------------------------------

static bool put_norm(const struct megatron *m)
{
    const bool rms = megatron_is(m, MG_NORM, "RMSNorm", NULL);
    return framework_put_text(m->r, FRAMEWORK_MODEL, "norm", rms ? "rms" : "layer",
                              megatron_has(m, MG_NORM) ? m->values[MG_NORM].at : m->at);
}

bool megatron_read_model(struct megatron *m)
{
    bool experts[MEGATRON_MOST_LAYERS];
    if (!check_kinds(m) || !read_experts(m, experts))
        return false;
    find_kinds(m, experts, megatron_has(m, MG_WINDOW) ? window_of(m) : 0);
    if (!megatron_has(m, MG_PADDED_VOCAB) && vocab_of(m) == 0)
        return without_model(m);
    return put_number(m, "num_layers", m->layers, MG_LAYERS) &&
           put_given(m, "mtp_depth", MG_MTP) && put_given(m, "hidden_size", MG_HIDDEN) &&
           put_given(m, "num_attention_heads", MG_HEADS) && put_attention(m) &&
           put_feed_forward(m) && put_experts(m) && put_vocab(m) && put_positions(m) &&
           put_norm(m) && put_window(m, experts) &&
           put_flag(m, "tie_embeddings", !megatron_has(m, MG_UNTIED), MG_UNTIED) &&
           put_flag(m, "linear_bias", !megatron_has(m, MG_NO_BIAS), MG_NO_BIAS);
}
