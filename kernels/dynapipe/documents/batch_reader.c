// SPDX-License-Identifier: Apache-2.0
// Reads batches line by line: text and CSV.
#include "kernels/dynapipe/documents/batch_reader.h"

#include "base/document/fault.h"
#include "base/table/csv_line.h"
#include "base/text/grow_list.h"
#include "base/text/nearest.h"
#include "kernels/dynapipe/documents/batch_reader_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_UNKNOWN, FORM_TEXT, FORM_CSV, FORM_JSON };
enum { COLUMN_BATCH, COLUMN_ENC, COLUMN_DEC, COLUMNS };

static const char *const column_names[COLUMNS] = {"batch", "enc", "dec"};

struct batch_reader {
    enum form form;
    int line;
    int64_t number;    // of the next batch
    int64_t refused;   // number of the batch that was refused last
    struct batch next; // CSV: the rows so far
    bool has_next;
    bool is_lost;        // CSV: the header is wrong, nothing can be read
    bool is_refused;     // CSV: rows of the batch are read past
    int column[COLUMNS]; // CSV: cell of a column; -1: none
    char *cells;         // CSV: room for a line
    size_t cells_room;
};

void batch_free(struct batch *batch)
{
    free(batch->input);
    free(batch->target);
    free(batch->rows);
    *batch = (struct batch){.count = 0};
}

struct split_samples batch_samples(const struct batch *batch, bool has_decoder, int32_t offset)
{
    const bool is_ready = batch->count > 0 && batch->rows[0] > 0;
    return (struct split_samples){batch->count, batch->input,
                                  has_decoder ? batch->target : NULL, offset,
                                  is_ready ? batch->rows : NULL};
}

struct batch_reader *batch_reader_open(void)
{
    return calloc(1, sizeof(struct batch_reader));
}

void batch_reader_close(struct batch_reader *reader)
{
    if (reader == NULL)
        return;
    batch_free(&reader->next);
    free(reader->cells);
    free(reader);
}

int64_t batch_reader_refused(const struct batch_reader *reader)
{
    return reader->refused;
}

bool batch_add(struct batch *batch, int32_t rows, int32_t input, int32_t target)
{
    const size_t wanted = (size_t)batch->count + 1;
    size_t room = batch->room;
    int32_t **const lists[] = {&batch->rows, &batch->input, &batch->target};
    const int32_t values[] = {rows, input, target};
    for (int k = 0; k < 3; k++) {
        room = batch->room;
        int32_t *list = pps_grow(*lists[k], &room, wanted, sizeof *list);
        if (list == NULL)
            return false;
        list[batch->count] = values[k];
        *lists[k] = list;
    }
    batch->room = room;
    batch->count++;
    return true;
}

enum batch_fed batch_refuse(struct pps_fault *fault, int line, size_t at, const char *what)
{
    pps_fault_set(fault, NULL, false, "%s", what);
    fault->line = line;
    fault->column = (int)at + 1;
    return BATCH_REFUSED;
}

static void begin(struct batch *batch, int64_t number, int line)
{
    batch->count = 0;
    batch->number = number;
    batch->line = line;
    snprintf(batch->name, sizeof batch->name, "%lld", (long long)number);
}

// ---- text -----------------------------------------------------------------------------------------

