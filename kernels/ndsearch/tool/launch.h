// SPDX-License-Identifier: Apache-2.0
// A strategy in the words of the frameworks that run it: arguments for Megatron-LM's pretrain_gpt.py,
// a configuration file for torchtitan. Names of options as Megatron Core 0.12 and torchtitan 0.2 have
// them; what is not about the strategy, the batch or the model's shape (data, learning rate, devices'
// addresses) is left to the user.
#ifndef PPS_NDSEARCH_LAUNCH_H
#define PPS_NDSEARCH_LAUNCH_H

#include "kernels/ndsearch/strategy.h"

#include "kernels/common/modeldesc.h"
#include "kernels/common/textroom.h"
#include "kernels/common/training.h"

struct nd_launch {
    const struct modeldesc *model;
    const struct training *training;
    const struct nd_strategy *strategy;
    const int32_t *layers; // [chunk * pp + stage], MTP layers included
};

// Shell words, an option a line, each line but the last ended by a backslash.
void nd_launch_megatron(struct textroom *text, const struct nd_launch *launch);

// Comments say what the framework cannot do as asked.
void nd_launch_torchtitan(struct textroom *text, const struct nd_launch *launch);

#endif
