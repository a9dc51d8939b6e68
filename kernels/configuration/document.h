// SPDX-License-Identifier: Apache-2.0
// Configurations as documents: run documents with model, cluster, training and strategy, as plans carry them, and
// the plan of a step.
#pragma once

#include "kernels/common/plan/plan.h"
#include "kernels/configuration/step.h"

struct cJSON;

// Returns {"model": {...}, "cluster": {...}, "training": {...}, "baseline": {...}}, from which the readers of these
// parts and configuration_read make the same configuration; NULL: out of memory. The caller frees it.
struct cJSON *configuration_document(const struct configuration *configuration);

// Returns the plan of a step: its work, its order, of which layers it is made, and the configuration. The caller
// frees it with plan_free. NULL: out of memory.
struct plan *configuration_plan(const struct configuration *configuration,
                                const struct configuration_step *step);
