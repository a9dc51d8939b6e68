// SPDX-License-Identifier: Apache-2.0
// Prints the answers of the balance commands.
#pragma once

#include "planner/balance/solution.h"

#include <stdio.h>

// Prints the times and memory of the layers.
void balance_show_layers(const struct balance_layers *layers, FILE *out);

// Prints the task, one table of all strategies, and the first strategy in the published form.
PPS_MUST_CHECK enum pps_status balance_show(const struct balance_request *request,
                                            const struct balance_solution *solution, FILE *out,
                                            struct pps_error *err);
