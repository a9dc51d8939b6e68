// SPDX-License-Identifier: Apache-2.0
// Tests of the names of kernels.
#include "planner/profiles/kernels/kernel_name.h"

#include <criterion/criterion.h>
#include <string.h>

// Names as profilers write them. Kernels that prepare or finish a pass, and kernels within the scope of
// attention, would be counted as layers.
Test(kernel_name, kinds)
{
    static const struct {
        const char *name;
        enum kernel_kind kind;
    } cases[] = {
        {"aclnnFlashAttentionScore_FlashAttentionScore_FlashAttentionScore", KERNEL_FORWARD},
        {"aclnnFlashAttentionScoreGrad_FlashAttentionScoreGrad_FlashAttentionScoreGrad",
         KERNEL_BACKWARD},
        {"aclnnFlashAttentionScore_PadAiCore_Pad", KERNEL_OTHER},
        {"FlashAttentionScore", KERNEL_FORWARD},
        {"Default/network/core_attention-FlashAttention/FlashAttentionScore-op12",
         KERNEL_FORWARD},
        {"Gradients/Default/network/FlashAttention/gradFlashAttentionScore/"
         "FlashAttentionScoreGrad-op3",
         KERNEL_BACKWARD},
        {"Default/network/core_attention-FlashAttention/Transpose-op4", KERNEL_OTHER},
        {"RingAttentionUpdate", KERNEL_OTHER},
        {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128> >(Params)",
         KERNEL_FORWARD},
        {"void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128> >(P)",
         KERNEL_BACKWARD},
        {"void flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<128> >(P)",
         KERNEL_OTHER},
        {"void flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<128> >(P)", KERNEL_OTHER},
        {"void flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128> >(P)",
         KERNEL_OTHER},
        {"void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<x> > >(P)",
         KERNEL_FORWARD},
        {"void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnBwdSm90<x> > >(P)",
         KERNEL_BACKWARD},
        {"void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<x> >(P)", KERNEL_OTHER},
        {"void cutlass::device_kernel<flash::FlashAttnBwdPostprocessConvertdQ<x> >(P)",
         KERNEL_OTHER},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7", KERNEL_FORWARD},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26",
         KERNEL_BACKWARD},
        {"void cudnn::fusion::compute_dot_do_o_specialized<true, bf16>(x)", KERNEL_OTHER},
        {"void cudnn::fusion::convert_dq_to_16bits<false, bf16>(x)", KERNEL_OTHER},
        {"fmha_cutlassF_bf16_aligned_64x128_rf_sm80(AttentionKernel::Params)", KERNEL_FORWARD},
        {"fmha_cutlassB_bf16_aligned_128x64_k128_sm80(Params)", KERNEL_BACKWARD},
        {"triton_tem_fused_flex_attention_0", KERNEL_FORWARD},
        {"triton_tem_fused_flex_attention_backward_1", KERNEL_BACKWARD},
        {"GroupedMatmul", KERNEL_EXPERTS},
        {"void cutlass::device_kernel<gemm::GroupProblemShape<cute::tuple<int> > >(P)",
         KERNEL_EXPERTS},
        {"nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", KERNEL_OTHER},
        {"MatMulV2", KERNEL_OTHER},
        {"", KERNEL_OTHER},
    };
    static const struct kernel_names names = {NULL, NULL};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_assert_eq(kernel_kind_of(&names, cases[i].name, strlen(cases[i].name)),
                     cases[i].kind, "%s: %d", cases[i].name,
                     (int)kernel_kind_of(&names, cases[i].name, strlen(cases[i].name)));
}

// Short names for messages.
Test(kernel_name, short_names)
{
    static const char *const cases[][2] = {
        {"void at::native::elementwise_kernel<128, 4>(int)", "at::native::elementwise_kernel"},
        {"void at::native::(anonymous namespace)::Cat<float, 3>(x)",
         "at::native::(anonymous namespace)::Cat"},
        {"Default/network/Mul-op12", "Mul"},
        {"aclnnMul_MulAiCore_Mul", "aclnnMul_MulAiCore_Mul"},
        {"<x>", "<x>"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[KERNEL_NAME_CAP];
        cr_assert_str_eq(kernel_name_short(out, cases[i][0], strlen(cases[i][0])), cases[i][1]);
    }
}
