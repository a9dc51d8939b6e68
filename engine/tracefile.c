// SPDX-License-Identifier: Apache-2.0
// Traces as CSV and as Chrome/Perfetto JSON.
#include "tracefile.h"

#include "decimal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

// A thread of the JSON: pieces of one track that do not overlap.
struct lane {
    int32_t group, track;
    int32_t slot; // from 0, among the lanes of the track
    int32_t next; // the track's next lane; -1: there is none
    int32_t kind, item;
    double end; // of its last piece
};

struct pps_tracefile {
    enum pps_trace_format format;
    const struct pps_trace_names *names;
    FILE *out;
    bool empty;     // no event has been written
    bool no_memory; // a piece is missing
    int32_t n_tracks;
    struct lane *lanes;
    size_t n_lanes, lanes_room;
    int32_t *first; // first[group * n_tracks + track]: its first lane; -1: there is none
    size_t n_groups;
};

static void put_number(FILE *out, double value)
{
    char text[PPS_DECIMAL_CAP];
    fwrite(text, 1, pps_decimal_full(text, value), out);
}

// ---- CSV ------------------------------------------------------------------------------------

static void csv_piece(void *self, const struct pps_piece *piece)
{
    const struct pps_tracefile *file = self;
    fprintf(file->out, "%s,%d,%d,", file->names->kinds[piece->kind], piece->item, piece->group);
    put_number(file->out, piece->start);
    fputc(',', file->out);
    put_number(file->out, piece->end);
    fputc(',', file->out);
    put_number(file->out, piece->rate);
    fputs(piece->flag ? ",1\n" : ",0\n", file->out);
}

static void csv_level(void *self, const struct pps_level *level)
{
    const struct pps_tracefile *file = self;
    fprintf(file->out, "%s,,%d,", file->names->counters[level->counter], level->group);
    put_number(file->out, level->time);
    fputs(",,", file->out);
    put_number(file->out, level->value);
    fputs(",\n", file->out);
}

static void csv_limit(void *self, const struct pps_limit *limit)
{
    const struct pps_tracefile *file = self;
    fprintf(file->out, "%s limit,,%d,,,", file->names->counters[limit->counter], limit->group);
    put_number(file->out, limit->value);
    fputs(",\n", file->out);
}

// ---- JSON -----------------------------------------------------------------------------------

// Names are identifiers, but nothing a kernel says may break the JSON.
static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

static void begin_event(struct pps_tracefile *file)
{
    fputs(file->empty ? "\n" : ",\n", file->out);
    file->empty = false;
}

static int32_t thread_of(const struct pps_tracefile *file, const struct lane *lane)
{
    return 1 + lane->track + lane->slot * file->n_tracks;
}

static void name_group(struct pps_tracefile *file, int32_t group)
{
    begin_event(file);
    fprintf(file->out,
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"", group);
    put_text(file->out, file->names->group);
    fprintf(file->out, " %d\"}}", group);
    begin_event(file);
    fprintf(file->out,
            "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,"
            "\"args\":{\"sort_index\":%d}}",
            group, group);
}

static void name_lane(struct pps_tracefile *file, const struct lane *lane)
{
    const int32_t thread = thread_of(file, lane);
    begin_event(file);
    fprintf(
        file->out,
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"",
        lane->group, thread);
    put_text(file->out, file->names->tracks[lane->track]);
    if (lane->slot > 0)
        fprintf(file->out, " (%d)", lane->slot + 1);
    fputs("\"}}", file->out);
    begin_event(file);
    // Slots of one track stand together.
    fprintf(file->out,
            "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%d,"
            "\"args\":{\"sort_index\":%d}}",
            lane->group, thread, lane->track * 100000 + lane->slot);
}

// The track's first lane; NULL: no memory.
static int32_t *first_lane(struct pps_tracefile *file, const struct pps_piece *piece)
{
    const size_t group = (size_t)piece->group, n_tracks = (size_t)file->n_tracks;
    if (group >= file->n_groups) {
        const size_t n_groups = 2 * group + 4;
        int32_t *first = realloc(file->first, n_groups * n_tracks * sizeof *first);
        if (first == NULL)
            return NULL;
        for (size_t i = file->n_groups * n_tracks; i < n_groups * n_tracks; i++)
            first[i] = -1;
        file->first = first;
        file->n_groups = n_groups;
    }
    return &file->first[group * n_tracks + (size_t)piece->track];
}

static bool is_new_group(const struct pps_tracefile *file, int32_t group)
{
    for (int32_t track = 0; track < file->n_tracks; track++)
        if (file->first[group * file->n_tracks + track] >= 0)
            return false;
    return true;
}

// A new lane of the piece's track, named in the file, behind lane `last` (-1: it is the first).
// NULL: no memory.
static struct lane *add_lane(struct pps_tracefile *file,
                             const struct pps_piece *piece,
                             int32_t slot,
                             int32_t last)
{
    if (file->n_lanes == file->lanes_room) {
        const size_t room = 2 * file->lanes_room + 16;
        struct lane *lanes = realloc(file->lanes, room * sizeof *lanes);
        if (lanes == NULL)
            return NULL;
        file->lanes = lanes;
        file->lanes_room = room;
    }
    if (is_new_group(file, piece->group))
        name_group(file, piece->group);
    const int32_t index = (int32_t)file->n_lanes++;
    if (last >= 0)
        file->lanes[last].next = index;
    else
        file->first[piece->group * file->n_tracks + piece->track] = index;
    struct lane *lane = &file->lanes[index];
    *lane =
        (struct lane){.group = piece->group, .track = piece->track, .slot = slot, .next = -1};
    name_lane(file, lane);
    return lane;
}

