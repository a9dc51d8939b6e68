// SPDX-License-Identifier: Apache-2.0
// Arguments of the Hugging Face Trainer and of LLaMA-Factory, whichever form of file has them.
#pragma once

#include "kernels/frameworks/trainer/trainer_private.h"

extern const struct trainer_dialect trainer_arguments;

// Fills a training from its arguments. factory: they are those of LLaMA-Factory, which has other defaults. Returns
// false with the fault of t->r filled.
bool trainer_fill(struct trainer *t, bool factory);
