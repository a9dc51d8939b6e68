// SPDX-License-Identifier: Apache-2.0
// Lists the dynaplan commands.
#pragma once

#include "engine/command/command.h"

extern const struct pps_command dynaplan_command;
extern const struct pps_command dynaplan_check_command;
extern const struct pps_command dynaplan_tables_command;
