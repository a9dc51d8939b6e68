// SPDX-License-Identifier: Apache-2.0
// Says of which layers the parts of a configuration are made, so that other splits of the same layers can be
// found: equal layers, a head with the leading layers that differ from them, and a tail.
#pragma once

#include "kernels/common/plan/plan_layers.h"
#include "kernels/configuration/price.h"

// Returns why the parts are not made of such layers, as one clause; NULL: they are. Modules that predict several tokens
// belong to the tail, also where they are before the last part (configuration_sends_more).
const char *configuration_layers_misfit(const struct configuration *configuration);

// Sets the layers and how many of each kind the parts have, [PLAN_RECOMPUTES][n_parts]. Layers and split give the times
// and the memory of configuration_price, where every part of a device has a layer and all modules are in the last one.
void configuration_layers(const struct configuration *configuration, struct plan_layers *layers,
                          int32_t *split);

// Sets the layers but for their number. Of the parts only the first one matters, for its leading layers.
void configuration_layers_priced(const struct configuration *configuration,
                                 const struct configuration_figures *figures,
                                 struct plan_layers *layers);
