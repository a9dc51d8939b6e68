// SPDX-License-Identifier: Apache-2.0
// Writes arguments of Megatron-LM.
#include "planner/balance/report/megatron_flags.h"

#include "kernels/common/plan/layout_text.h"

#include <stdlib.h>

void balance_megatron_layout(const struct balance_strategy *strategy, struct text_buffer *text)
{
    const int32_t p = strategy->stages, n = p * strategy->chunks;
    int32_t *layers = calloc((size_t)n, sizeof *layers);
    text->failed = text->failed || layers == NULL;
    for (int32_t k = 0; k < n && layers != NULL; k++)
        layers[k] = balance_chunk_layers(strategy, k / p, k % p);
    if (layers != NULL)
        layout_text_write(layers, (size_t)n, text);
    free(layers);
}

// Returns whether the layers of the first and the last stage describe the strategy: all chunks of a stage are equal,
// and so are all stages between. first, last: layers of the stage in all its chunks.
static bool balance_megatron_ends(const struct balance_strategy *strategy, int32_t *first,
                                  int32_t *last)
{
    const int32_t p = strategy->stages;
    for (int32_t s = 0; s < p; s++) {
        const int32_t like = s == 0 || s == p - 1 ? s : 1,
                      n = balance_chunk_layers(strategy, 0, like);
        for (int32_t v = 0; v < strategy->chunks; v++)
            if (balance_chunk_layers(strategy, v, s) != n)
                return false;
    }
    *first = strategy->chunks * balance_chunk_layers(strategy, 0, 0);
    *last = strategy->chunks * balance_chunk_layers(strategy, 0, p - 1);
    return true;
}

void balance_megatron_flags(const struct balance_layers *layers,
                            const struct balance_strategy *strategy, struct text_buffer *text)
{
    const int32_t p = strategy->stages, v = strategy->chunks;
    int32_t first, last;
    text_buffer_add(text,
                    "--num-layers %d --pipeline-model-parallel-size %d "
                    "--pipeline-model-parallel-layout '",
                    layers->layers, p);
    balance_megatron_layout(strategy, text);
    text_buffer_add(text, "'\n");
    if (p < 2 || !balance_megatron_ends(strategy, &first, &last))
        return;
    text_buffer_add(text, "--num-layers %d --pipeline-model-parallel-size %d", layers->layers,
                    p);
    if (v > 1)
        text_buffer_add(text, " --num-virtual-stages-per-pipeline-rank %d", v);
    if (first * p != layers->layers || last * p != layers->layers)
        text_buffer_add(text,
                        " --decoder-first-pipeline-num-layers %d "
                        "--decoder-last-pipeline-num-layers %d",
                        first, last);
    text_buffer_add(text, "\n");
}
