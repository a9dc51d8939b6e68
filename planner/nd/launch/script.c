// SPDX-License-Identifier: Apache-2.0
// Writes launch scripts.
#include "planner/nd/launch/script.h"

#include <inttypes.h>

// ---- profile line -------------------------------------------------------------------------------

enum { DENSE_LAYERS = 3 }; // at the start of a profiled model with experts

void nd_launch_profile_run(struct text_buffer *text, const struct nd_profile_run *run,
                           const struct modeldesc *model, const struct training *training,
                           int64_t micro_batches)
{
    struct nd_strategy strategy = run->strategy;
    struct modeldesc small = *model;
    struct training batch = *training;
    strategy.vp = 1;
    strategy.mbs = strategy.mbs < 1 ? 1 : strategy.mbs;
    strategy.ep = strategy.ep < 1 ? 1 : strategy.ep;
    small.num_layers = run->layers;
    small.mtp_depth = 0;
    small.dense_layers = small.experts == 0 ? run->layers : DENSE_LAYERS;
    batch.gbs = micro_batches * strategy.mbs * strategy.dp;
    const struct nd_launch launch = {&small, &batch, &strategy, run->split,
                                     training->fused_cross_entropy};
    text_buffer_add(text,
                    "\n# The same run as a launch line; add data, tokenizer and optimizer.\n"
                    "torchrun --nnodes $NNODES --nproc_per_node $GPUS_PER_NODE pretrain_gpt.py "
                    "\\\n--profile \\\n--profile-step-start $PROFILE_STEP_START \\\n"
                    "--profile-step-end $PROFILE_STEP_END \\\n--profile-ranks %d %d \\\n",
                    run->record_ranks[0], run->record_ranks[1]);
    nd_launch_megatron(text, &launch);
    text_buffer_add(text, "\n");
}

// ---- script -------------------------------------------------------------------------------------

void nd_launch_script(struct text_buffer *text, const struct nd_launch *launch, int64_t devices,
                      int64_t node_devices)
{
    const int64_t per_node =
                      node_devices > 0 && node_devices < devices ? node_devices : devices,
                  nodes = (devices + per_node - 1) / per_node;
    text_buffer_add(text, "#!/bin/bash\n"
                          "# Run this in the folder of Megatron-LM; give data, tokenizer and "
                          "optimizer as arguments.\n");
    if (nodes > 1)
        text_buffer_add(text, "# Set PET_NODE_RANK on every node, and PET_MASTER_ADDR to the "
                              "first one.\n");
    text_buffer_add(text,
                    "torchrun --nnodes %" PRId64 " --nproc_per_node %" PRId64
                    " pretrain_gpt.py \"$@\" \\\n",
                    nodes, per_node);
    nd_launch_megatron(text, launch);
    text_buffer_add(text, "\n");
}
