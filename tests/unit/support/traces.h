// SPDX-License-Identifier: Apache-2.0
// Makes profiles of training runs from known layer times: a pipeline in the 1F1B order, written as the
// profilers of Ascend and PyTorch write it. The right layer times are those of the plan.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACE_STAGES = 8 };

// Times in us.
struct trace_plan {
    int stages, micro_batches, steps;
    int layers[TRACE_STAGES];
    unsigned recomputed[TRACE_STAGES]; // bit l: layer l of the stage
    int dense;                         // leading layers without experts
    bool has_experts;
    double dense_fw, dense_bw, moe_fw, moe_bw;
    double head;   // forward and backward, on the last stage
    double noise;  // relative, of every layer
    bool together; // recomputed layers of a pass run again before the first backward of them
    int per_layer; // attention kernels per layer and pass; 0: 1
};

enum trace_kind { TRACE_FORWARD, TRACE_BACKWARD, TRACE_EXPERTS, TRACE_MATRIX };

struct trace_kernel {
    double us, duration;
    enum trace_kind kind;
    int step;
};

struct trace_kernels {
    struct trace_kernel *rows;
    size_t n, room;
};

// Runs the plan; stages[s] are the kernels of stage s in order of their starts. The caller frees them
// with traces_free().
void traces_run(const struct trace_plan *plan, struct trace_kernels stages[TRACE_STAGES]);
void traces_free(struct trace_kernels stages[TRACE_STAGES]);

enum trace_form {
    TRACE_KERNEL_DETAILS, // kernel_details.csv of torch_npu, with Step Id
    TRACE_MINDSPORE,      // kernel_details.csv of MindSpore, without Step Id
    TRACE_VIEW,           // trace_view.json of torch_npu
    TRACE_BARE,           // the same with names and times only
    TRACE_FLASH,          // PyTorch, FlashAttention 2
    TRACE_CUDNN,          // PyTorch, cuDNN
};

// Writes the kernels of a rank among others that are not kernels of layers. rank -1: the file does not
// name it.
void traces_write(const struct trace_kernels *kernels, enum trace_form form, int rank,
                  const char *path);
