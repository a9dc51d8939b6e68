// SPDX-License-Identifier: Apache-2.0
// Declares the commands that search, rank and split: nd, nd rank, nd pipeline and nd calibrate.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command nd_command;
extern const struct pps_command nd_search_command;
extern const struct pps_command nd_rank_command;
extern const struct pps_command nd_pipeline_command;
extern const struct pps_command nd_calibrate_command;
