// SPDX-License-Identifier: Apache-2.0
// Cuts sequences.
#include "kernels/balance/model/sequence.h"

#define MIB 1048576.0

int32_t balance_pieces_of(const struct balance_training *training, int32_t pieces)
{
    if (training->sequence / pieces >= BALANCE_TOKENS_LEAST || pieces == 1)
        return pieces;
    if (pieces == 2 || training->sequence < BALANCE_TOKENS_LEAST)
        return 1;
    return (int32_t)(training->sequence / BALANCE_TOKENS_LEAST);
}

void balance_cut_sequence(struct balance_layers *layers, const struct balance_training *t,
                          int32_t pieces)
{
    const double q = pieces, w = (double)t->tensor_parallel,
                 tokens = (double)t->batch * (double)t->sequence, part = 1 - 1 / q;
    const int64_t head_size = t->hidden / t->heads;
    const double kv = 2 * tokens * (double)(t->heads * head_size) / w / MIB,
                 u = 2 * tokens * (double)t->hidden / MIB,
                 wide = 2 * tokens * (double)t->intermediate / MIB,
                 z = 4 * tokens * (double)t->vocabulary / w / MIB;
    layers->head /= q;
    layers->tail /= q;
    layers->head_backward /= q;
    layers->tail_backward /= q;
    layers->transfer /= q;
    layers->forward /= q;
    layers->head_activation_mb /= q;
    layers->head_working_mb /= q;
    layers->has[BALANCE_FULL] = false;
    for (int k = 0; k < BALANCE_KINDS; k++) {
        layers->backward[k] /= q;
        if (layers->has[k])
            layers->activation_mb[k] = (layers->activation_mb[k] - 2 * kv) / q + 2 * kv;
    }
    layers->parameter_mb += 4 * kv;
    layers->head_mb -= part * (t->tensor_parallel > 1 ? 2 * u / w + u : u + wide);
    layers->tail_mb -= 2 * part * z;
}
