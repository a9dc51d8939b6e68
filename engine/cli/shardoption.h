// SPDX-License-Identifier: Apache-2.0
// Which shard of a sweep this process computes: --shard, or what a launcher says.
#ifndef PPS_CLI_SHARDOPTION_H
#define PPS_CLI_SHARDOPTION_H

#include "command.h"
#include "engine/shard.h"

enum { PPS_SHARD_SOURCE = 64 };

// --shard K/N, auto or auto/N. count is 0 where it is not given. source is what auto went by, or
// "" where it chose nothing.
PPS_MUST_CHECK enum pps_status pps_shard_choose(const struct pps_args *args,
                                                struct pps_shard *shard,
                                                char source[PPS_SHARD_SOURCE],
                                                struct pps_error *err);

#endif