// Keeps a task on the lane where its last piece ended; otherwise the first lane that is free.
static struct lane *find_lane(struct pps_tracefile *file, const struct pps_piece *piece)
{
    const int32_t *first = first_lane(file, piece);
    struct lane *free_lane = NULL;
    int32_t slot = 0, last = -1;
    for (int32_t i = first == NULL ? -1 : *first; i >= 0; i = file->lanes[i].next) {
        struct lane *lane = &file->lanes[i];
        slot++;
        last = i;
        if (lane->end > piece->start)
            continue;
        if (lane->kind == piece->kind && lane->item == piece->item)
            return lane;
        if (free_lane == NULL)
            free_lane = lane;
    }
    if (free_lane != NULL || first == NULL)
        return free_lane;
    return add_lane(file, piece, slot, last);
}

static void chrome_piece(void *self, const struct pps_piece *piece)
{
    struct pps_tracefile *file = self;
    struct lane *lane = find_lane(file, piece);
    file->no_memory = file->no_memory || lane == NULL;
    if (lane == NULL)
        return;
    lane->kind = piece->kind;
    lane->item = piece->item;
    lane->end = piece->end;
    begin_event(file);
    fputs("{\"ph\":\"X\",\"name\":\"", file->out);
    put_text(file->out, file->names->kinds[piece->kind]);
    fprintf(file->out, " %d\",\"cat\":\"", piece->ordinal);
    put_text(file->out, file->names->kinds[piece->kind]);
    fprintf(file->out, "\",\"pid\":%d,\"tid\":%d,\"ts\":", piece->group, thread_of(file, lane));
    put_number(file->out, piece->start);
    fputs(",\"dur\":", file->out);
    put_number(file->out, piece->end - piece->start);
    fputs(",\"args\":{\"", file->out);
    put_text(file->out, file->names->item);
    fprintf(file->out, "\":%d,\"rate\":", piece->item);
    put_number(file->out, piece->rate);
    fputs(",\"", file->out);
    put_text(file->out, file->names->flag);
    fprintf(file->out, "\":%s}}", piece->flag ? "true" : "false");
}

// A counter named after the quantity; `series` says what of it.
static void chrome_counter(struct pps_tracefile *file,
                           int32_t group,
                           int32_t counter,
                           const char *series,
                           double time,
                           double value)
{
    begin_event(file);
    fputs("{\"ph\":\"C\",\"name\":\"", file->out);
    put_text(file->out, file->names->counters[counter]);
    put_text(file->out, series);
    fprintf(file->out, "\",\"pid\":%d,\"ts\":", group);
    put_number(file->out, time);
    fputs(",\"args\":{\"value\":", file->out);
    put_number(file->out, value);
    fputs("}}", file->out);
}

static void chrome_level(void *self, const struct pps_level *level)
{
    chrome_counter(self, level->group, level->counter, "", level->time, level->value);
}

static void chrome_limit(void *self, const struct pps_limit *limit)
{
    chrome_counter(self, limit->group, limit->counter, " limit", 0, limit->value);
}

// ---- opening, closing -----------------------------------------------------------------------

enum pps_status pps_tracefile_open(struct pps_tracefile **out_file,
                                   enum pps_trace_format format,
                                   const struct pps_trace_names *names,
                                   FILE *out,
                                   struct pps_error *err)
{
    struct pps_tracefile *file = calloc(1, sizeof *file);
    *out_file = file;
    if (file == NULL)
        return pps_fail_errno(err, "write", "the trace");
    *file = (struct pps_tracefile){.format = format, .names = names, .out = out, .empty = true};
    while (names->tracks[file->n_tracks] != NULL)
        file->n_tracks++;
    if (format == PPS_TRACE_CSV)
        fprintf(out, "kind,%s,%s,start,end,rate,%s\n", names->item, names->group, names->flag);
    else
        fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
    return PPS_OK;
}

struct pps_trace_sink pps_tracefile_sink(struct pps_tracefile *file)
{
    if (file->format == PPS_TRACE_CSV)
        return (struct pps_trace_sink){file, csv_piece, csv_level, csv_limit};
    return (struct pps_trace_sink){file, chrome_piece, chrome_level, chrome_limit};
}

enum pps_status pps_tracefile_close(struct pps_tracefile *file, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (file->format == PPS_TRACE_CHROME)
        fputs("\n]}\n", file->out);
    if (fflush(file->out) != 0 || ferror(file->out))
        status = pps_fail_errno(err, "write", "the trace");
    if (status == PPS_OK && file->no_memory) {
        errno = ENOMEM;
        status = pps_fail_errno(err, "write", "the trace");
    }
    pps_tracefile_abandon(file);
    return status;
}

void pps_tracefile_abandon(struct pps_tracefile *file)
{
    if (file == NULL)
        return;
    free(file->lanes);
    free(file->first);
    free(file);
}
