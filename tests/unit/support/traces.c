// SPDX-License-Identifier: Apache-2.0
// Simulates a pipeline and writes its kernels.
#include "tests/unit/support/traces.h"

#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_ATTENTION 80.0  // us of a layer's forward before its attention
#define ATTENTION_BACK   150.0 // us of a layer's backward from its attention on

struct run {
    const struct trace_plan *plan;
    struct trace_kernels *stages;
    struct random random;
    int step;
};

static void emit(struct run *r, int stage, enum trace_kind kind, double us, double duration)
{
    struct trace_kernels *kernels = &r->stages[stage];
    if (kernels->n == kernels->room) {
        kernels->room = 2 * kernels->room + 64;
        kernels->rows = realloc(kernels->rows, kernels->room * sizeof *kernels->rows);
        cr_assert_not_null(kernels->rows);
    }
    kernels->rows[kernels->n++] = (struct trace_kernel){us, duration, kind, r->step};
}

static bool is_moe(const struct run *r, int stage, int layer)
{
    for (int s = 0; s < stage; s++)
        layer += r->plan->layers[s];
    return r->plan->has_experts && layer >= r->plan->dense;
}

static double with_noise(struct run *r, double us)
{
    return us * (1 + r->plan->noise * (2 * random_unit(&r->random) - 1));
}

static void emit_attention(struct run *r, int stage, enum trace_kind kind, double us)
{
    const int n = r->plan->per_layer > 0 ? r->plan->per_layer : 1;
    for (int k = 0; k < n; k++)
        emit(r, stage, kind, us + 3.0 * k, 2.5);
}

// Runs the forward of a layer from *us on.
static void forward_layer(struct run *r, int stage, int layer, double *us)
{
    const bool moe = is_moe(r, stage, layer);
    const double whole = with_noise(r, moe ? r->plan->moe_fw : r->plan->dense_fw);
    emit(r, stage, TRACE_MATRIX, *us, 20);
    emit_attention(r, stage, TRACE_FORWARD, *us + BEFORE_ATTENTION);
    emit(r, stage, moe ? TRACE_EXPERTS : TRACE_MATRIX, *us + BEFORE_ATTENTION + 40, 10);
    *us += whole;
}

static void backward_layer(struct run *r, int stage, int layer, double *us)
{
    const bool moe = is_moe(r, stage, layer);
    const double whole = with_noise(r, moe ? r->plan->moe_bw : r->plan->dense_bw);
    emit(r, stage, moe ? TRACE_EXPERTS : TRACE_MATRIX, *us + 5, 10);
    emit_attention(r, stage, TRACE_BACKWARD, *us + whole - ATTENTION_BACK);
    *us += whole;
}

static bool is_again(const struct run *r, int stage, int layer)
{
    return (r->plan->recomputed[stage] >> layer & 1) != 0;
}

static double forward_pass(struct run *r, int stage, double us)
{
    for (int l = 0; l < r->plan->layers[stage]; l++)
        forward_layer(r, stage, l, &us);
    if (stage == r->plan->stages - 1)
        us += r->plan->head * 0.4;
    return us;
}

static double backward_pass(struct run *r, int stage, double us)
{
    bool done = false;
    if (stage == r->plan->stages - 1)
        us += r->plan->head * 0.6;
    for (int l = r->plan->layers[stage] - 1; l >= 0; l--) {
        if (is_again(r, stage, l) && !r->plan->together)
            forward_layer(r, stage, l, &us);
        for (int k = 0; is_again(r, stage, l) && r->plan->together && !done && k <= l; k++)
            if (is_again(r, stage, k))
                forward_layer(r, stage, k, &us);
        done = done || is_again(r, stage, l);
        backward_layer(r, stage, l, &us);
    }
    return us;
}

// ---- the order ----------------------------------------------------------------------------------

struct pass {
    bool is_backward;
    int micro_batch;
};

// Returns the pass at place `at` of the 1F1B order of a stage.
static struct pass pass_at(const struct trace_plan *plan, int stage, int at)
{
    const int late = plan->stages - 1 - stage;
    const int warm_up = late < plan->micro_batches ? late : plan->micro_batches;
    if (at < warm_up)
        return (struct pass){false, at};
    const int steady = plan->micro_batches - warm_up, k = at - warm_up;
    if (k < 2 * steady)
        return (struct pass){k % 2 == 1, k % 2 == 1 ? k / 2 : warm_up + k / 2};
    return (struct pass){true, steady + k - 2 * steady};
}

