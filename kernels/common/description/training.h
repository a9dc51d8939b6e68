// SPDX-License-Identifier: Apache-2.0
// Describes the training, independent of the parallel strategy: batch, bytes per parameter, sharding
// level.
#pragma once

#include "base/document/fault.h"
#include "kernels/common/description/stack.h"

#include <stdbool.h>
#include <stdint.h>

enum { TRAINING_MBS_MAX = 16 };

enum training_schedule {
    TRAINING_ANY_SCHEDULE, // by the number of virtual chunks
    TRAINING_1F1B,         // one chunk a stage
    TRAINING_VPP,          // interleaved: two chunks or more
    TRAINING_ZERO_BUBBLE,  // gradients of weights fill the bubble (ZB-H1): one chunk a stage
    TRAINING_DUALPIPE,     // micro-batches from both ends, every device has two stages
};

// Modules that mode select of recomputation makes again, as Megatron-LM names them.
enum training_module {
    TRAINING_CORE_ATTN = 1,
    TRAINING_LAYERNORM = 2,
    TRAINING_MOE_ACT = 4,
    TRAINING_MLA_UP_PROJ = 8,
    TRAINING_MLP = 16, // of dense layers
    TRAINING_MOE = 32,
    TRAINING_SHARED_EXPERTS = 64,
};

enum { TRAINING_MODULE_WORDS = 96 };

// Writes the names of modules, with blanks between them.
void training_module_words(unsigned modules, char text[TRAINING_MODULE_WORDS]);

// Matrices of a layer that may have adapters, as Megatron Bridge names them: of queries, keys and values
// together or apart, and of the two or three of a feed-forward network.
enum training_adapter {
    TRAINING_LINEAR_QKV = 1,
    TRAINING_LINEAR_PROJ = 2,
    TRAINING_LINEAR_FC1 = 4,
    TRAINING_LINEAR_FC2 = 8,
    TRAINING_LINEAR_Q = 16,
    TRAINING_LINEAR_K = 32,
    TRAINING_LINEAR_V = 64,
    TRAINING_LINEAR_FC1_GATE = 128,
    TRAINING_LINEAR_FC1_UP = 256,
    // The first ones of a block, and all of a feed-forward network.
    TRAINING_LINEAR_FIRST =
        TRAINING_LINEAR_QKV | TRAINING_LINEAR_Q | TRAINING_LINEAR_K | TRAINING_LINEAR_V,
    TRAINING_LINEAR_NETWORK_FIRST =
        TRAINING_LINEAR_FC1 | TRAINING_LINEAR_FC1_GATE | TRAINING_LINEAR_FC1_UP,
    TRAINING_LINEAR_NETWORK = TRAINING_LINEAR_NETWORK_FIRST | TRAINING_LINEAR_FC2,
};

// Numbers that the linear layers multiply. The router, the head and attention stay in bf16.
enum training_precision {
    TRAINING_BF16,
    TRAINING_FP8,   // 8 bits, one scale per tensor or block
    TRAINING_MXFP8, // 8 bits, one scale for 32 numbers
};

struct training {
    int64_t gbs;                   // sequences a step
    int64_t mbs[TRAINING_MBS_MAX]; // micro-batch sizes to try
    int n_mbs;
    int zero_level;             // 0 none, 1 optimizer, 2 and gradients, 3 and parameters
    bool zero_given;            // a document sets zero_level
    bool distributed_optimizer; // false: no sharding at all
    double bytes_param, bytes_grad, bytes_optim; // per parameter
    bool expert_tensor_parallel; // experts are split over tp too (etp = tp); otherwise etp = 1
    bool flash_attention;
    bool fused_cross_entropy;
    int64_t
        loss_chunks; // pieces of a micro-batch whose losses are computed one after the other
    enum training_schedule schedule;
    bool low_mem_vpp; // the interleaved order with the low warm-up
    enum training_precision precision;
    unsigned recompute_modules; // bits of enum training_module; 0: those of the stack
    struct stack stack;         // name "": the default for the level of ZeRO
    bool dropout;               // masks of dropout are kept
    bool dropout_given;         // a document sets dropout; otherwise flash_attention decides
    bool frozen; // weights have no gradients and no optimizer state, except those of adapters
    int64_t lora_rank;     // of adapters (LoRA); 0: there are none
    unsigned lora_modules; // bits of enum training_adapter
    // What stays in the memory of the host, and comes to the device when it is needed.
    double offload_optimizer; // share of the optimizer state, whose parameters the host updates
    double offload_activations; // share of what layers store from forward to backward,
    double offload_checkpoints; // and of the inputs of layers that are made again wholly
    bool
        offload_parameters; // with level 3 of ZeRO: shards of parameters, gradients and optimizer state
    bool dummy_wgrad; // gradients accumulate in the matrix product: one buffer per matrix shape
};

// Returns the word of a schedule in documents; "" for any.
const char *training_schedule_word(enum training_schedule schedule);

// Returns whether the schedule allows this number of stages and of chunks per stage.
static inline bool training_allows_chunks(const struct training *training, int64_t stages,
                                          int64_t chunks)
{
    switch (training->schedule) {
    case TRAINING_1F1B:
    case TRAINING_ZERO_BUBBLE:
        return chunks == 1;
    case TRAINING_VPP:
        return chunks > 1 || stages == 1;
    case TRAINING_DUALPIPE:
        return chunks == 1 && (stages % 2 == 0 || stages == 1);
    case TRAINING_ANY_SCHEDULE:
        break;
    }
    return true;
}

// Returns the word of a precision in documents.
const char *training_precision_word(enum training_precision precision);

// Returns what the device lacks for products of this precision, as "has no ..."; NULL: nothing.
const char *training_precision_lacks(enum training_precision precision,
                                     const struct hardware *hardware);

// Sets flash_attention, and dropout where no document sets it: a stack that writes attention scores is
// of the time when models were trained with dropout.
static inline void training_set_flash(struct training *training, bool flash)
{
    training->flash_attention = flash;
    if (!training->dropout_given)
        training->dropout = !flash;
}

// The stack of the training, or the default: fsdp for levels 2 and 3 of ZeRO, otherwise
// megatron-tuned.
const struct stack *training_stack(const struct training *training);

struct cJSON;
struct docfields;

void training_default(struct training *training);
// Reads a document; a field without a key keeps its value. Unknown keys are refused.
bool training_read(struct training *training, const struct cJSON *document,
                   struct pps_fault *fault);

// Returns the training as a document that training_read reads as the same training, also on top of the default;
// NULL: out of memory. The caller frees it.
struct cJSON *training_document(const struct training *training);

// Keys that training_read takes.
const struct docfields *training_keys(void);
