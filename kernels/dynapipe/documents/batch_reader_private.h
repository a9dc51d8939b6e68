// SPDX-License-Identifier: Apache-2.0
// Shares what the readers of batches need.
#pragma once

#include "kernels/dynapipe/documents/batch_reader.h"

// Adds a sample (rows: 0), or a ready micro-batch. Returns false if memory runs out.
bool batch_add(struct batch *batch, int32_t rows, int32_t input, int32_t target);

// Fills a fault at a byte of a line.
enum batch_fed batch_refuse(struct pps_fault *fault, int line, size_t at, const char *what);

// Reads a batch from a line of JSON; its name and samples replace those of *batch.
enum batch_fed batch_read_json(const char *line, size_t n, int line_number, struct batch *batch,
                               struct pps_fault *fault);
