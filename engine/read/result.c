// SPDX-License-Identifier: Apache-2.0
// Reads the lines of a result file, with a sliding window of text.
#include "engine/read/result_private.h"

#include "base/text/characters.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES ((size_t)1 << 20)    // longest row
#define WINDOW_BYTES   (2 * LINE_MAX_BYTES) // a row always fits once it has begun

// ---- lines ----------------------------------------------------------------------------------

static enum pps_status read_text(struct pps_result *result,
                                 char *out,
                                 size_t cap,
                                 size_t *n,
                                 struct pps_error *err)
{
    uint64_t skipped;
    if (result->blocks == NULL)
        return result->ahead != NULL ? pps_read_ahead_read(result->ahead, out, cap, n, err)
                                     : pps_text_source_read(result->source, out, cap, n, err);
    // A block ends with a whole line, so no line is left when the next block begins.
    const enum pps_status status =
        pps_needed_blocks_read(result->blocks, out, cap, n, &skipped, err);
    result->line += skipped;
    return status;
}

static double part_of(const struct pps_result *result)
{
    if (result->blocks != NULL)
        return pps_needed_blocks_part(result->blocks);
    return result->ahead != NULL ? pps_read_ahead_part(result->ahead)
                                 : pps_text_source_part(result->source);
}

// Moves the unread text to the start of the window and reads more text behind it.
static enum pps_status slide(struct pps_result *result, struct pps_error *err)
{
    size_t n = result->end - result->begin;
    memmove(result->window, result->window + result->begin, n);
    result->begin = 0;
    result->end = n;
    enum pps_status status = read_text(result, result->window + n, WINDOW_BYTES - n, &n, err);
    result->end += n;
    result->at_end = status == PPS_OK && n == 0;
    if (status == PPS_OK && result->watch.read != NULL && result->line > 0)
        result->watch.read(result->watch.self, result->at_end ? 1 : part_of(result),
                           pps_result_row(result));
    return status;
}

// Handles the rest of the window at the end of the source: nothing, or a line without its
// newline.
static enum pps_status end_of_text(struct pps_result *result, struct pps_error *err)
{
    if (result->begin == result->end || result->may_stop)
        return PPS_OK;
    result->line++;
    return pps_result_fail_line(result, err,
                                "the last line has no newline: the file is truncated");
}

// Reads the next line without its newline; NULL at the end.
static enum pps_status next_line(struct pps_result *result,
                                 struct pps_cell *line,
                                 struct pps_error *err)
{
    size_t seen = 0; // bytes of this line known to contain no newline
    line->text = NULL;
    for (;;) {
        const char *start = result->window + result->begin;
        size_t n = result->end - result->begin;
        const char *newline = memchr(start + seen, '\n', n - seen);
        size_t length = newline == NULL ? n : (size_t)(newline - start);
        if (length > LINE_MAX_BYTES) {
            result->line++;
            return pps_result_fail_line(result, err, "this line is longer than 1 MiB");
        }
        if (newline != NULL) {
            result->begin += length + 1;
            result->line++;
            *line = (struct pps_cell){start, length - (length > 0 && newline[-1] == '\r')};
            return PPS_OK;
        }
        seen = n;
        enum pps_status status = slide(result, err);
        if (status != PPS_OK)
            return status;
        if (result->at_end)
            return end_of_text(result, err);
    }
}

// ---- rows -------------------------------------------------------------------------------------

// Starts to read ahead at the first row. Pipes are not read ahead: a thread that waits for one cannot be ended.
static enum pps_status start_ahead(struct pps_result *result, struct pps_error *err)
{
    const bool asked = result->watch.ahead && result->source != NULL;
    result->watch.ahead = false;
    if (!asked || isnan(pps_text_source_part(result->source)))
        return PPS_OK;
    const enum pps_status status = pps_read_ahead_open(&result->ahead, result->source, err);
    if (status == PPS_OK)
        result->source = NULL;
    return status;
}

