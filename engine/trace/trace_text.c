// SPDX-License-Identifier: Apache-2.0
// Writes traces as CSV and as Chrome/Perfetto JSON.
#include "engine/trace/trace_text.h"

#include "base/stream/chrome_write.h"
#include "base/text/decimal.h"
#include "engine/trace/lanes.h"

#include <stdbool.h>
#include <stdlib.h>

struct pps_tracefile {
    enum pps_trace_format format;
    const struct pps_trace_names *names;
    FILE *out;
    bool no_memory;                  // memory ran out: a segment is missing
    struct pps_lanes lanes;          // threads of the JSON
    struct pps_chrome_writer chrome; // of the JSON
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

static int32_t thread_of(const struct pps_tracefile *file, const struct pps_lane *lane)
{
    return 1 + lane->track + lane->slot * file->lanes.n_tracks;
}

static void name_lane(struct pps_tracefile *file, const struct pps_lane *lane)
{
    // Slots of one track are adjacent.
    pps_chrome_name_thread(
        &file->chrome, lane->group, thread_of(file, lane), file->names->tracks[lane->track],
        lane->slot > 0 ? lane->slot + 1 : -1, lane->track * 100000 + lane->slot);
}

static void chrome_piece(void *self, const struct pps_piece *piece)
{
    struct pps_tracefile *file = self;
    const struct pps_trace_names *names = file->names;
    bool new_group, new_lane;
    const struct pps_lane *lane = pps_lanes_put(&file->lanes, piece, &new_group, &new_lane);
    file->no_memory = file->no_memory || lane == NULL;
    if (lane == NULL)
        return;
    if (new_group)
        pps_chrome_name_process(&file->chrome, piece->group, names->group, piece->group);
    if (new_lane)
        name_lane(file, lane);
    const struct pps_chrome_span span = {.category = names->kinds[piece->kind],
                                         .number = piece->ordinal,
                                         .process = piece->group,
                                         .thread = thread_of(file, lane),
                                         .start = piece->start,
                                         .duration = piece->end - piece->start};
    pps_chrome_begin_event(&file->chrome, &span);
    pps_chrome_write_whole(&file->chrome, names->item, piece->item);
    pps_chrome_write_real(&file->chrome, "rate", piece->rate);
    pps_chrome_write_flag(&file->chrome, names->flag, piece->flag);
    if (names->chunk != NULL)
        pps_chrome_write_whole(&file->chrome, names->chunk, piece->chunk);
    pps_chrome_end_event(&file->chrome);
}

static void chrome_level(void *self, const struct pps_level *level)
{
    struct pps_tracefile *file = self;
    pps_chrome_counter(&file->chrome, level->group, file->names->counters[level->counter], "",
                       level->time, level->value);
}

static void chrome_limit(void *self, const struct pps_limit *limit)
{
    struct pps_tracefile *file = self;
    pps_chrome_counter(&file->chrome, limit->group, file->names->counters[limit->counter],
                       " limit", 0, limit->value);
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
    *file = (struct pps_tracefile){.format = format, .names = names, .out = out};
    while (names->tracks[file->lanes.n_tracks] != NULL)
        file->lanes.n_tracks++;
    if (format == PPS_TRACE_CSV)
        fprintf(out, "kind,%s,%s,start,end,rate,%s%s%s\n", names->item, names->group,
                names->flag, names->chunk != NULL ? "," : "",
                names->chunk != NULL ? names->chunk : "");
    else
        pps_chrome_write_begin(&file->chrome, out);
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
        pps_chrome_write_end(&file->chrome);
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
