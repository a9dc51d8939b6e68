// SPDX-License-Identifier: Apache-2.0
// Configurations of Megatron-LM and MindSpeed: launch scripts, argument lists and YAML files.
#pragma once

#include "kernels/frameworks/form/form.h"

extern const struct framework_form megatron_script_form, megatron_yaml_form;
