// SPDX-License-Identifier: Apache-2.0
// Executes an order as a plain event simulation: slow and simple. It is the oracle of the executor.
#pragma once

#include "kernels/common/executor/executor.h"

// Writes starts and ends, [order_at]. Allocates; returns false when out of memory. release, poll: may be
// NULL.
bool reference_run(const struct pipeline *pipeline, const struct order *order,
                   const double *release, struct poll *poll, double *starts, double *ends,
                   enum executor_status *status);

// The same with blocking messages, as executor_run_blocking. The set of operations is right.
bool reference_run_blocking(const struct pipeline *pipeline, const struct order *order,
                            const struct order_messages *messages, double *starts, double *ends,
                            enum executor_status *status);
