// SPDX-License-Identifier: Apache-2.0
// Draws an analysis of sensitivity as a tornado: horizontal bars, the parameter that matters most on top.
#pragma once

#include "base/write/gate.h"
#include "engine/sensitivity/sensitivity.h"

#include <stdatomic.h>

// Draws the picture `path`, which ends in .svg or .png. `result` is the path of the rows. Returns
// PPS_E_INPUT if the file exists and !force, or if nothing varies; PPS_E_STOPPED after a stop.
PPS_MUST_CHECK enum pps_status pps_tornado_draw(const struct pps_sensitivity *s,
                                                const char *path, const char *result,
                                                const struct pps_gate *gate,
                                                const atomic_bool *stop, struct pps_error *err);
