// SPDX-License-Identifier: Apache-2.0
// Configurations of trainings, drawn at random.
#pragma once

#include "kernels/configuration/configuration.h"
#include "tests/unit/support/random.h"

// Draws a configuration that has an order, with uneven layers and mixed recomputation. The caller frees it.
struct configuration drawn_configuration(struct random *r);
