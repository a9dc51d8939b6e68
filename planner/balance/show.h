// SPDX-License-Identifier: Apache-2.0
// Prints the answers of the balance commands.
#ifndef PPS_PLANNER_BALANCE_SHOW_H
#define PPS_PLANNER_BALANCE_SHOW_H

#include "planner/balance/solution.h"

#include <stdio.h>

// Prints the task, and one table of all strategies.
void balance_show(const struct balance_request *request,
                  const struct balance_solution *solution,
                  FILE *out);

#endif