enum { PASSES = 512 };

// Runs one step from *us on.
static void run_step(struct run *r, double *us)
{
    static double end[2][TRACE_STAGES][PASSES]; // 0: not run
    const struct trace_plan *plan = r->plan;
    int next[TRACE_STAGES] = {0}, left = 2 * plan->micro_batches * plan->stages;
    double free_at[TRACE_STAGES], last = *us;
    memset(end, 0, sizeof end);
    for (int s = 0; s < plan->stages; s++)
        free_at[s] = *us;
    while (left > 0)
        for (int s = 0; s < plan->stages; s++) {
            if (next[s] == 2 * plan->micro_batches)
                continue;
            const struct pass pass = pass_at(plan, s, next[s]);
            const int from = pass.is_backward ? s + 1 : s - 1, m = pass.micro_batch;
            const bool is_free = from < 0 || from == plan->stages;
            if (!is_free && end[pass.is_backward][from][m] == 0)
                continue;
            double start = is_free ? 0 : end[pass.is_backward][from][m];
            start = start > free_at[s] ? start : free_at[s];
            free_at[s] =
                pass.is_backward ? backward_pass(r, s, start) : forward_pass(r, s, start);
            end[pass.is_backward][s][m] = free_at[s];
            last = free_at[s] > last ? free_at[s] : last;
            next[s]++;
            left--;
        }
    *us = last + 5000; // the optimizer
}

void traces_run(const struct trace_plan *plan, struct trace_kernels stages[TRACE_STAGES])
{
    struct run r = {.plan = plan, .stages = stages, .random = {7}};
    double us = 1000;
    memset(stages, 0, TRACE_STAGES * sizeof *stages);
    cr_assert(plan->stages <= TRACE_STAGES && plan->micro_batches < PASSES);
    for (r.step = 0; r.step < plan->steps; r.step++)
        run_step(&r, &us);
}

void traces_free(struct trace_kernels stages[TRACE_STAGES])
{
    for (int s = 0; s < TRACE_STAGES; s++)
        free(stages[s].rows);
}

// ---- files --------------------------------------------------------------------------------------

#define CLOCK 1710408000000000LL // us of the first step

static const char *ascend_type(enum trace_kind kind)
{
    static const char *const types[] = {"FlashAttentionScore", "FlashAttentionScoreGrad",
                                        "GroupedMatmul", "MatMulV2"};
    return types[kind];
}

static void write_table(const struct trace_kernels *kernels, bool mindspore, FILE *out)
{
    fprintf(out,
            "%sDevice_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Input Shapes\n",
            mindspore ? "" : "Step Id,");
    for (size_t i = 0; i < kernels->n; i++) {
        const struct trace_kernel *k = &kernels->rows[i];
        const char *type = ascend_type(k->kind);
        if (mindspore)
            fprintf(out, "0,Default/network/FlashAttention-FlashAttention/%s-op%zu,%s,", type,
                    i, type);
        else
            fprintf(out, "%d,0,aclnn%s_%s_%s,%s,", k->step + 12, type, type, type, type);
        fprintf(out, "AI_CORE,%lld.%03d\t,%.3f,\"\"\"[2,4096]\"\"\"\n",
                CLOCK + (long long)k->us, (int)((k->us - (long long)k->us) * 1000),
                k->duration);
        fprintf(out, "%s0,aclnnFlashAttentionScore_PadAiCore_Pad,Pad,AI_VECTOR_CORE,N/A,1,\n",
                mindspore ? "" : "12,");
    }
}

static void write_bare(const struct trace_kernels *kernels, FILE *out)
{
    fprintf(out, "[{\"name\": \"x\", \"ph\": \"M\"}");
    for (size_t i = 0; i < kernels->n; i++) {
        const struct trace_kernel *k = &kernels->rows[i];
        const char *type = ascend_type(k->kind);
        fprintf(out,
                ",\n{\"name\": \"aclnn%s_%s_%s\", \"tid\": 2, \"ts\": %.3f, \"dur\": %.3f, "
                "\"ph\": \"X\"}",
                type, type, type, k->us, k->duration);
    }
    fprintf(out, "]\n");
}

