// SPDX-License-Identifier: Apache-2.0
// Names of kernels: which kernels are the attention of a layer, forward or backward, and which run
// the experts of a mixture-of-experts layer. Thread-safe.
#pragma once

#include <stddef.h>

enum kernel_kind {
    KERNEL_OTHER,
    KERNEL_FORWARD,  // attention, once per layer and pass
    KERNEL_BACKWARD, // attention, once per layer and pass
    KERNEL_EXPERTS,
};

// Names given by the user, as parts of kernel names; NULL: the known names.
struct kernel_names {
    const char *forward, *backward;
};

// Returns the kind of a kernel. `name` of n bytes need not end with NUL. Known are the kernels of:
// Ascend (FlashAttentionScore, FlashAttentionScoreGrad), FlashAttention 2 and 3, cuDNN's fused
// attention (also by Transformer Engine), memory-efficient attention, FlexAttention, Triton and ROCm.
// Kernels that only prepare or finish a pass of attention are KERNEL_OTHER.
enum kernel_kind kernel_kind_of(const struct kernel_names *names, const char *name, size_t n);

enum { KERNEL_NAME_CAP = 96 };

// Writes the short form of a name for messages: without the arguments of templates and functions,
// without the scopes and the number of a MindSpore operator. At most KERNEL_NAME_CAP bytes with the
// final NUL. Returns `out`.
const char *kernel_name_short(char *out, const char *name, size_t n);
