// SPDX-License-Identifier: Apache-2.0
// Writes timelines as CSV.
#include "engine/trace/trace_csv.h"

#include "base/text/decimal.h"

static void put_number(FILE *out, double value)
{
    char text[PPS_DECIMAL_CAP];
    fwrite(text, 1, pps_decimal_full(text, value), out);
}

// Ends the row of a counter, which has neither a flag nor a chunk.
static void end_counter(const struct pps_tracecsv *csv)
{
    fputs(csv->names->chunk != NULL ? ",,\n" : ",\n", csv->out);
}

static void write_piece(void *self, const struct pps_piece *piece)
{
    const struct pps_tracecsv *csv = self;
    fprintf(csv->out, "%s,%d,%d,", csv->names->kinds[piece->kind], piece->item, piece->group);
    put_number(csv->out, piece->start);
    fputc(',', csv->out);
    put_number(csv->out, piece->end);
    fputc(',', csv->out);
    put_number(csv->out, piece->rate);
    fputs(piece->flag ? ",1" : ",0", csv->out);
    if (csv->names->chunk != NULL)
        fprintf(csv->out, ",%d", piece->chunk);
    fputc('\n', csv->out);
}

static void write_level(void *self, const struct pps_level *level)
{
    const struct pps_tracecsv *csv = self;
    fprintf(csv->out, "%s,,%d,", csv->names->counters[level->counter], level->group);
    put_number(csv->out, level->time);
    fputs(",,", csv->out);
    put_number(csv->out, level->value);
    end_counter(csv);
}

static void write_limit(void *self, const struct pps_limit *limit)
{
    const struct pps_tracecsv *csv = self;
    fprintf(csv->out, "%s limit,,%d,,,", csv->names->counters[limit->counter], limit->group);
    put_number(csv->out, limit->value);
    end_counter(csv);
}

void pps_tracecsv_begin(const struct pps_tracecsv *csv)
{
    const struct pps_trace_names *names = csv->names;
    fprintf(csv->out, "kind,%s,%s,start,end,rate,%s%s%s\n", names->item, names->group,
            names->flag, names->chunk != NULL ? "," : "",
            names->chunk != NULL ? names->chunk : "");
}

struct pps_trace_sink pps_tracecsv_sink(struct pps_tracecsv *csv)
{
    return (struct pps_trace_sink){csv, write_piece, write_level, write_limit};
}
