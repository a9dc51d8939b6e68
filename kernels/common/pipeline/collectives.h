// SPDX-License-Identifier: Apache-2.0
// Computes the time in s of primitive operations on a device: matrix products, memory traffic,
// collectives.
#pragma once

#include "kernels/common/description/hardware.h"

double hardware_gemm(const struct hardware *hw, double m, double n, double k);
// The same with 8-bit factors.
double hardware_gemm_fp8(const struct hardware *hw, double m, double n, double k);
// Several products of one shape in one kernel.
double hardware_grouped_gemm(const struct hardware *hw, double products, double m, double n,
                             double k);
double hardware_stream(const struct hardware *hw, double bytes);
// From the device to the memory of its host, or back.
double hardware_host(const struct hardware *hw, double bytes);
// What so many kernels that are bound by memory take besides; 0 where it was not measured.
double hardware_kernels(const struct hardware *hw, double kernels);
// FLOP/s of the attention kernel forward, for slices of so many tokens and heads of a size. `half`: tokens
// at which it is half as fast where the device has no measurement.
double hardware_attention_rate(const struct hardware *hw, double tokens, double half,
                               double size);
// Bytes/s of a ring over `ranks` ranks that are `stride` devices apart.
double hardware_link_rate(const struct hardware *hw, int64_t ranks, int64_t stride);
// An all-gather over `ranks` ranks that are `stride` devices apart; `bytes` of the full buffer. An
// all-reduce takes twice as long.
double hardware_gather(const struct hardware *hw, int64_t ranks, int64_t stride, double bytes);
// The same in buckets of the stack: each passes around the ring by itself.
double hardware_buckets(const struct hardware *hw, int64_t ranks, int64_t stride, double bytes);
// `bytes` are sent by each rank; the ranks are neighbours. At most the share `across` of the bytes
// leaves the node: less than (nodes - 1) / nodes where tokens travel to each node once.
double hardware_all_to_all(const struct hardware *hw, int64_t ranks, double bytes,
                           double across);
// Nodes that a group of neighbours touches.
double hardware_nodes(const struct hardware *hw, int64_t ranks);
