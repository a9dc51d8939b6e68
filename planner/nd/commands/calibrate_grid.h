// SPDX-License-Identifier: Apache-2.0
// Makes the record of a device from a grid of measured kernels: nd calibrate --grid.
#pragma once

#include "engine/command/command.h"

// Reads the file, prints the errors by kind of kernel and the record. device: the known device from whose
// record the fit starts; NULL: the one that the grid names.
PPS_MUST_CHECK enum pps_status nd_calibrate_grid(const char *path, const char *device,
                                                 bool quiet, struct pps_error *err);
