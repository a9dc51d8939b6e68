// SPDX-License-Identifier: Apache-2.0
// Writes a result of five blocks and checks the bytes of its files, for tests.
#pragma once

#include "tests/unit/support/files.h"

#include "engine/store/output.h"

#include <xxhash.h>
#include <zlib.h>

#define HEADER   "n,x,total_time\n"
#define MANIFEST "{\"rows\": 3}\n"
#define N_BLOCKS 5

// Writes the text of block i; block 2 has no rows. Returns its length.
size_t block_text(int i, char *out);

char *whole_text(void);

struct pps_output_plan plan_for(const char *path, const char *codec);

// Appends block i, compressed with the plan's codec.
enum pps_status append(struct pps_output *output, const struct pps_output_plan *plan, int i,
                       struct pps_error *err);

struct pps_output *open_output(const struct pps_output_plan *plan);

void append_all(struct pps_output *output, const struct pps_output_plan *plan);

void write_all(const struct pps_output_plan *plan);

// Asserts that the file is one gzip member with this text and a valid checksum.
void is_one_member(const char *path, const char *text);

// Walks the journal of a file with n_blocks blocks and compares every field with the data.
void journal_matches(const char *index_path, const char *data_path, int n_blocks);
