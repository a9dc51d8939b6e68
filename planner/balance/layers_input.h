// SPDX-License-Identifier: Apache-2.0
// Reads the layers of the balance commands.
#pragma once

#include "planner/balance/request.h"

// Reads the layers of the first word, which may be a plan, or a training that is priced on the cluster of the second
// word, or of --model-name in --layer-folder. Prints a warning for keys without a meaning. The caller frees the request
// with balance_request_free in every case.
PPS_MUST_CHECK enum pps_status balance_read_layers(struct balance_request *request,
                                                   const struct pps_args *args,
                                                   struct pps_error *err);
