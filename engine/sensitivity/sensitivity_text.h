// SPDX-License-Identifier: Apache-2.0
// Writes an analysis of sensitivity: as tables for people, as CSV, as JSON, and as the data of
// plot_scripts/tornado.gp.
#pragma once

#include "engine/sensitivity/sensitivity.h"

#include <stdio.h>

// Writes a table for every group, and what a reader must know.
PPS_MUST_CHECK enum pps_status pps_sensitivity_table(const struct pps_sensitivity *s, FILE *out,
                                                     struct pps_error *err);

// Writes one line for every factor and member of every group. A column of which the analysis has no
// values is empty.
void pps_sensitivity_csv(const struct pps_sensitivity *s, FILE *out);

// Writes one JSON object.
void pps_sensitivity_json(const struct pps_sensitivity *s, FILE *out);

enum { PPS_TORNADO_PANELS = 4, PPS_TORNADO_BARS = 12 };

// Writes the data of a tornado picture: a panel for each of the first PPS_TORNADO_PANELS groups, with the
// PPS_TORNADO_BARS largest factors of each. The picture states what is left out.
void pps_sensitivity_tornado(const struct pps_sensitivity *s, FILE *out);

// Returns what the numbers of a group are, as one word: grid, rows, sample, saltelli or morris.
const char *pps_sensitivity_kind_name(enum pps_sensitivity_kind kind);
