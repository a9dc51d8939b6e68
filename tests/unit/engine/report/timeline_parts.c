// SPDX-License-Identifier: Apache-2.0
// The timeline of one point for a page: lanes, rates, and what is too much to draw.
#include "engine/report/timeline_parts.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const tracks[] = {"compute", "up", NULL};
static const char *const kinds[] = {"backward", "transfer", NULL};
static const struct pps_trace_names names = {.group = "gpu",
                                             .item = "micro_batch",
                                             .flag = "throttled",
                                             .tracks = tracks,
                                             .kinds = kinds,
                                             .end = "total_time"};

static char *text_of(const struct pps_piece *list, size_t n, size_t *counts)
{
    struct pps_timeline_parts parts;
    struct text_buffer json = {.text = NULL};
    pps_timeline_parts_open(&parts, &names);
    const struct pps_trace_sink sink = pps_timeline_parts_sink(&parts);
    for (size_t i = 0; i < n; i++)
        sink.piece(sink.self, &list[i]);
    *counts = pps_timeline_parts_write(&parts, &json);
    cr_assert_leq(*counts, pps_timeline_parts_most(&parts));
    pps_timeline_parts_close(&parts);
    cr_assert_not(json.failed);
    text_buffer_add_bytes(&json, "", 1);
    return json.text;
}

// Catches transfers of one port that cover each other, rates that are lost, and a task of two segments
// that becomes two tasks.
Test(timeline_parts, tasks_that_overlap_have_lanes_of_their_own)
{
    const struct pps_piece pieces[] = {
        {0, 1, 1, 0, 3, 1, 2, 0.5, false, 0},
        {0, 1, 1, 1, 4, 1, 2, 0.5, true, 0},
        {0, 1, 1, 1, 4, 2, 10, 1, false, 0},
    };
    size_t counts;
    char *text = text_of(pieces, 3, &counts);
    cr_expect_eq(counts, 3);
    cr_expect(strstr(text, "\"lanes\":[0,1,0,0,1,1]") != NULL, "%s", text);
    cr_expect(strstr(text, "\"pieces\":[0,1,3,1,2,0,0.5,1,1,4,1,2,1,0.5,1,1,4,2,10,2,1]") !=
                  NULL,
              "%s", text);
    cr_expect(strstr(text, "\"end\":10,\"highest\":1,") != NULL, "%s", text);
    free(text);
}

// Catches a canvas higher than browsers draw: every task of a crowded port has a lane of its own.
Test(timeline_parts, too_many_lanes_are_shown_as_utilisation)
{
    static struct pps_piece pieces[PPS_PAGE_LANES + 1];
    const size_t n = sizeof pieces / sizeof *pieces;
    size_t counts;
    for (size_t i = 0; i < n; i++)
        pieces[i] = (struct pps_piece){0, 1, 1, (int32_t)i, (int32_t)i, 0, 8, 1. / n, false, 0};
    char *text = text_of(pieces, n, &counts);
    cr_expect(strstr(text, "\"pieces\":[],\"lanes\":[0,1,0],\"cells\":{\"tasks\":1501,") !=
                  NULL,
              "%.300s", text);
    cr_expect(strstr(text, "\"percent\":[100,") != NULL);
    free(text);
}
