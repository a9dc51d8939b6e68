// SPDX-License-Identifier: Apache-2.0
// Writes launch lines for Megatron-LM's pretrain_gpt.py.
#include "planner/nd/launch/megatron_private.h"

#include <stdio.h>
#include <string.h>

// ---- tensor, context and expert parallelism -----------------------------------------------------

static void add_context(struct nd_megatron_options *w)
{
    const bool mla = w->model->attention == MODELDESC_MLA;
    option_add_number(w, "context-parallel-size", w->s->cp);
    if (w->s->cp == 1)
        return;
    // The estimate prices one all-gather of keys and values. Transformer Engine exchanges the keys
    // and values of MLA in a ring only.
    option_add_word(w, "cp-comm-type", mla ? "p2p" : "all_gather");
    if (mla)
        option_add_note(
            w, "keys and values travel in a ring (p2p); the estimate prices an all-gather");
    if (w->model->seq_length % (2 * w->s->cp) != 0)
        option_add_note(w, "does not start: --seq-length must be a multiple of twice "
                           "--context-parallel-size");
}

static void add_sequence(struct nd_megatron_options *w)
{
    const bool forced = w->model->experts > 0 && !w->s->sp;
    if (w->s->tp == 1)
        return;
    option_add_flag(w, "sequence-parallel", w->s->sp || forced);
    if (forced)
        option_add_note(w, "with experts and tensor parallelism Megatron-LM requires sequence "
                           "parallelism; the estimate prices none");
}

static void check_tensor(struct nd_megatron_options *w)
{
    const struct modeldesc *m = w->model;
    const int32_t tp = w->s->tp;
    if (m->heads % tp != 0)
        option_add_note(w, "does not start: --num-attention-heads must be a multiple of "
                           "--tensor-model-parallel-size");
    if (m->attention != MODELDESC_MLA && m->query_groups % tp != 0)
        option_add_note(
            w, tp % m->query_groups == 0
                   ? "fewer query groups than tensor ranks need Megatron Core 0.16 or later"
                   : "does not start: --num-query-groups must be a multiple or divisor of "
                     "--tensor-model-parallel-size");
}

static void add_expert_degrees(struct nd_megatron_options *w)
{
    const int32_t etp = nd_launch_etp(w->launch);
    if (w->model->experts == 0)
        return;
    option_add_number(w, "expert-model-parallel-size", w->s->ep);
    option_add_number(w, "expert-tensor-parallel-size", etp);
    if (w->model->experts % w->s->ep != 0)
        option_add_note(w, "does not start: --num-experts must be a multiple of "
                           "--expert-model-parallel-size");
    if ((int64_t)w->s->dp * w->s->cp * w->s->tp % ((int64_t)w->s->ep * etp) != 0)
        option_add_note(w,
                        "does not start: the devices of a pipeline stage must be a multiple of "
                        "--expert-model-parallel-size times --expert-tensor-parallel-size");
}

// ---- pipeline -----------------------------------------------------------------------------------

static bool is_even(const struct nd_launch *launch)
{
    const int32_t chunks = launch->strategy->pp * launch->strategy->vp;
    for (int32_t c = 1; c < chunks; c++)
        if (launch->layers[c] != launch->layers[0])
            return false;
    return launch->model->mtp_depth == 0;
}

// One letter a layer, chunk after chunk: E the embedding, t a layer, m an MTP layer, L the loss.
// MTP layers may only be in the last chunk.
static void add_layout(struct nd_megatron_options *w)
{
    const int32_t chunks = w->s->pp * w->s->vp;
    const int32_t *layers = w->launch->layers;
    int64_t left = w->model->num_layers;
    option_begin(w);
    text_buffer_add(w->text, "--pipeline-model-parallel-layout '");
    for (int32_t c = 0; c < chunks; c++) {
        text_buffer_add(w->text, "%s", c == 0 ? "E" : "|");
        for (int64_t l = 0; l < layers[c] && left > 0; l++, left--)
            text_buffer_add(w->text, "t");
    }
    for (int64_t l = 0; l < w->model->mtp_depth; l++)
        text_buffer_add(w->text, "m");
    text_buffer_add(w->text, "L'");
    if (layers[chunks - 1] < w->model->mtp_depth)
        option_add_note(w,
                        "all MTP layers are in the last chunk; the estimate has fewer there");
}

// Micro-batches that a rank runs of one chunk before the next chunk: the least number that the
// interleaved schedule accepts.
static int64_t group_size(int64_t micro_batches, int64_t pp)
{
    int64_t n = pp;
    while (n < micro_batches && micro_batches % n != 0 && micro_batches % n < pp)
        n++;
    return n;
}

