// SPDX-License-Identifier: Apache-2.0
// A result of six blocks, which tests interrupt and resume.
#pragma once

#include "engine/store/output.h"
#include "engine/store/whole_prefix.h"
#include "tests/unit/support/files.h"

#define HEADER   "n,total_time\n"
#define MANIFEST "{\"rows\": 3}\n"

enum { N_BLOCKS = 6, N_REASONS = 2 };

// Enters an empty folder and writes whole.csv.gz, the result without an interruption.
void six_enter(void);

struct pps_output_plan six_plan(const char *path);
struct pps_output *six_open(const struct pps_output_plan *plan);

// Writes the first n blocks, then stops as after an interrupt.
void six_write_some(const char *path, int n);

// Appends the blocks from `first` on and finishes the result.
void six_end(struct pps_output *output, int first);

// Resumes a.csv.gz, which must keep `kept` blocks (-1: not even the header line), and finishes
// it. `what` names the case in errors.
void six_resumes(int kept, const char *what);

// Changes one bit of byte `at`.
void flip_bit(const char *path, size_t at);