// Reads the length at text[*at]. Returns false if there is none, or it is too long.
static bool read_length(const char *text, size_t n, size_t *at, int32_t *length)
{
    const size_t first = *at;
    int64_t value = 0;
    for (; *at < n && text[*at] >= '0' && text[*at] <= '9' && value <= SPLIT_LENGTH_MAX; ++*at)
        value = 10 * value + (text[*at] - '0');
    *length = (int32_t)value;
    return *at > first && value <= SPLIT_LENGTH_MAX;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char expected_sample[] = "expected a sample: a length, or two lengths as in "
                                      "512,128; lengths are whole numbers from 0 to 16777216";

static enum batch_fed read_text(struct batch_reader *r, const char *text, size_t n,
                                struct batch *batch, struct pps_fault *fault)
{
    begin(batch, r->number, r->line);
    bool empty = false;
    for (size_t at = 0; at < n;) {
        if (is_blank(text[at])) {
            at++;
            continue;
        }
        const size_t first = at;
        int32_t input, target = -1;
        if (text[at] == '-' && !empty && batch->count == 0) {
            empty = true;
            at++;
        } else if (empty || !read_length(text, n, &at, &input) ||
                   (at < n && text[at] == ',' && (at++, !read_length(text, n, &at, &target)))) {
            r->refused = r->number++;
            return batch_refuse(fault, r->line, first, expected_sample);
        } else if (!batch_add(batch, 0, input, target)) {
            return BATCH_NO_MEMORY;
        }
        if (at < n && !is_blank(text[at])) {
            r->refused = r->number++;
            return batch_refuse(fault, r->line, first, expected_sample);
        }
    }
    if (batch->count == 0 && !empty)
        return BATCH_MORE;
    r->number++;
    return BATCH_READY;
}

// ---- CSV ------------------------------------------------------------------------------------------

static enum batch_fed read_header(struct batch_reader *r, const struct pps_csv_row *row,
                                  struct pps_fault *fault)
{
    for (int k = 0; k < COLUMNS; k++)
        r->column[k] = -1;
    for (int cell = 0; cell < row->n; cell++) {
        int k = 0;
        while (k < COLUMNS && strcmp(row->text[cell], column_names[k]) != 0)
            k++;
        if (k == COLUMNS) {
            const struct pps_hint hint =
                pps_did_you_mean(row->text[cell], column_names, COLUMNS);
            pps_fault_set(fault, NULL, false,
                          "there is no column \"%.40s\"; expected batch, enc and dec%s",
                          row->text[cell], hint.text);
            fault->line = r->line;
            fault->column = 1;
            return BATCH_REFUSED;
        }
        r->column[k] = cell;
    }
    for (int k = COLUMN_BATCH; k <= COLUMN_ENC; k++)
        if (r->column[k] < 0)
            return batch_refuse(fault, r->line, 0,
                                "expected the columns batch, enc and maybe dec");
    return BATCH_MORE;
}

// Reads the lengths of a row.
static bool read_row(const struct batch_reader *r, const struct pps_csv_row *row,
                     int32_t lengths[2])
{
    lengths[1] = -1;
    for (int k = COLUMN_ENC; k <= COLUMN_DEC; k++) {
        const int cell = r->column[k];
        const bool is_empty = cell < 0 || cell >= row->n || row->length[cell] == 0;
        size_t at = 0;
        if (is_empty && k == COLUMN_ENC)
            return false;
        if (!is_empty &&
            (!read_length(row->text[cell], row->length[cell], &at, &lengths[k - COLUMN_ENC]) ||
             at < row->length[cell]))
            return false;
    }
    return true;
}

// Hands out the rows so far. Returns whether there is a batch.
static bool deliver(struct batch_reader *r, struct batch *batch)
{
    const bool ready = r->has_next && !r->is_refused;
    if (ready) {
        const struct batch other = *batch;
        *batch = r->next;
        r->next = other;
    }
    r->has_next = false;
    return ready;
}

static enum batch_fed read_csv(struct batch_reader *r, const struct pps_csv_row *row,
                               struct batch *batch, struct pps_fault *fault)
{
    const int cell = r->column[COLUMN_BATCH];
    const char *name = cell < row->n ? row->text[cell] : "";
    bool ready = false;
    int32_t lengths[2] = {0, -1};
    if (!r->has_next || strncmp(name, r->next.name, BATCH_NAME - 1) != 0) {
        ready = deliver(r, batch);
        begin(&r->next, r->number++, r->line);
        snprintf(r->next.name, sizeof r->next.name, "%s", name);
        r->has_next = true;
        r->is_refused = false;
    }
    if (r->is_refused)
        return BATCH_MORE;
    if (!read_row(r, row, lengths)) {
        r->is_refused = true;
        r->refused = r->next.number;
        batch_refuse(fault, r->line, 0, "expected lengths: whole numbers from 0 to 16777216");
        return ready ? BATCH_READY : BATCH_REFUSED;
    }
    if (!batch_add(&r->next, 0, lengths[0], lengths[1]))
        return BATCH_NO_MEMORY;
    return ready ? BATCH_READY : BATCH_MORE;
}

static enum batch_fed refuse_cells(struct batch_reader *r, bool header, struct pps_fault *fault)
{
    r->is_lost = header;
    return batch_refuse(fault, r->line, 0, "expected plain cells without quotes");
}

static enum batch_fed read_csv_line(struct batch_reader *r, const char *line, size_t n,
                                    bool header, struct batch *batch, struct pps_fault *fault)
{
    struct pps_csv_row row;
    char *cells = pps_grow(r->cells, &r->cells_room, n + PPS_CSV_LINE_ROOM, 1);
    if (cells == NULL)
        return BATCH_NO_MEMORY;
    r->cells = cells;
    if (!pps_csv_line_split(line, n, r->cells, &row)) {
        for (size_t k = 0; k < n; k++)
            if (!is_blank(line[k]))
                return refuse_cells(r, header, fault);
        return BATCH_MORE;
    }
    if (!header)
        return read_csv(r, &row, batch, fault);
    const enum batch_fed fed = read_header(r, &row, fault);
    r->is_lost = fed == BATCH_REFUSED;
    return fed;
}

// ---- lines ----------------------------------------------------------------------------------------

static enum form form_of(char first)
{
    return first == '[' || first == '{'                                       ? FORM_JSON
           : (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ? FORM_CSV
                                                                              : FORM_TEXT;
}

enum batch_fed batch_reader_line(struct batch_reader *r, const char *line, size_t n,
                                 struct batch *batch, struct pps_fault *fault)
{
    size_t at = 0;
    *fault = (struct pps_fault){.document = 0};
    if (r->line++ == 0 && n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
        line += 3;
        n -= 3;
    }
    const char *comment = r->form == FORM_JSON ? NULL : memchr(line, '#', n);
    if (comment != NULL && (r->form != FORM_CSV || comment == line))
        n = (size_t)(comment - line);
    while (at < n && is_blank(line[at]))
        at++;
    if (at == n || r->is_lost)
        return BATCH_MORE;
    const bool first = r->form == FORM_UNKNOWN;
    if (first)
        r->form = form_of(line[at]);
    switch (r->form) {
    case FORM_CSV:
        return read_csv_line(r, line, n, first, batch, fault);
    case FORM_JSON:
        r->refused = r->number;
        begin(batch, r->number++, r->line);
        return batch_read_json(line, n, r->line, batch, fault);
    case FORM_UNKNOWN:
    case FORM_TEXT:
        break;
    }
    return read_text(r, line, n, batch, fault);
}

enum batch_fed batch_reader_end(struct batch_reader *r, struct batch *batch,
                                struct pps_fault *fault)
{
    *fault = (struct pps_fault){.document = 0};
    return deliver(r, batch) ? BATCH_READY : BATCH_MORE;
}