static void write_view(const struct trace_kernels *kernels, FILE *out)
{
    fprintf(out,
            "[{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": "
            "\"Ascend Hardware\"}}");
    for (size_t i = 0; i < kernels->n; i++) {
        const struct trace_kernel *k = &kernels->rows[i];
        const char *type = ascend_type(k->kind);
        fprintf(
            out,
            ",\n{\"name\": \"aclnn%s_%s_%s\", \"pid\": 9, \"tid\": 3, \"ts\": \"%lld.000\", "
            "\"dur\": 3.0, \"ph\": \"X\"}", // of the host, without '@'
            type, type, type, CLOCK + (long long)k->us - 60);
        fprintf(
            out,
            ",\n{\"name\": \"AscendCL@aclnn%s\", \"pid\": 9, \"tid\": 1, \"ts\": \"%lld.000\", "
            "\"dur\": 3.0, \"ph\": \"X\", \"args\": {\"id\": %zu}}",
            type, CLOCK + (long long)k->us - 50, i);
        fprintf(
            out,
            ",\n{\"name\": \"aclnn%s_%s_%s\", \"pid\": 1, \"tid\": 2, \"ts\": \"%lld.%03d\", "
            "\"dur\": %.3f, \"ph\": \"X\", \"args\": {\"Task Type\": \"AI_CORE\", \"Stream "
            "Id\": "
            "2, \"Task Id\": %zu}}",
            type, type, type, CLOCK + (long long)k->us,
            (int)((k->us - (long long)k->us) * 1000), k->duration, i);
    }
    fprintf(out, "]\n");
}

static const char *cuda_name(enum trace_kind kind, bool cudnn)
{
    static const char *const flash[] = {
        "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128> >(Params)",
        "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Traits<128>>(Params)",
        "void cutlass::device_kernel<cutlass::gemm::GroupProblemShape<cute::tuple<int> > >(P)",
        "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT",
    };
    static const char *const dnn[] = {
        "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1",
        "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x128_1x4x1",
        "_moe_permute_kernel",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
    };
    return cudnn ? dnn[kind] : flash[kind];
}

static void write_marks(const struct trace_kernels *kernels, FILE *out)
{
    for (size_t i = 0; i < kernels->n; i++)
        if (i == 0 || kernels->rows[i].step != kernels->rows[i - 1].step)
            fprintf(out,
                    ",\n{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": "
                    "\"ProfilerStep#%d\", \"pid\": 7, \"tid\": 7, \"ts\": %.3f, \"dur\": 1.0}",
                    kernels->rows[i].step + 5, kernels->rows[i].us - 500);
}

static void write_kineto(const struct trace_kernels *kernels, bool cudnn, int rank, FILE *out)
{
    fprintf(out, "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0}],");
    if (rank >= 0)
        fprintf(out,
                " \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, \"pg\": [{}]},",
                rank);
    fprintf(out,
            " \"traceEvents\": [\n{\"ph\": \"M\", \"name\": \"process_name\", \"args\": {}}");
    write_marks(kernels, out);
    for (size_t i = 0; i < kernels->n; i++) {
        const struct trace_kernel *k = &kernels->rows[i];
        fprintf(out,
                ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::_flash_attn\", "
                "\"pid\": 7, "
                "\"tid\": 7, \"ts\": %.3f, \"dur\": 1.5, \"args\": {\"External id\": %zu}}",
                k->us - 400, i);
        fprintf(
            out,
            ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7, "
            "\"ts\": %.3f, \"dur\": %.3f, \"args\": {\"stream\": 7, \"warps per SM\": inf}}",
            cuda_name(k->kind, cudnn), k->us, k->duration);
        if (k->kind == TRACE_BACKWARD)
            fprintf(
                out,
                ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
                "pytorch_flash::flash_bwd_dot_do_o_kernel<a>(b)\", \"ts\": %.3f, \"dur\": 1}",
                k->us - 2);
    }
    fprintf(
        out,
        ",\n{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", \"ts\": 1, "
        "\"args\": {\"Total Reserved\": 2147483648, \"Total Allocated\": 1073741824, \"Device "
        "Type\": 1}}");
    fprintf(out, "\n], \"traceName\": \"x\"}\n");
}

void traces_write(const struct trace_kernels *kernels, enum trace_form form, int rank,
                  const char *path)
{
    FILE *out = fopen(path, "w");
    cr_assert_not_null(out, "%s", path);
    if (form == TRACE_KERNEL_DETAILS || form == TRACE_MINDSPORE)
        write_table(kernels, form == TRACE_MINDSPORE, out);
    else if (form == TRACE_VIEW)
        write_view(kernels, out);
    else if (form == TRACE_BARE)
        write_bare(kernels, out);
    else
        write_kineto(kernels, form == TRACE_CUDNN, rank, out);
    fclose(out);
}
