// SPDX-License-Identifier: Apache-2.0
// Declares the commands of the engine, one object per command, defined in the file with the
// name of the command.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command pps_command_run;
extern const struct pps_command pps_command_plan;
extern const struct pps_command pps_command_eval;
extern const struct pps_command pps_command_trace;
extern const struct pps_command pps_command_plot;
extern const struct pps_command pps_command_slice;
extern const struct pps_command pps_command_top;
extern const struct pps_command pps_command_diff;
extern const struct pps_command pps_command_convert;
extern const struct pps_command pps_command_sensitivity;
extern const struct pps_command pps_command_best;
extern const struct pps_command pps_command_report;
extern const struct pps_command pps_command_verify;
extern const struct pps_command pps_command_merge;
extern const struct pps_command pps_command_kernels;
extern const struct pps_command pps_command_bench;
