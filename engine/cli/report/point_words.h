// SPDX-License-Identifier: Apache-2.0
// Prints a point as the words of a command.
#ifndef PPS_ENGINE_CLI_REPORT_POINT_WORDS_H
#define PPS_ENGINE_CLI_REPORT_POINT_WORDS_H

#include "engine/experiment/experiment.h"

#include <stdint.h>

// Prints `before` and "name=value name=value" of the point with this index on stderr, quoted as a
// shell needs it. Prints nothing without memory.
void pps_say_point(const struct pps_experiment *experiment, uint64_t index, const char *before);

#endif
