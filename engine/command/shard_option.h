// SPDX-License-Identifier: Apache-2.0
// Chooses the shard of a sweep that this process computes, from --shard or from the launcher.
#pragma once

#include "engine/command/command.h"
#include "engine/space/shard.h"

enum { PPS_SHARD_SOURCE = 64 };

// Reads --shard K/N, auto or auto/N. Sets count to 0 if the option is not given. Writes the
// variable that auto used to `source`, or "".
PPS_MUST_CHECK enum pps_status pps_shard_choose(const struct pps_args *args,
                                                struct pps_shard *shard,
                                                char source[PPS_SHARD_SOURCE],
                                                struct pps_error *err);
