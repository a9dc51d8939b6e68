// SPDX-License-Identifier: Apache-2.0
// Cuts bytes into lines for the reader of batches.
#include "planner/dynapipe/batch_source.h"

#include "base/system/text_reader.h"
#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 }; // bytes that are read at once

enum pps_status batch_source_open(struct batch_source *s, const char *path,
                                  const atomic_bool *stop, struct pps_error *err)
{
    s->reader = batch_reader_open();
    return s->reader == NULL
               ? pps_fail_memory(err, "the reader")
               : pps_text_source_open_stoppable(&s->source, path, false, stop, err);
}

void batch_source_close(struct batch_source *s)
{
    if (s->source != NULL)
        pps_text_source_close(s->source);
    batch_reader_close(s->reader);
    free(s->text);
}

// Reads more bytes behind those that are not taken yet.
static enum pps_status read_more(struct batch_source *s, struct pps_error *err)
{
    size_t n;
    if (s->at > 0)
        memmove(s->text, s->text + s->at, s->n - s->at);
    s->n -= s->at;
    s->at = 0;
    char *text = pps_grow(s->text, &s->room, s->n + PIECE, 1);
    if (text == NULL)
        return pps_fail_memory(err, "the input");
    s->text = text;
    const enum pps_status status =
        pps_text_source_read(s->source, s->text + s->n, PIECE, &n, err);
    s->at_end = status == PPS_OK && n == 0;
    s->n += status == PPS_OK ? n : 0;
    return status;
}

enum pps_status batch_source_next(struct batch_source *s, struct batch *batch,
                                  enum batch_fed *fed, struct pps_fault *fault,
                                  struct pps_error *err)
{
    for (*fed = BATCH_MORE; *fed == BATCH_MORE && !s->is_over;) {
        const size_t left = s->n - s->at;
        const char *line = left > 0 ? s->text + s->at : "",
                   *end = left > 0 ? memchr(line, '\n', left) : NULL;
        if (end == NULL && !s->at_end) {
            const enum pps_status status = read_more(s, err);
            if (status != PPS_OK)
                return status;
            continue;
        }
        const size_t n = end != NULL ? (size_t)(end - line) + 1 : left;
        s->is_over = n == 0;
        *fed = s->is_over ? batch_reader_end(s->reader, batch, fault)
                          : batch_reader_line(s->reader, line, n, batch, fault);
        s->at += n;
    }
    return PPS_OK;
}
