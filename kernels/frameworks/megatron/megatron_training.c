// SPDX-License-Identifier: Apache-2.0
// Turns batches, sharding and kernels into the training part of a run document.
#include "kernels/frameworks/megatron/megatron_private.h"

#include <math.h>
#include <string.h>

static bool put_number(const struct megatron *m, const char *name, double x,
                       enum megatron_key from)
{
    return framework_put_number(m->r, FRAMEWORK_TRAINING, name, x, megatron_at(m, from));
}

static bool put_flag(const struct megatron *m, const char *name, bool on,
                     enum megatron_key from)
{
    return framework_put_bool(m->r, FRAMEWORK_TRAINING, name, on, megatron_at(m, from));
}

// ---- batches ---------------------------------------------------------------------------------

static bool put_batches(const struct megatron *m)
{
    const int64_t mbs = megatron_number(m, MG_MBS, 1), batch = mbs * m->dp;
    const int64_t gbs = megatron_number(m, MG_GBS, batch);
    if (gbs > 0 && !put_number(m, "gbs", (double)gbs, MG_GBS))
        return false;
    if (batch == 0)
        return true;
    if (gbs % batch != 0) {
        megatron_cannot_run(m, MG_GBS,
                            "%lld is not a multiple of --micro-batch-size x replicas = %lld x "
                            "%lld",
                            (long long)gbs, (long long)mbs, (long long)m->dp);
        return true;
    }
    return framework_put_number(m->r, FRAMEWORK_BASELINE, "micro_batches",
                                (double)(gbs / batch), megatron_at(m, MG_GBS));
}

// ---- sharding --------------------------------------------------------------------------------

static int zero_level(const struct megatron *m)
{
    if (megatron_has(m, MG_FSDP2))
        return 3;
    if (!megatron_has(m, MG_FSDP))
        return megatron_has(m, MG_SHARDED) ? 1 : 0;
    return megatron_is(m, MG_SHARDING, "no_shard", NULL)      ? 0
           : megatron_is(m, MG_SHARDING, "optim", NULL)       ? 1
           : megatron_is(m, MG_SHARDING, "optim_grads", NULL) ? 2
                                                              : 3;
}

static bool put_sharding(const struct megatron *m)
{
    const int zero = zero_level(m);
    const enum megatron_key from = megatron_has(m, MG_FSDP2)  ? MG_FSDP2
                                   : megatron_has(m, MG_FSDP) ? MG_FSDP
                                                              : MG_SHARDED;
    return put_flag(m, "use_distributed_optimizer", zero > 0, from) &&
           (zero == 0 || put_number(m, "zero_level", zero, from));
}

// ---- kernels ---------------------------------------------------------------------------------

// Without a value in the file, the kind of attention decides (training.h).
static bool put_dropout(const struct megatron *m)
{
    const char *text = m->values[MG_HIDDEN_DROPOUT].text;
    double share;
    if (!megatron_has(m, MG_HIDDEN_DROPOUT))
        return true;
    if (!number_text_read(text, strlen(text), &share))
        return megatron_fail(m, MG_HIDDEN_DROPOUT, "expected a number, not \"%.40s\"", text);
    return put_flag(m, "dropout", share > 0, MG_HIDDEN_DROPOUT);
}

bool megatron_has_flash(const struct megatron *m)
{
    const bool unfused = megatron_is(m, MG_BACKEND, "unfused", "local");
    const bool local = megatron_is(m, MG_IMPLEMENTATION, "local", NULL);
    return megatron_has(m, MG_FLASH) || (!unfused && !local);
}

static bool put_kernels(const struct megatron *m)
{
    return put_flag(m, "flash_attention", megatron_has_flash(m),
                    megatron_has(m, MG_BACKEND) ? MG_BACKEND : MG_FLASH) &&
           put_flag(m, "fused_cross_entropy", megatron_has(m, MG_FUSED_CE), MG_FUSED_CE) &&
           put_dropout(m);
}

// A share of the optimizer state, and what the first layers of every stage store.
static bool put_offload(const struct megatron *m)
{
    const char *text = m->values[MG_OFFLOAD_FRACTION].text;
    const double layers = (double)megatron_number(m, MG_LAYERS, 1),
                 moved = (double)megatron_number(m, MG_OFFLOAD_LAYERS, 0) * (double)m->pp;
    double share = 1;
    if (megatron_has(m, MG_OFFLOAD_FRACTION) &&
        (!number_text_read(text, strlen(text), &share) || !(share >= 0 && share <= 1)))
        return megatron_fail(m, MG_OFFLOAD_FRACTION,
                             "expected a number from 0 to 1, not \"%.40s\"", text);
    return (!megatron_has(m, MG_OFFLOAD_OPTIMIZER) ||
            put_number(m, "offload_optimizer", share, MG_OFFLOAD_OPTIMIZER)) &&
           (moved == 0 ||
            put_number(m, "offload_activations", fmin(moved / layers, 1), MG_OFFLOAD_LAYERS));
}

// Without modules there are no adapters, whatever their rank.
static bool put_adapters(const struct megatron *m)
{
    return m->adapters == 0 ||
           framework_put_adapters(m->r, megatron_number(m, MG_LORA_RANK, 16), m->adapters,
                                  megatron_at(m, MG_LORA_MODULES));
}

bool megatron_read_training(struct megatron *m)
{
    const bool split = m->etp > 1;
    return put_batches(m) && put_sharding(m) && megatron_read_bytes(m) && put_kernels(m) &&
           megatron_read_stack(m) && put_adapters(m) && put_offload(m) &&
           (megatron_number(m, MG_EXPERTS, 0) == 0 ||
            framework_put_text(m->r, FRAMEWORK_TRAINING, "expert_tensor_parallel",
                               split ? "tp" : "1", megatron_at(m, MG_ETP)));
}