enum pps_status pps_result_next(struct pps_result *result,
                                const struct pps_cell **cells,
                                struct pps_error *err)
{
    struct pps_cell line;
    *cells = NULL;
    enum pps_status status = start_ahead(result, err);
    if (status == PPS_OK)
        status = next_line(result, &line, err);
    if (status == PPS_OK && line.text != NULL)
        status = pps_result_cut_line(result, line, err);
    if (status == PPS_OK && line.text != NULL) {
        pps_result_derive_cells(result);
        *cells = result->cells;
    }
    return status;
}

uint64_t pps_result_row(const struct pps_result *result)
{
    return result->line - 1;
}

// ---- the header line ------------------------------------------------------------------------

static void skip_mark(struct pps_cell *line)
{
    const size_t mark = pps_utf8_mark(line->text, line->n);
    *line = (struct pps_cell){line->text + mark, line->n - mark};
}

static enum pps_status read_header(struct pps_result *result, struct pps_error *err)
{
    struct pps_cell line;
    enum pps_status status = next_line(result, &line, err);
    if (status != PPS_OK)
        return status;
    if (line.text == NULL)
        return pps_fail_at(err, PPS_E_INPUT, result->name, 0, 0,
                           "is empty: expected a header line");
    skip_mark(&line);
    if (line.n == 0)
        return pps_result_fail_line(result, err, "the header line is empty");
    return pps_result_keep_names(result, line, err);
}

// ---- opening --------------------------------------------------------------------------------

static bool is_part(const char *path)
{
    size_t n = strlen(path);
    return n >= 5 && strcmp(path + n - 5, ".part") == 0;
}

static enum pps_status start(struct pps_result *result, const char *path, struct pps_error *err)
{
    result->may_stop = is_part(path);
    result->name = strdup(strcmp(path, "-") == 0 ? "stdin" : path);
    result->window = malloc(WINDOW_BYTES);
    if (result->name == NULL || result->window == NULL)
        return pps_fail_memory(err, "%s", path);
    enum pps_status status = pps_text_source_open_stoppable(
        &result->source, path, result->may_stop, result->watch.stop, err);
    return status == PPS_OK ? read_header(result, err) : status;
}

enum pps_status pps_result_open(struct pps_result **result,
                                const char *path,
                                struct pps_error *err)
{
    return pps_result_open_watched(result, path, &(struct pps_read_watch){.self = NULL}, err);
}

enum pps_status pps_result_open_watched(struct pps_result **result,
                                        const char *path,
                                        const struct pps_read_watch *watch,
                                        struct pps_error *err)
{
    *result = NULL;
    if (pps_ends_with(path, ".arrow") || pps_ends_with(path, ".npz"))
        return pps_fail(err, PPS_E_INPUT,
                        "%s: ppsweep does not read this format; name the .csv.gz, .csv or "
                        ".parquet file that it was converted from",
                        path);
    struct pps_result *r = calloc(1, sizeof *r);
    if (r == NULL)
        return pps_fail_memory(err, "%s", path);
    r->watch = *watch;
    enum pps_status status = start(r, path, err);
    if (status != PPS_OK) {
        pps_result_close(r);
        return status;
    }
    *result = r;
    return PPS_OK;
}

void pps_result_use_blocks(struct pps_result *result, struct pps_needed_blocks *blocks)
{
    const struct pps_block_counts counts = pps_needed_blocks_counts(blocks);
    pps_text_source_close(result->source);
    result->source = NULL;
    result->blocks = blocks;
    result->begin = result->end = 0;
    result->at_end = false;
    if (result->watch.chosen != NULL)
        result->watch.chosen(result->watch.self, &counts);
}

struct pps_block_counts pps_result_blocks(const struct pps_result *result)
{
    return result->blocks != NULL ? pps_needed_blocks_counts(result->blocks)
                                  : (struct pps_block_counts){.read = 0};
}

void pps_result_close(struct pps_result *result)
{
    if (result == NULL)
        return;
    pps_read_ahead_close(result->ahead);
    pps_text_source_close(result->source);
    pps_needed_blocks_close(result->blocks);
    free(result->name);
    free(result->window);
    free(result->header);
    free(result->names);
    free(result->cells);
    free(result->joined);
    free(result);
}
