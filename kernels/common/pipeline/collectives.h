// SPDX-License-Identifier: Apache-2.0
// Computes the time in s of primitive operations on a device: matrix products, memory traffic,
// collectives.
#ifndef PPS_COMMON_PIPELINE_COLLECTIVES_H
#define PPS_COMMON_PIPELINE_COLLECTIVES_H

#include "kernels/common/description/hardware.h"

double hardware_gemm(const struct hardware *hw, double m, double n, double k);
double hardware_stream(const struct hardware *hw, double bytes);
// An all-gather over `ranks` ranks that are `stride` devices apart; `bytes` of the full buffer. An
// all-reduce takes twice as long.
double hardware_gather(const struct hardware *hw, int64_t ranks, int64_t stride, double bytes);
// `bytes` are sent by each rank; the ranks are neighbours.
double hardware_all_to_all(const struct hardware *hw, int64_t ranks, double bytes);

#endif
