// SPDX-License-Identifier: Apache-2.0
// A reader of needed blocks reads only those blocks of a result that can contain rows which pass the
// filters of a view. The manifest describes the points, and the index says which points a block
// holds, so blocks are chosen before any of them is decompressed.
#pragma once

#include "base/text/status.h"
#include "engine/read/result.h"
#include "ppsweep/kernel.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct pps_view;

// Chooses the blocks for an open view. *blocks is NULL if the whole file has to be read: it is not a
// complete compressed result with its index and a manifest of this program, it is a sample, no filter
// uses parameters alone, or at least half of its bytes are needed. Returns PPS_E_STOPPED soon after
// the flag `stop` is set. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_needed_blocks_open(struct pps_needed_blocks **blocks,
                                                      const struct pps_view *view,
                                                      const struct pps_kernel *const *kernels,
                                                      const atomic_bool *stop,
                                                      struct pps_error *err);
void pps_needed_blocks_close(struct pps_needed_blocks *blocks); // NULL is fine

// Writes up to cap bytes of the rows of one block to out; *n is 0 only at the end. *skipped is the
// number of rows that were left out before these. PPS_E_INPUT if the block does not match the index.
PPS_MUST_CHECK enum pps_status pps_needed_blocks_read(struct pps_needed_blocks *blocks,
                                                      char *out, size_t cap, size_t *n,
                                                      uint64_t *skipped, struct pps_error *err);

// Returns the fraction of the chosen blocks that has been read.
double pps_needed_blocks_part(const struct pps_needed_blocks *blocks);

struct pps_block_counts pps_needed_blocks_counts(const struct pps_needed_blocks *blocks);
