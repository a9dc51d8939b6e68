// SPDX-License-Identifier: Apache-2.0
// Writes traces as CSV and as Chrome/Perfetto JSON.
#include "engine/trace/trace_text.h"

#include "base/text/decimal.h"
#include "engine/trace/lanes.h"

#include <stdbool.h>
#include <stdlib.h>

struct pps_tracefile {
    enum pps_trace_format format;
    const struct pps_trace_names *names;
    FILE *out;
    bool empty;             // no event has been written
    bool no_memory;         // memory ran out: a segment is missing
    struct pps_lanes lanes; // threads of the JSON
};

static void put_number(FILE *out, double value)
{
    char text[PPS_DECIMAL_CAP];
    fwrite(text, 1, pps_decimal_full(text, value), out);
}

// ---- CSV ------------------------------------------------------------------------------------

// Ends the row of a counter, which has neither a flag nor a chunk.
static void end_counter(const struct pps_tracefile *file)
{
    fputs(file->names->chunk != NULL ? ",,\n" : ",\n", file->out);
}

static void csv_piece(void *self, const struct pps_piece *piece)
{
    const struct pps_tracefile *file = self;
    fprintf(file->out, "%s,%d,%d,", file->names->kinds[piece->kind], piece->item, piece->group);
    put_number(file->out, piece->start);
    fputc(',', file->out);
    put_number(file->out, piece->end);
    fputc(',', file->out);
    put_number(file->out, piece->rate);
    fputs(piece->flag ? ",1" : ",0", file->out);
    if (file->names->chunk != NULL)
        fprintf(file->out, ",%d", piece->chunk);
    fputc('\n', file->out);
}

static void csv_level(void *self, const struct pps_level *level)
{
    const struct pps_tracefile *file = self;
    fprintf(file->out, "%s,,%d,", file->names->counters[level->counter], level->group);
    put_number(file->out, level->time);
    fputs(",,", file->out);
    put_number(file->out, level->value);
    end_counter(file);
}

static void csv_limit(void *self, const struct pps_limit *limit)
{
    const struct pps_tracefile *file = self;
    fprintf(file->out, "%s limit,,%d,,,", file->names->counters[limit->counter], limit->group);
    put_number(file->out, limit->value);
    end_counter(file);
}

// ---- JSON -----------------------------------------------------------------------------------

// Names are identifiers, but no text of a kernel may break the JSON.
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

static int32_t thread_of(const struct pps_tracefile *file, const struct pps_lane *lane)
{
    return 1 + lane->track + lane->slot * file->lanes.n_tracks;
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

static void name_lane(struct pps_tracefile *file, const struct pps_lane *lane)
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
    // Slots of one track are adjacent.
    fprintf(file->out,
            "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%d,"
            "\"args\":{\"sort_index\":%d}}",
            lane->group, thread, lane->track * 100000 + lane->slot);
}

static void chrome_piece(void *self, const struct pps_piece *piece)
{
    struct pps_tracefile *file = self;
    bool new_group, new_lane;
    const struct pps_lane *lane = pps_lanes_put(&file->lanes, piece, &new_group, &new_lane);
    file->no_memory = file->no_memory || lane == NULL;
    if (lane == NULL)
        return;
    if (new_group)
        name_group(file, piece->group);
    if (new_lane)
        name_lane(file, lane);
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
    fprintf(file->out, "\":%s", piece->flag ? "true" : "false");
    if (file->names->chunk != NULL) {
        fputs(",\"", file->out);
        put_text(file->out, file->names->chunk);
        fprintf(file->out, "\":%d", piece->chunk);
    }
    fputs("}}", file->out);
}

// Writes a counter event named after the quantity; `series` names the value.
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
    while (names->tracks[file->lanes.n_tracks] != NULL)
        file->lanes.n_tracks++;
    if (format == PPS_TRACE_CSV)
        fprintf(out, "kind,%s,%s,start,end,rate,%s%s%s\n", names->item, names->group,
                names->flag, names->chunk != NULL ? "," : "",
                names->chunk != NULL ? names->chunk : "");
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
    if (status == PPS_OK && file->no_memory)
        status = pps_fail_memory(err, "the trace");
    pps_tracefile_abandon(file);
    return status;
}

void pps_tracefile_abandon(struct pps_tracefile *file)
{
    if (file == NULL)
        return;
    pps_lanes_free(&file->lanes);
    free(file);
}
