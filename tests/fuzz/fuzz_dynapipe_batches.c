// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as batches in one of three forms. Lengths that are accepted are within their limits, batches are
// numbered one by one, and a batch that is refused has a reason and a line.
#include "kernels/dynapipe/documents/batch_reader.h"
#include "tests/fuzz/support/require.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const struct batch *batch, int64_t *next)
{
    require(batch->number >= *next);
    *next = batch->number + 1;
    for (int32_t i = 0; i < batch->count; i++) {
        require(batch->input[i] >= 0 && batch->input[i] <= SPLIT_LENGTH_MAX);
        require(batch->target[i] >= -1 && batch->target[i] <= SPLIT_LENGTH_MAX);
    }
}

static void take(enum batch_fed fed, const struct batch *batch, const struct pps_fault *fault,
                 int64_t *next)
{
    require(fed != BATCH_NO_MEMORY);
    if (fed == BATCH_READY)
        check(batch, next);
    if (fed == BATCH_REFUSED)
        require(fault->text[0] != '\0' && fault->line > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct batch_reader *reader = batch_reader_open();
    struct batch batch = {.count = 0};
    struct pps_fault fault;
    const char *text = (const char *)data;
    int64_t next = 0;
    require(reader != NULL);
    for (size_t at = 0; at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        const size_t length = end != NULL ? (size_t)(end - text) - at + 1 : n - at;
        take(batch_reader_line(reader, text + at, length, &batch, &fault), &batch, &fault,
             &next);
        at += length;
    }
    take(batch_reader_end(reader, &batch, &fault), &batch, &fault, &next);
    batch_free(&batch);
    batch_reader_close(reader);
    return 0;
}