static void add_chunks(struct nd_megatron_options *w, int64_t micro_batches)
{
    const int64_t group = group_size(micro_batches, w->s->pp);
    if (is_even(w->launch))
        option_add_number(w, "num-virtual-stages-per-pipeline-rank", w->s->vp);
    if (micro_batches < w->s->pp)
        option_add_note(
            w, "does not start: the interleaved schedule needs as many micro-batches as "
               "stages");
    else if (group != w->s->pp) {
        option_add_number(w, "microbatch-group-size-per-virtual-pipeline-stage", group);
        option_add_note(w,
                        "the micro-batches are not a multiple of the stages: the order differs "
                        "from that of the estimate");
    }
    if (w->launch->training->low_mem_vpp)
        option_add_note(
            w, "Megatron-LM has no low-memory interleaved order: more micro-batches are "
               "in flight than in the estimate");
}

static void add_pipeline(struct nd_megatron_options *w)
{
    const int64_t gbs = w->launch->training->gbs, batch = (int64_t)w->s->mbs * w->s->dp;
    option_add_number(w, "pipeline-model-parallel-size", w->s->pp);
    option_add_number(w, "micro-batch-size", w->s->mbs);
    option_add_number(w, "global-batch-size", gbs);
    if (gbs % batch != 0)
        option_add_note(w, "does not start: --global-batch-size must be a multiple of "
                           "--micro-batch-size times the data-parallel size");
    if (w->s->pp > 1 && !is_even(w->launch))
        add_layout(w);
    if (w->s->pp > 1 && w->s->vp > 1)
        add_chunks(w, gbs / batch);
    if (w->s->pp == 1 && w->s->vp > 1)
        option_add_note(
            w, "one stage has no virtual stages: the chunks of the estimate are dropped");
}

// ---- replicas -----------------------------------------------------------------------------------

// Copies of the optimizer's states among the replicas.
static void add_instances(struct nd_megatron_options *w)
{
    const int32_t replicas = w->s->dp * w->s->cp, shards = nd_launch_shards(w->s);
    const int64_t ranks = (int64_t)w->s->ep * nd_launch_etp(w->launch);
    const int64_t experts = (int64_t)replicas * w->s->tp / ranks;
    if (shards == replicas)
        return;
    const bool whole = replicas % shards == 0;
    if (whole && (w->model->experts == 0 || experts % (replicas / shards) == 0))
        option_add_number(w, "num-distributed-optimizer-instances", replicas / shards);
    else
        option_add_note(
            w, "the optimizer is sharded over all replicas: the shards of the estimate do "
               "not divide the replicas, or those of an expert, evenly");
}

static void add_fsdp(struct nd_megatron_options *w, int zero)
{
    option_add_flag(w, "use-megatron-fsdp", true);
    option_add_word(w, "data-parallel-sharding-strategy",
                    zero >= 3 ? "optim_grads_params" : "optim_grads");
    option_add_word(w, "ckpt-format", "fsdp_dtensor");
    option_add_flag(w, "no-gradient-accumulation-fusion", !w->launch->training->dummy_wgrad);
    option_add_note(
        w, "unset CUDA_DEVICE_MAX_CONNECTIONS in the environment: FSDP refuses the value 1");
}

static void add_replicas(struct nd_megatron_options *w)
{
    const int zero = nd_launch_zero(w->launch);
    const bool replicated = w->s->dp * w->s->cp > 1;
    option_add_flag(w, "use-distributed-optimizer", zero > 0);
    if (zero > 0)
        add_instances(w);
    if (zero >= 2)
        add_fsdp(w, zero);
    else if (w->s->tp > 1 || w->s->cp > 1)
        option_add_note(
            w, "set CUDA_DEVICE_MAX_CONNECTIONS=1 in the environment, except on Blackwell "
               "and later devices");
    option_add_flag(w, "overlap-grad-reduce", replicated);
    option_add_flag(w, "overlap-param-gather", replicated && zero > 0);
}

// ---- numbers and kernels ------------------------------------------------------------------------

static void add_bytes(struct nd_megatron_options *w)
{
    const struct training *t = w->launch->training;
    option_add_flag(w, "bf16", true);
    option_add_flag(w, "grad-reduce-in-bf16", t->bytes_grad == 2);
    if (t->bytes_param != 2)
        option_add_note(w, "parameters are bf16 (2 bytes), unlike bytes_param of the estimate");
    if (t->bytes_grad != 2 && t->bytes_grad != 4)
        option_add_note(w, "gradients are fp32 (4 bytes), unlike bytes_grad of the estimate");
    if (t->bytes_optim != 12)
        option_add_note(
            w, "optimizer states take 12 bytes per parameter, unlike bytes_optim of the "
               "estimate");
}

