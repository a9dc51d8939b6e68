// SPDX-License-Identifier: Apache-2.0
// Recognises kernels by parts of their names.
#include "planner/profiles/kernels/kernel_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LOOKED_AT = 512 }; // bytes of a name; templates may be far longer

struct rule {
    const char *one, *other; // parts in lower case; other NULL: none
    enum kernel_kind kind;
};

// The first rule whose parts are in the name decides.
static const struct rule RULES[] = {
    // Kernels before and after the pass itself.
    {"preprocess", NULL, KERNEL_OTHER},
    {"postprocess", NULL, KERNEL_OTHER},
    {"dot_do_o", NULL, KERNEL_OTHER},
    {"convert_dq", NULL, KERNEL_OTHER},
    {"convert_dkv", NULL, KERNEL_OTHER},
    {"clear_dkv", NULL, KERNEL_OTHER},
    {"splitkv_combine", NULL, KERNEL_OTHER},
    {"fwdcombine", NULL, KERNEL_OTHER},
    {"ringattentionupdate", NULL, KERNEL_OTHER},
    // Ascend: MindSpore and torch_npu.
    {"flashattention", "grad", KERNEL_BACKWARD},
    {"flashattention", "score", KERNEL_FORWARD},
    // FlashAttention 2: flash_fwd_kernel, flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel.
    {"flash_bwd", NULL, KERNEL_BACKWARD},
    {"flash_fwd", NULL, KERNEL_FORWARD},
    // FlashAttention 3: FlashAttnFwdSm90, FlashAttnBwdSm90.
    {"flashattnbwd", NULL, KERNEL_BACKWARD},
    {"flashattnfwd", NULL, KERNEL_FORWARD},
    // cuDNN: cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_...
    {"sdpa", "bprop", KERNEL_BACKWARD},
    {"sdpa", "fprop", KERNEL_FORWARD},
    {"sdpa", "bwd", KERNEL_BACKWARD},
    {"sdpa", "fwd", KERNEL_FORWARD},
    {"flash_bprop", NULL, KERNEL_BACKWARD},
    {"flash_fprop", NULL, KERNEL_FORWARD},
    // PyTorch and xFormers: fmha_cutlassF_bf16_aligned_64x128_rf_sm80.
    {"fmha_cutlassb", NULL, KERNEL_BACKWARD},
    {"fmha_cutlassf", NULL, KERNEL_FORWARD},
    // FlexAttention: triton_tem_fused_flex_attention_0, ..._flex_attention_backward_1.
    {"flex_attention_backward", NULL, KERNEL_BACKWARD},
    {"flex_attention", NULL, KERNEL_FORWARD},
    // ROCm and Triton. The part of a backward pass that computes dq only does not count.
    {"bwd_kernel_dk_dv", NULL, KERNEL_BACKWARD},
    {"bwd_kernel_dq", NULL, KERNEL_OTHER},
    {"fmha_bwd", NULL, KERNEL_BACKWARD},
    {"fmhabwd", NULL, KERNEL_BACKWARD},
    {"fmha_fwd", NULL, KERNEL_FORWARD},
    {"fmhafwd", NULL, KERNEL_FORWARD},
    {"attn_bwd_dq", NULL, KERNEL_OTHER},
    {"attn_bwd", NULL, KERNEL_BACKWARD},
    {"attn_fwd", NULL, KERNEL_FORWARD},
    {"flash_attn", "backward", KERNEL_BACKWARD},
    {"flash_attn", "forward", KERNEL_FORWARD},
    // Experts: grouped products and permutations of tokens.
    {"groupedmatmul", NULL, KERNEL_EXPERTS},
    {"groupedgemm", NULL, KERNEL_EXPERTS},
    {"grouped_gemm", NULL, KERNEL_EXPERTS},
    {"group_gemm", NULL, KERNEL_EXPERTS},
    {"grouped_mm", NULL, KERNEL_EXPERTS},
    {"groupproblemshape", NULL, KERNEL_EXPERTS},
    {"moetoken", NULL, KERNEL_EXPERTS},
    {"moeinitrouting", NULL, KERNEL_EXPERTS},
    {"moegating", NULL, KERNEL_EXPERTS},
    {"moe_", NULL, KERNEL_EXPERTS},
    {"deep_ep", NULL, KERNEL_EXPERTS},
};

// Returns the last part of a MindSpore name such as Default/network/FlashAttention/Mul-op12.
static const char *behind_scopes(const char *name, size_t *n)
{
    if (memchr(name, '<', *n) != NULL || memchr(name, '(', *n) != NULL)
        return name; // C++
    const char *slash = memrchr(name, '/', *n);
    if (slash == NULL)
        return name;
    *n -= (size_t)(slash + 1 - name);
    return slash + 1;
}

// Returns the last part of a torch_npu name such as aclnnFlashAttentionScore_PadAiCore_Pad: the
// kernel that ran for the function at the start of the name.
static const char *behind_function(const char *name, size_t *n)
{
    const char *line = *n > 5 && memcmp(name, "aclnn", 5) == 0 ? memrchr(name, '_', *n) : NULL;
    if (line == NULL)
        return name;
    *n -= (size_t)(line + 1 - name);
    return line + 1;
}

static bool has(const char *lower, const char *part)
{
    return part == NULL || strstr(lower, part) != NULL;
}

enum kernel_kind kernel_kind_of(const struct kernel_names *names, const char *name, size_t n)
{
    char lower[LOOKED_AT + 1];
    if (names->forward != NULL && memmem(name, n, names->forward, strlen(names->forward)))
        return KERNEL_FORWARD;
    if (names->backward != NULL && memmem(name, n, names->backward, strlen(names->backward)))
        return KERNEL_BACKWARD;
    name = behind_scopes(name, &n);
    name = behind_function(name, &n);
    n = n < LOOKED_AT ? n : LOOKED_AT;
    for (size_t i = 0; i < n; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    lower[n] = '\0';
    for (size_t k = 0; k < sizeof RULES / sizeof RULES[0]; k++) {
        if (!has(lower, RULES[k].one) || !has(lower, RULES[k].other))
            continue;
        const bool is_given = (RULES[k].kind == KERNEL_FORWARD && names->forward != NULL) ||
                              (RULES[k].kind == KERNEL_BACKWARD && names->backward != NULL);
        return is_given ? KERNEL_OTHER : RULES[k].kind;
    }
    return KERNEL_OTHER;
}

const char *kernel_name_short(char *out, const char *name, size_t n)
{
    static const char result[] = "void ";
    name = behind_scopes(name, &n);
    if (n >= sizeof result - 1 && memcmp(name, result, sizeof result - 1) == 0) {
        name += sizeof result - 1;
        n -= sizeof result - 1;
    }
    static const char anonymous[] = "(anonymous namespace)";
    const size_t skip = sizeof anonymous - 1;
    size_t stop = 0;
    while (stop < n && name[stop] != '<' && name[stop] != '(')
        stop += n - stop > skip && memcmp(name + stop + 1, anonymous, skip) == 0 ? skip + 1 : 1;
    if (stop > 0)
        n = stop;
    size_t digits = n;
    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    if (digits >= 3 && digits < n && memcmp(name + digits - 3, "-op", 3) == 0)
        n = digits - 3;
    n = n < KERNEL_NAME_CAP - 1 ? n : KERNEL_NAME_CAP - 1;
    while (n > 0 && n == KERNEL_NAME_CAP - 1 && (name[n] & 0xc0) == 0x80)
        n--;
    memcpy(out, name, n);
    out[n] = '\0';
    return out;
}
