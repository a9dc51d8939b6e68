// SPDX-License-Identifier: Apache-2.0
// Timelines as CSV: the exact lines.
#include "engine/trace/trace_write.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const tracks[] = {"compute", "down", NULL};
static const char *const kinds[] = {"forward", "fwd_prop", NULL};
static const char *const counters[] = {"memory_gib", NULL};

// Writes a limit, a level and three segments.
static char *write_trace(const char *chunk)
{
    const struct pps_trace_names names = {.group = "gpu",
                                          .item = "micro_batch",
                                          .flag = "throttled",
                                          .tracks = tracks,
                                          .kinds = kinds,
                                          .counters = counters,
                                          .chunk = chunk};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct pps_tracecsv csv = {&names, out};
    pps_tracecsv_begin(&csv);
    const struct pps_trace_sink sink = pps_tracecsv_sink(&csv);
    sink.limit(sink.self, &(struct pps_limit){3, 0, 64});
    sink.level(sink.self, &(struct pps_level){3, 0, 1.5, 20.25});
    sink.piece(sink.self, &(struct pps_piece){0, 0, 0, 0, 1, 0, 1, 1, false, 0});
    sink.piece(sink.self, &(struct pps_piece){0, 1, 1, 1, 2, 1, 2.1, 0.5, true, 2});
    sink.piece(sink.self,
               &(struct pps_piece){5, 1, 1, 2, 3, 3, 4, 0.30000000000000004, false, 0});
    fclose(out);
    return text;
}

// Catches columns in another order, numbers that do not read back, and counters that are lost.
Test(tracecsv, one_line_a_piece)
{
    char *text = write_trace(NULL);
    cr_assert_str_eq(text, "kind,micro_batch,gpu,start,end,rate,throttled\n"
                           "memory_gib limit,,3,,,64,\n"
                           "memory_gib,,3,1.5,,20.25,\n"
                           "forward,0,0,0,1,1,0\n"
                           "fwd_prop,1,0,1,2.1,0.5,1\n"
                           "fwd_prop,2,5,3,4,0.30000000000000004,0\n");
    free(text);
}

// Catches chunks that are lost, and rows with another number of cells.
Test(tracecsv, chunks_follow_the_flag)
{
    char *text = write_trace("chunk");
    cr_assert_str_eq(text, "kind,micro_batch,gpu,start,end,rate,throttled,chunk\n"
                           "memory_gib limit,,3,,,64,,\n"
                           "memory_gib,,3,1.5,,20.25,,\n"
                           "forward,0,0,0,1,1,0,0\n"
                           "fwd_prop,1,0,1,2.1,0.5,1,2\n"
                           "fwd_prop,2,5,3,4,0.30000000000000004,0,0\n");
    free(text);
}
