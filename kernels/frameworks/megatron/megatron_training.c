// SPDX-License-Identifier: Apache-2.0
// Turns batches, sharding and kernels into the training part of a run document.
#include "kernels/frameworks/megatron/megatron_private.h"

static size_t at_of(const struct megatron *m, enum megatron_key key)
{
    return megatron_has(m, key) ? m->values[key].at : m->at;
}

static bool put_number(const struct megatron *m,
                       const char *name,
                       double x,
                       enum megatron_key from)
{
    return framework_put_number(m->r, FRAMEWORK_TRAINING, name, x, at_of(m, from));
}

static bool put_flag(const struct megatron *m,
                     const char *name,
                     bool on,
                     enum megatron_key from)
{
    return framework_put_bool(m->r, FRAMEWORK_TRAINING, name, on, at_of(m, from));
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
    if (gbs % batch != 0)
        return megatron_fail(m, MG_GBS,
                             "%lld is not a multiple of --micro-batch-size x replicas = %lld x "
                             "%lld",
                             (long long)gbs, (long long)mbs, (long long)m->dp);
    return framework_put_number(m->r, FRAMEWORK_BASELINE, "micro_batches",
                                (double)(gbs / batch), at_of(m, MG_GBS));
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

// ---- bytes and kernels -----------------------------------------------------------------------

static bool put_bytes(const struct megatron *m)
{
    const bool half = megatron_has(m, MG_BF16) || megatron_has(m, MG_FP16);
    const bool wide = megatron_has(m, MG_FP32_GRADIENTS) ||
                      (megatron_has(m, MG_BF16) && !megatron_has(m, MG_BF16_REDUCE));
    return put_number(m, "bytes_param", half ? 2 : 4, MG_BF16) &&
           put_number(m, "bytes_grad", !half || wide ? 4 : 2, MG_BF16_REDUCE);
}

static bool put_kernels(const struct megatron *m)
{
    const bool unfused = megatron_is(m, MG_BACKEND, "unfused", "local");
    const bool local = megatron_is(m, MG_IMPLEMENTATION, "local", NULL);
    const bool flash = megatron_has(m, MG_FLASH) || (!unfused && !local);
    return put_flag(m, "flash_attention", flash,
                    megatron_has(m, MG_BACKEND) ? MG_BACKEND : MG_FLASH) &&
           put_flag(m, "fused_cross_entropy", megatron_has(m, MG_FUSED_CE), MG_FUSED_CE);
}

bool megatron_read_training(struct megatron *m)
{
    const bool split = m->etp > 1;
    return put_batches(m) && put_sharding(m) && put_bytes(m) && put_kernels(m) &&
           (megatron_number(m, MG_EXPERTS, 0) == 0 ||
            framework_put_text(m->r, FRAMEWORK_TRAINING, "expert_tensor_parallel",
                               split ? "tp" : "1", at_of(m, MG_ETP)));
}
