// SPDX-License-Identifier: Apache-2.0
// Parts of timelines: what is passed on of segments, counters and limits.
#include "engine/timeline/part.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const tracks[] = {"compute", NULL};
static const char *const counters[] = {"memory", "heat", NULL};
static const struct pps_trace_names names = {.group = "gpu",
                                             .tracks = tracks,
                                             .counters = counters};

static char told[500];

static void say(const char *what, double a, double b, double c)
{
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s %g %g %g;", what, a, b, c);
}

static void piece(void *self, const struct pps_piece *p)
{
    (void)self;
    say("piece", p->group, p->start, p->end);
}

static void level(void *self, const struct pps_level *l)
{
    (void)self;
    say(counters[l->counter], l->group, l->time, l->value);
}

static void limit(void *self, const struct pps_limit *l)
{
    (void)self;
    say("limit", l->group, l->counter, l->value);
}

// Sends two GPUs of which each runs a task from its number to 10.
static double send(const struct pps_part *part)
{
    const struct pps_trace_sink to = {NULL, piece, level, limit};
    struct pps_part_sink sink;
    struct pps_error err;
    told[0] = '\0';
    pps_part_open(&sink, part, to, &names);
    const struct pps_trace_sink in = pps_part_sink(&sink);
    in.limit(in.self, &(struct pps_limit){1, 0, 80});
    for (int g = 0; g < 2; g++)
        in.piece(in.self, &(struct pps_piece){.group = g, .start = g, .end = 10, .rate = 1});
    in.level(in.self, &(struct pps_level){1, 0, 0, 5});
    in.level(in.self, &(struct pps_level){1, 1, 1, 7});
    in.level(in.self, &(struct pps_level){1, 0, 2, 6});
    in.level(in.self, &(struct pps_level){1, 0, 4, 8});
    in.level(in.self, &(struct pps_level){1, 0, 9, 9});
    in.piece(in.self, &(struct pps_piece){.group = 0, .start = 10, .end = 12, .rate = 1});
    cr_assert_eq(pps_part_end(&sink, &err), PPS_OK);
    cr_assert_eq(sink.n_groups, 2, "groups that are not chosen count, too");
    const double end = sink.end;
    pps_part_close(&sink);
    return end;
}

Test(part, everything)
{
    const struct pps_part part = {NULL, {0, INFINITY}};
    cr_assert_eq(send(&part), 12);
    cr_assert_str_eq(told, "limit 1 0 80;piece 0 0 10;piece 1 1 10;memory 1 0 5;heat 1 1 7;"
                           "memory 1 2 6;memory 1 4 8;memory 1 9 9;piece 0 10 12;");
}

// Catches a counter without its value at the start of the window, with values of before, or with
// values of after; and segments that are not cut.
Test(part, a_window)
{
    const struct pps_part part = {NULL, {3, 8}};
    cr_assert_eq(send(&part), 12, "the end of the whole timeline");
    cr_assert_str_eq(told, "limit 1 0 80;piece 0 3 8;piece 1 3 8;memory 1 3 6;memory 1 4 8;"
                           "heat 1 3 7;");
}

// Catches groups, counters or limits that are shown although nobody chose them.
Test(part, a_group)
{
    static struct pps_group_list list;
    struct pps_error err;
    cr_assert_eq(pps_group_list_read(&list, "--gpus", "0", &err), PPS_OK);
    const struct pps_part part = {&list, {0, INFINITY}};
    send(&part);
    cr_assert_str_eq(told, "piece 0 0 10;piece 0 10 12;");
}
