// SPDX-License-Identifier: Apache-2.0
// Reads batches of samples from lines, one batch at a time, in three forms that the first line tells apart:
//
//   text   one batch per line: samples separated by blanks, each a length or two lengths as in 512,128; # starts a comment, and
//          - alone is a batch without samples
//   CSV    a header with the columns batch, enc and maybe dec; a sample a row; rows of a batch follow each other
//   JSONL  one batch per line: [512, 128], [[512, 128], [90, 30]] or {"batch": "name", "samples": [...]}
#pragma once

#include "kernels/dynapipe/split/samples.h"
#include "ppsweep/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BATCH_NAME = 64 };

struct batch {
    char name[BATCH_NAME];   // as the input names it, or its number from 0
    int64_t number;          // from 0; batches that are refused count
    int line;                // of its first sample
    int32_t count;           // samples, or ready micro-batches
    int32_t *input, *target; // [count] lengths; target: -1 where a sample has one length
    int32_t *rows;           // [count] of ready micro-batches; 0: a sample
    size_t room;
};

void batch_free(struct batch *batch); // a zeroed struct is allowed

// Returns the samples of a batch, or its ready micro-batches, for a network with or without a decoder.
struct split_samples batch_samples(const struct batch *batch, bool has_decoder, int32_t offset);

struct batch_reader;

enum batch_fed {
    BATCH_MORE,  // the line completes no batch
    BATCH_READY, // *batch is complete; if the fault has a text, the batch behind it is refused
    BATCH_REFUSED, // the fault has line and column; the batch is lost, the next line may follow
    BATCH_NO_MEMORY,
};

// Returns NULL if memory runs out.
struct batch_reader *batch_reader_open(void);
void batch_reader_close(struct batch_reader *reader); // NULL is allowed

// Takes the next line of n bytes, with or without its line break. A batch that is ready is moved to *batch, whose arrays
// are used again.
enum batch_fed batch_reader_line(struct batch_reader *reader, const char *line, size_t n,
                                 struct batch *batch, struct pps_fault *fault);

// Returns the number of the batch that was refused last.
int64_t batch_reader_refused(const struct batch_reader *reader);

// Takes the end of the input: a batch of CSV may be ready.
enum batch_fed batch_reader_end(struct batch_reader *reader, struct batch *batch,
                                struct pps_fault *fault);
