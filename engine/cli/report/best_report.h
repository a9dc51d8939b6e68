// SPDX-License-Identifier: Apache-2.0
// Reports what `ppsweep best` found.
#pragma once

#include "engine/optimise/best_search.h"

#include <stdio.h>

// Prints on stderr the best point of every group, how it compares with the best cell of the grid, and the
// next commands.
void pps_best_report_print(const struct pps_best_search *search, const char *path);

void pps_best_report_json(const struct pps_best_search *search, const char *path, FILE *out);
