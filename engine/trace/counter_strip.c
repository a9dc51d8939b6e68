// SPDX-License-Identifier: Apache-2.0
// Draws counters: each level is a box from the bottom of the strip.
#include "engine/trace/counter_strip.h"

#include "base/text/grow_list.h"
#include "base/text/human.h"
#include "engine/svg/svg.h"

#include <math.h>
#include <stdlib.h>

static const char FILL[] = "#c9b8dd", GROUND[] = "#f6f6f6", LIMIT[] = "#d55e00";
#define THINNEST 0.5 // pixels of a step
#define FAR      2.0 // limits above so many times the values are not drawn

bool pps_levels_add(struct pps_trace_levels *levels, const struct pps_level *level)
{
    struct pps_level *list = pps_grow(levels->list, &levels->room, levels->n + 1, sizeof *list);
    if (list == NULL)
        return false;
    levels->list = list;
    levels->list[levels->n++] = *level;
    return true;
}

bool pps_levels_limit(struct pps_trace_levels *levels, const struct pps_limit *limit)
{
    struct pps_limit *list =
        pps_grow(levels->limits, &levels->limits_room, levels->n_limits + 1, sizeof *list);
    if (list == NULL)
        return false;
    levels->limits = list;
    levels->limits[levels->n_limits++] = *limit;
    return true;
}

void pps_levels_free(struct pps_trace_levels *levels)
{
    free(levels->list);
    free(levels->limits);
    *levels = (struct pps_trace_levels){.list = NULL};
}

double pps_levels_highest(const struct pps_trace_levels *levels, int32_t counter, double *limit)
{
    double highest = 0;
    *limit = 0;
    for (size_t i = 0; i < levels->n; i++)
        if (levels->list[i].counter == counter)
            highest = fmax(highest, levels->list[i].value);
    for (size_t i = 0; i < levels->n_limits; i++)
        if (levels->limits[i].counter == counter)
            *limit = fmax(*limit, levels->limits[i].value);
    return highest > 0 && *limit > FAR * highest ? highest : fmax(highest, *limit);
}

bool pps_levels_has(const struct pps_trace_levels *levels, int32_t group)
{
    for (size_t i = 0; i < levels->n; i++)
        if (levels->list[i].group == group)
            return true;
    return false;
}

struct strip {
    FILE *out;
    const struct pps_time_axis *axis;
    struct pps_svg_box box;
    double highest;
    double from, value; // steps that wait: their start and highest value
    bool waits;
};

static double x_at(const struct strip *s, double time)
{
    return pps_time_x(s->axis, fmin(fmax(time, s->axis->begin), s->axis->end));
}

static double y_at(const struct strip *s, double value)
{
    return s->box.y + s->box.h * (1 - fmin(value / s->highest, 1));
}

static void put_box(const struct strip *s, double from, double to, double value)
{
    const double x = x_at(s, from), w = x_at(s, to) - x, y = y_at(s, value);
    char hint[192], start[48], stop[96];
    if (!(w > 0) || !(value > 0))
        return;
    pps_human_number(from / s->axis->unit.size, 6, start, sizeof start);
    pps_time_unit_text(&s->axis->unit, to, 6, stop, sizeof stop);
    snprintf(hint, sizeof hint, "%s from %s to %s", pps_digits_text(value, 6).text, start,
             stop);
    pps_svg_rect(s->out, (struct pps_svg_box){x, y, w, s->box.y + s->box.h - y}, FILL, hint);
}

// Draws the steps that wait up to a time.
static void put_waiting(const struct strip *s, double to)
{
    if (s->waits)
        put_box(s, s->from, to, s->value);
}

// Adds a step. Equal neighbours, and steps that are too thin to see, are drawn together, at the highest
// value of them.
static void put_step(struct strip *s, double from, double value)
{
    if (s->waits && (value == s->value || x_at(s, from) - x_at(s, s->from) < THINNEST)) {
        s->value = fmax(s->value, value);
        return;
    }
    put_waiting(s, from);
    s->from = from;
    s->value = value;
    s->waits = true;
}

void pps_strip_draw(FILE *out, const struct pps_trace_levels *levels, int32_t group,
                    int32_t counter, const struct pps_time_axis *axis, double y, double h,
                    double highest)
{
    const struct pps_svg_box box = {axis->left, y, axis->w, h};
    struct strip strip = {out, axis, box, highest, axis->begin, 0, false};
    pps_svg_rect(out, box, GROUND, NULL);
    if (!(axis->end > axis->begin) || !(highest > 0))
        return;
    for (size_t i = 0; i < levels->n; i++) {
        const struct pps_level *level = &levels->list[i];
        if (level->group != group || level->counter != counter)
            continue;
        put_step(&strip, level->time, level->value);
    }
    put_waiting(&strip, levels->end > 0 ? fmin(levels->end, axis->end) : axis->end);
    for (size_t i = 0; i < levels->n_limits; i++)
        if (levels->limits[i].group == group && levels->limits[i].counter == counter &&
            levels->limits[i].value <= highest) {
            const double at = y_at(&strip, levels->limits[i].value);
            pps_svg_line(out, box.x, at, box.x + box.w, at, LIMIT);
        }
}
