// SPDX-License-Identifier: Apache-2.0
// Configurations of trainers that shard a model over data-parallel ranks: the Hugging Face Trainer with
// DeepSpeed or FSDP, LLaMA-Factory, Accelerate and verl.
#pragma once

#include "kernels/frameworks/form/form.h"

extern const struct framework_form trainer_script_form, trainer_yaml_form, accelerate_form,
    deepspeed_form, verl_script_form, verl_yaml_form, bridge_python_form, bridge_script_form;
