// SPDX-License-Identifier: Apache-2.0
// Declares the commands balance, balance fit, balance layers, balance guide, balance peaks and balance replay.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command balance_command, balance_fit_command, balance_layers_command,
    balance_guide_command, balance_peaks_command, balance_replay_command;

// Asks the questions of the published guide, and prints configurations.
PPS_MUST_CHECK enum pps_status balance_guide_ask(struct pps_error *err);
