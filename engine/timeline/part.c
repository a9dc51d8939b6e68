// SPDX-License-Identifier: Apache-2.0
// Passes on a part of a timeline.
#include "engine/timeline/part.h"

#include "base/text/grow_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pps_part_level {
    bool waits;
    struct pps_level level;
};

static bool is_chosen(const struct pps_part_sink *s, int32_t group)
{
    return s->part.groups == NULL || pps_group_list_has(s->part.groups, group);
}

static void take_piece(void *self, const struct pps_piece *piece)
{
    struct pps_part_sink *s = self;
    const struct pps_trace_window *window = &s->part.window;
    struct pps_piece shown = *piece;
    s->end = fmax(s->end, piece->end);
    s->n_groups = piece->group >= s->n_groups ? piece->group + 1 : s->n_groups;
    shown.start = fmax(piece->start, window->from);
    shown.end = fmin(piece->end, window->to);
    if (!is_chosen(s, piece->group) || shown.start > shown.end ||
        (shown.start == shown.end && piece->start < piece->end))
        return;
    s->to.piece(s->to.self, &shown);
}

// Returns where the value of the counter waits; NULL if memory runs out.
static struct pps_part_level *place_of(struct pps_part_sink *s, const struct pps_level *level)
{
    const size_t group = (size_t)level->group, before = s->n_waiting;
    const size_t unit = (size_t)s->n_counters;
    if (group >= before) {
        struct pps_part_level *list =
            pps_grow(s->waiting, &s->n_waiting, group + 1, unit * sizeof *list);
        if (list == NULL)
            return NULL;
        s->waiting = list;
        memset(list + before * unit, 0, (s->n_waiting - before) * unit * sizeof *list);
    }
    return &s->waiting[group * unit + (size_t)level->counter];
}

static void send_waiting(struct pps_part_sink *s, struct pps_part_level *place)
{
    if (place->waits)
        s->to.level(s->to.self, &place->level);
    place->waits = false;
}

static void take_level(void *self, const struct pps_level *level)
{
    struct pps_part_sink *s = self;
    const struct pps_trace_window *window = &s->part.window;
    if (!is_chosen(s, level->group) || level->time > window->to)
        return;
    if (!(window->from > 0)) {
        s->to.level(s->to.self, level);
        return;
    }
    struct pps_part_level *place = place_of(s, level);
    if (place == NULL) {
        s->no_memory = true;
        return;
    }
    if (level->time > window->from) {
        send_waiting(s, place);
        s->to.level(s->to.self, level);
        return;
    }
    *place = (struct pps_part_level){true, *level};
    place->level.time = window->from;
}

static void take_limit(void *self, const struct pps_limit *limit)
{
    struct pps_part_sink *s = self;
    if (is_chosen(s, limit->group))
        s->to.limit(s->to.self, limit);
}

void pps_part_open(struct pps_part_sink *sink,
                   const struct pps_part *part,
                   struct pps_trace_sink to,
                   const struct pps_trace_names *names)
{
    *sink = (struct pps_part_sink){.part = *part, .to = to};
    while (names->counters != NULL && names->counters[sink->n_counters] != NULL)
        sink->n_counters++;
}

struct pps_trace_sink pps_part_sink(struct pps_part_sink *sink)
{
    return (struct pps_trace_sink){sink, take_piece, take_level, take_limit};
}

enum pps_status pps_part_end(struct pps_part_sink *s, struct pps_error *err)
{
    for (size_t i = 0; i < s->n_waiting * (size_t)s->n_counters; i++)
        send_waiting(s, &s->waiting[i]);
    return s->no_memory ? pps_fail_memory(err, "the trace") : PPS_OK;
}

void pps_part_close(struct pps_part_sink *sink)
{
    free(sink->waiting);
    sink->waiting = NULL;
}
