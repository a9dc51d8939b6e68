// SPDX-License-Identifier: Apache-2.0
// Derives the precision of products and the bytes of parameters, gradients and optimizer states.
#include "kernels/frameworks/megatron/megatron_private.h"

static bool put_number(const struct megatron *m, const char *name, double x,
                       enum megatron_key from)
{
    return framework_put_number(m->r, FRAMEWORK_TRAINING, name, x, megatron_at(m, from));
}

// ---- precision -------------------------------------------------------------------------------

static bool put_precision(const struct megatron *m)
{
    const bool blocks = megatron_is(m, MG_FP8_RECIPE, "mxfp8", NULL);
    if (megatron_has(m, MG_FP4) && !megatron_not_modelled(m, MG_FP4))
        return false;
    if (!megatron_has(m, MG_FP8))
        return true;
    if (megatron_is(m, MG_FP8_RECIPE, "custom", NULL) &&
        !megatron_not_modelled(m, MG_FP8_RECIPE))
        return false;
    return framework_put_text(m->r, FRAMEWORK_TRAINING, "precision", blocks ? "mxfp8" : "fp8",
                              megatron_at(m, blocks ? MG_FP8_RECIPE : MG_FP8));
}

// ---- bytes -----------------------------------------------------------------------------------

// Returns the bytes of a number of the type that a key names; without the key: of fp32.
static double bytes_of(const struct megatron *m, enum megatron_key key)
{
    return megatron_is(m, key, "bf16", "fp16") ? 2 : megatron_is(m, key, "fp8", NULL) ? 1 : 4;
}

static bool is_half(const struct megatron *m)
{
    return megatron_has(m, MG_BF16) || megatron_has(m, MG_FP16);
}

static bool has_8bit_parameters(const struct megatron *m)
{
    return megatron_has(m, MG_FP8) && megatron_has(m, MG_FP8_PARAMETERS);
}

// Types of the optimizer's numbers hold with --use-precision-aware-optimizer only.
static double gradient_bytes(const struct megatron *m)
{
    const bool wide = megatron_has(m, MG_FP32_GRADIENTS) ||
                      (megatron_has(m, MG_BF16) && !megatron_has(m, MG_BF16_REDUCE));
    if (!is_half(m))
        return 4;
    if (megatron_has(m, MG_PRECISION_AWARE) && megatron_has(m, MG_MAIN_GRADIENTS))
        return bytes_of(m, MG_MAIN_GRADIENTS);
    return wide ? 4 : 2;
}

// Returns the bytes of the parameters that the optimizer keeps beside those of the model.
static double main_bytes(const struct megatron *m)
{
    const bool aware = megatron_has(m, MG_PRECISION_AWARE);
    const double bytes = aware ? bytes_of(m, MG_MAIN_PARAMETERS) : 4;
    if (!is_half(m))
        return 0;
    // The upper half of a number in fp32 is the parameter in bf16.
    return aware && bytes == 4 && megatron_has(m, MG_BF16) && !has_8bit_parameters(m) ? 2
                                                                                      : bytes;
}

static double moment_bytes(const struct megatron *m)
{
    const bool aware = megatron_has(m, MG_PRECISION_AWARE);
    const double first = aware ? bytes_of(m, MG_FIRST_MOMENT) : 4;
    const double second = aware ? bytes_of(m, MG_SECOND_MOMENT) : 4;
    return megatron_is(m, MG_OPTIMIZER, "sgd", "lion") ? first : first + second;
}

static bool put_optimizer(const struct megatron *m)
{
    const bool known = !megatron_has(m, MG_OPTIMIZER) ||
                       megatron_is(m, MG_OPTIMIZER, "adam", "adamw") ||
                       megatron_is(m, MG_OPTIMIZER, "sgd", "lion");
    return (known || megatron_not_modelled(m, MG_OPTIMIZER)) &&
           put_number(m, "bytes_optim", main_bytes(m) + moment_bytes(m),
                      megatron_has(m, MG_PRECISION_AWARE) ? MG_PRECISION_AWARE : MG_OPTIMIZER);
}

bool megatron_read_bytes(const struct megatron *m)
{
    const bool narrow = has_8bit_parameters(m);
    return put_precision(m) &&
           put_number(m, "bytes_param",
                      narrow       ? 1
                      : is_half(m) ? 2
                                   : 4,
                      narrow ? MG_FP8_PARAMETERS : MG_BF16) &&
           put_number(m, "bytes_grad", gradient_bytes(m), MG_BF16_REDUCE) && put_optimizer(m);
}
