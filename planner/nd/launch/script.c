// SPDX-License-Identifier: Apache-2.0
// Writes launch scripts.
#include "planner/nd/launch/script.h"

#include <inttypes.h>

void nd_launch_script(struct text_buffer *text,
                      const struct nd_launch *launch,
                      int64_t devices,
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