static void add_offload(struct nd_megatron_options *w)
{
    const struct training *t = w->launch->training;
    option_add_flag(w, "optimizer-cpu-offload", t->offload_optimizer > 0);
    if (t->offload_optimizer > 0 && t->offload_optimizer < 1)
        option_add_note(
            w, "set --optimizer-offload-fraction to offload_optimizer of the estimate");
    if (t->offload_parameters || t->offload_activations > 0 || t->offload_checkpoints > 0)
        option_add_note(
            w, "the estimate offloads parameters or activations; no argument here does");
}

// Overlap, 8-bit products and schedules that the estimate assumes.
static void add_stack(struct nd_megatron_options *w)
{
    const struct training *t = w->launch->training;
    const bool overlaps = training_stack(t)->tp_exposed < 1 && w->s->tp > 1;
    option_add_flag(w, "tp-comm-overlap", overlaps && w->s->sp);
    if (t->precision != TRAINING_BF16) {
        option_add_word(w, "fp8-format", "hybrid");
        option_add_word(w, "fp8-recipe",
                        t->precision == TRAINING_MXFP8 ? "mxfp8" : "tensorwise");
    }
    if (t->schedule == TRAINING_ZERO_BUBBLE || t->schedule == TRAINING_DUALPIPE)
        option_add_note(w,
                        "the schedule is 1F1B: Megatron-LM has no zero bubble and no DualPipe, "
                        "which the estimate assumes");
}

static void add_kernels(struct nd_megatron_options *w)
{
    const char *flash = w->model->attention == MODELDESC_MLA ? "fused" : "flash";
    option_add_word(w, "attention-backend",
                    w->launch->training->flash_attention ? flash : "unfused");
    option_add_flag(w, "cross-entropy-loss-fusion", w->launch->fused_ce);
}

// The modules of the training document that this model has.
static void add_modules(struct nd_megatron_options *w)
{
    unsigned had = TRAINING_CORE_ATTN | TRAINING_LAYERNORM | TRAINING_MLP;
    char words[TRAINING_MODULE_WORDS];
    if (w->model->experts > 0)
        had |= TRAINING_MOE_ACT | TRAINING_MOE | TRAINING_SHARED_EXPERTS;
    if (w->model->attention == MODELDESC_MLA)
        had |= TRAINING_MLA_UP_PROJ;
    had &= w->launch->training->recompute_modules;
    if ((had & TRAINING_MOE) != 0)
        had &= ~(unsigned)(TRAINING_MOE_ACT | TRAINING_SHARED_EXPERTS); // parts of it
    training_module_words(had, words);
    option_add_word(w, "recompute-modules", words[0] != '\0' ? words : "layernorm");
}

static void add_recompute(struct nd_megatron_options *w)
{
    const bool experts = w->model->experts > 0;
    if (w->s->recompute == ND_RECOMPUTE_FULL) {
        option_add_word(w, "recompute-granularity", "full");
        option_add_word(w, "recompute-method", "uniform");
        option_add_number(w, "recompute-num-layers", 1);
    }
    if (w->s->recompute != ND_RECOMPUTE_SELECT)
        return;
    option_add_word(w, "recompute-granularity", "selective");
    if (w->launch->training->recompute_modules != 0) {
        add_modules(w);
        return;
    }
    if (!w->launch->training->flash_attention) {
        option_add_word(w, "recompute-modules", "core_attn");
        return;
    }
    // Norms that Transformer Engine fuses into the matrix product after them are not modules.
    option_add_word(w, "recompute-modules", experts ? "layernorm moe_act" : "layernorm");
    if (!experts || w->model->dense_layers > 0)
        option_add_note(
            w, "outputs of fused norms and of activation functions in dense layers stay in "
               "memory; the estimate recomputes them");
}

void nd_launch_megatron(struct text_buffer *text, const struct nd_launch *launch)
{
    struct nd_megatron_options w = {.text = text,
                                    .launch = launch,
                                    .model = launch->model,
                                    .s = launch->strategy};
    option_add_number(&w, "tensor-model-parallel-size", w.s->tp);
    add_sequence(&w);
    check_tensor(&w);
    add_context(&w);
    add_expert_degrees(&w);
    add_pipeline(&w);
    add_replicas(&w);
    add_bytes(&w);
    add_offload(&w);
    add_kernels(&w);
    add_stack(&w);
    add_recompute(&w);
    nd_megatron_add_shape(&w);
    text_buffer_add(text, "\n# for Megatron-LM with Megatron Core 0.14 to 0.19\n");
    if (w.notes.n > 0)
        text_buffer_add_bytes(text, w.notes.text, w.notes.n);
    text->failed |= w.notes.failed;
    text_buffer_free(&w.notes);
}
