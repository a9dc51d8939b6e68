// SPDX-License-Identifier: Apache-2.0
// Prints a strategy as the launch arguments of a training framework. Data, optimizer settings,
// learning rate and addresses of devices are left to the user.
//
// Names, types and constraints of the arguments follow these public sources:
//   Megatron-LM, Megatron Core 0.14 to 0.19: megatron/training/arguments.py and
//   megatron/core/transformer/transformer_config.py, branches core_r0.14.0 (32ad5c89a6) to
//   core_r0.19.0 (f8837c04ef);
//   torchtitan 0.2.2: torchtitan/config/job_config.py and torchtitan/distributed, tag v0.2.2
//   (73a0e6979d).
//
// An argument means what the estimate prices. A comment line (#) states each difference that the
// framework cannot express; a comment that begins with "does not start:" names a constraint of the
// framework that the strategy violates.
#pragma once

#include "kernels/common/estimate/strategy.h"

#include "base/text/text_buffer.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"

struct nd_launch {
    const struct modeldesc *model;
    const struct training *training;
    const struct nd_strategy *strategy;
    const int32_t *layers; // [chunk * pp + stage], MTP layers included
    bool fused_ce;         // the estimate prices a fused cross-entropy
};

// Writes shell words: one option per line, each line but the last ended by a backslash. Comment
// lines come after the options, so that the options can follow a command that ends in a backslash.
void nd_launch_megatron(struct text_buffer *text, const struct nd_launch *launch);

// Writes a TOML file. Comment lines come first.
void nd_launch_torchtitan(struct text_buffer *text, const struct nd_launch *launch);

// ---- facts that both frameworks need ----

// ZeRO level that the estimate prices: 0 without a distributed optimizer.
static inline int nd_launch_zero(const struct nd_launch *launch)
{
    return launch->training->distributed_optimizer ? launch->training->zero_level : 0;
}

// Devices that share an optimizer state.
static inline int32_t nd_launch_shards(const struct nd_strategy *s)
{
    return s->op > 0 ? s->op : s->dp;
}

// Expert tensor ranks.
static inline int32_t nd_launch_etp(const struct nd_launch *launch)
{
    return launch->training->expert_tensor_parallel ? launch->strategy->tp : 1;
}
