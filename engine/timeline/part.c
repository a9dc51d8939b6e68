// SPDX-License-Identifier: Apache-2.0
// Passes on a part of a timeline.
#include "engine/timeline/part.h"

#include "base/text/grow_list.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- group list ---------------------------------------------------------------------------------

// Reads a whole number of at most nine digits. Returns the end of it, or NULL.
static const char *read_number(const char *text, int32_t *number)
{
    char *end;
    if (!isdigit((unsigned char)*text) || strspn(text, "0123456789") > 9)
        return NULL;
    *number = (int32_t)strtol(text, &end, 10);
    return end;
}

static const char *read_range(const char *text, struct pps_group_range *range)
{
    const char *end = read_number(text, &range->first);
    range->last = range->first;
    if (end != NULL && *end == '-')
        end = read_number(end + 1, &range->last);
    return end != NULL && range->last >= range->first && (*end == ',' || *end == '\0') ? end
                                                                                       : NULL;
}

static int by_first(const void *left, const void *right)
{
    const struct pps_group_range *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

// Sorts the ranges and joins those that overlap or touch.
static void tidy(struct pps_group_list *list)
{
    int kept = 0;
    qsort(list->range, (size_t)list->n, sizeof *list->range, by_first);
    for (int i = 1; i < list->n; i++) {
        struct pps_group_range *last = &list->range[kept];
        const struct pps_group_range *next = &list->range[i];
        if (next->first > last->last + 1)
            list->range[++kept] = *next;
        else if (next->last > last->last)
            last->last = next->last;
    }
    list->n = kept + 1;
}

enum pps_status pps_group_list_read(struct pps_group_list *list, const char *option,
                                    const char *text, struct pps_error *err)
{
    list->n = 0;
    for (const char *at = text;; at++) {
        if (list->n == PPS_GROUP_RANGES)
            return pps_fail(err, PPS_E_INPUT, "%s: more than %d numbers and ranges", option,
                            PPS_GROUP_RANGES);
        at = read_range(at, &list->range[list->n++]);
        if (at == NULL)
            return pps_fail(err, PPS_E_INPUT,
                            "%s %.60s: expected numbers from 0 and ranges, as in 0,3,8-11",
                            option, text);
        if (*at == '\0')
            break;
    }
    tidy(list);
    return PPS_OK;
}

bool pps_group_list_has(const struct pps_group_list *list, int32_t group)
{
    for (int i = 0; i < list->n && list->range[i].first <= group; i++)
        if (group <= list->range[i].last)
            return true;
    return false;
}

int32_t pps_group_list_last(const struct pps_group_list *list)
{
    return list->range[list->n - 1].last;
}

void pps_group_list_text(const struct pps_group_list *list, char *text, size_t cap)
{
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < list->n; i++) {
        const struct pps_group_range *range = &list->range[i];
        char word[32];
        const size_t n =
            (size_t)(range->last > range->first
                         ? snprintf(word, sizeof word, "%s%d-%d", i > 0 ? ", " : "",
                                    (int)range->first, (int)range->last)
                         : snprintf(word, sizeof word, "%s%d", i > 0 ? ", " : "",
                                    (int)range->first));
        if (at + n + sizeof " ..." > cap) {
            snprintf(text + at, cap - at, " ...");
            return;
        }
        memcpy(text + at, word, n + 1);
        at += n;
    }
}

// ---- part ---------------------------------------------------------------------------------------

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

void pps_part_open(struct pps_part_sink *sink, const struct pps_part *part,
                   struct pps_trace_sink to, const struct pps_trace_names *names)
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
