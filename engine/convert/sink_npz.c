// SPDX-License-Identifier: Apache-2.0
// Writes typed rows as a NumPy archive: one array per column. Arrays are contiguous, so each column
// waits in a temporary file beside the output until all rows are known.
#include "base/columns/npy.h"
#include "base/columns/typed_cells.h"
#include "base/system/disk.h"
#include "base/text/string_pool.h"
#include "engine/convert/sink.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { RAW_WINDOW = -15, LEVEL = 6, MEMORY = 9 };

// A column while rows arrive: one value of 8 bytes per row.
struct column {
    FILE *file;
    uint64_t n_empty;
    struct pps_string_pool texts; // values are numbers of texts, from 1; 0: empty
    size_t widest;                // of the texts, in characters
};

struct sink {
    struct pps_sink_target target;
    struct pps_typed_cells typed;
    struct column *columns;
    struct pps_zip_member *members;
    uint64_t n_rows;
    uint64_t *values; // of a block
    size_t room;
    struct text_buffer bytes;
    z_stream zlib;
    bool has_zlib;
};

static enum pps_status fail_memory(struct pps_error *err)
{
    return pps_fail_memory(err, "the arrays of an npz file");
}

// ---- opening ----------------------------------------------------------------------------------

// Opens a file without a name in the folder of the output.
static FILE *open_nameless(const char *path)
{
    char *folder = pps_disk_folder_of(path);
    const int fd = folder != NULL ? pps_disk_open_nameless(folder, false) : -1;
    free(folder);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (fd >= 0 && file == NULL)
        close(fd);
    return file;
}

static void close_npz(void *self)
{
    struct sink *sink = self;
    const int n = sink->target.schema->n;
    for (int c = 0; c < n && sink->columns != NULL; c++) {
        if (sink->columns[c].file != NULL)
            fclose(sink->columns[c].file);
        pps_string_pool_free(&sink->columns[c].texts);
    }
    for (int c = 0; c <= n && sink->members != NULL; c++)
        free(sink->members[c].name);
    if (sink->has_zlib)
        deflateEnd(&sink->zlib);
    pps_typed_cells_free(&sink->typed);
    text_buffer_free(&sink->bytes);
    free(sink->columns);
    free(sink->members);
    free(sink->values);
    free(sink);
}

static enum pps_status open_columns(struct sink *sink, struct pps_error *err)
{
    const int n = sink->target.schema->n;
    sink->columns = calloc((size_t)n, sizeof *sink->columns);
    sink->members = calloc((size_t)n + 1, sizeof *sink->members);
    sink->has_zlib = deflateInit2(&sink->zlib, LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY,
                                  Z_DEFAULT_STRATEGY) == Z_OK;
    if (sink->columns == NULL || sink->members == NULL || !sink->has_zlib)
        return fail_memory(err);
    for (int c = 0; c < n; c++) {
        sink->columns[c].file = open_nameless(sink->target.path);
        if (sink->columns[c].file == NULL)
            return pps_fail_errno(err, "cannot create a temporary file beside",
                                  sink->target.path);
    }
    return PPS_OK;
}

static enum pps_status open_npz(void **self, const struct pps_sink_target *target,
                                struct pps_error *err)
{
    struct sink *sink = calloc(1, sizeof *sink);
    *self = NULL;
    if (sink == NULL)
        return fail_memory(err);
    sink->target = *target;
    enum pps_status status = open_columns(sink, err);
    if (status == PPS_OK)
        *self = sink;
    else
        close_npz(sink);
    return status;
}

// ---- rows -------------------------------------------------------------------------------------

static size_t count_characters(const char *text, size_t n)
{
    size_t characters = 0;
    for (size_t i = 0; i < n; i++)
        characters += ((unsigned char)text[i] & 0xc0) != 0x80;
    return characters;
}

// Replaces the items of a column of text by their numbers.
static enum pps_status number_texts(struct sink *sink, struct column *column, uint64_t *numbers,
                                    struct pps_error *err)
{
    for (uint32_t i = 0; i < sink->typed.n_items; i++) {
        uint32_t n, id;
        const char *text = pps_typed_cells_text(&sink->typed, i, &n);
        enum pps_status status = pps_string_pool_add(&column->texts, text, n, &id, err);
        if (status != PPS_OK)
            return status;
        const size_t characters = count_characters(text, n);
        column->widest = characters > column->widest ? characters : column->widest;
        numbers[i] = (uint64_t)id + 1;
    }
    return PPS_OK;
}

static enum pps_status write_column(struct sink *sink, int c, struct pps_error *err)
{
    const struct pps_cell_columns *cells = &sink->typed.cells;
    struct column *column = &sink->columns[c];
    uint64_t *items = sink->typed.values;
    uint32_t before = 0;
    if (sink->typed.kind == PPS_CELLS_TEXT) {
        const enum pps_status status = number_texts(sink, column, items, err);
        if (status != PPS_OK)
            return status;
    }
    for (uint32_t row = 0; row < cells->n_rows; row++) {
        const bool is_empty = cells->end[row] == cells->start[row];
        sink->values[row] =
            is_empty ? 0 : items[pps_typed_cells_item(&sink->typed, row, before++)];
        if (is_empty && sink->typed.kind != PPS_CELLS_TEXT)
            sink->values[row] = UINT64_MAX; // NAN; no integer below 2^53 has these bits
        if (is_empty && sink->typed.kind == PPS_CELLS_INTEGER)
            sink->values[row] = (uint64_t)INT64_MIN;
    }
    column->n_empty += cells->n_empty;
    if (fwrite(sink->values, sizeof *sink->values, cells->n_rows, column->file) !=
        cells->n_rows)
        return pps_fail_errno(err, "cannot write a temporary file beside", sink->target.path);
    return PPS_OK;
}

static enum pps_status write_rows(void *self, const char *text, size_t n, uint64_t first_row,
                                  struct pps_error *err)
{
    struct sink *sink = self;
    const struct pps_schema *schema = sink->target.schema;
    enum pps_status status = pps_typed_cells_begin(&sink->typed, text, n, err);
    const size_t rows = sink->typed.cells.n_rows;
    if (status == PPS_OK && rows > sink->room) {
        free(sink->values);
        sink->values = malloc(rows * sizeof *sink->values);
        sink->room = sink->values != NULL ? rows : 0;
        status = sink->values != NULL ? PPS_OK : fail_memory(err);
    }
    for (int c = 0; c < schema->n && status == PPS_OK; c++) {
        status = pps_typed_cells_next(&sink->typed, schema->kinds[c], schema->names[c],
                                      first_row, err);
        if (status == PPS_OK)
            status = write_column(sink, c, err);
    }
    sink->n_rows += status == PPS_OK ? rows : 0;
    return status;
}

// ---- arrays -----------------------------------------------------------------------------------

// Compresses bytes of a member and writes them.
static enum pps_status add_bytes(struct sink *sink, struct pps_zip_member *member,
                                 const void *bytes, size_t n, bool is_last,
                                 struct pps_error *err)
{
    unsigned char out[1 << 16];
    z_stream *z = &sink->zlib;
    member->crc = (uint32_t)crc32_z(member->crc, bytes, n);
    member->raw += n;
    memcpy(&z->next_in, &bytes, sizeof bytes);
    z->avail_in = (uInt)n;
    do {
        z->next_out = out;
        z->avail_out = sizeof out;
        deflate(z, is_last ? Z_FINISH : Z_NO_FLUSH);
        const size_t packed = sizeof out - z->avail_out;
        member->packed += packed;
        enum pps_status status = pps_sink_write(&sink->target, out, packed, err);
        if (status != PPS_OK)
            return status;
    } while (z->avail_out == 0);
    return PPS_OK;
}

// Writes UTF-8 as `width` characters of 4 bytes.
static void widen(const char *text, size_t width, uint32_t *out)
{
    for (size_t i = 0; i < width; i++) {
        unsigned char byte = (unsigned char)*text;
        out[i] = byte;
        if (byte == 0)
            continue;
        const int more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
        if (more > 0)
            out[i] = byte & (0x3fU >> more);
        text++;
        for (int k = 0; k < more && ((unsigned char)*text & 0xc0) == 0x80; k++)
            out[i] = out[i] << 6 | ((unsigned char)*text++ & 0x3f);
    }
}

// What an array has for each value.
enum form { AS_IS, AS_BYTE, FROM_INTEGER, FROM_BOOLEAN, AS_TEXT };

struct layout {
    enum form form;
    size_t bytes; // of an item
    char dtype[24];
};

// Integers and booleans with missing values become doubles with NAN.
static struct layout layout_of(const struct column *column, enum pps_cell_kind kind)
{
    struct layout layout = {AS_IS, sizeof(uint64_t), "<f8"};
    if (kind == PPS_CELLS_TEXT) {
        const size_t width = column->widest > 0 ? column->widest : 1;
        layout = (struct layout){AS_TEXT, width * sizeof(uint32_t), ""};
        snprintf(layout.dtype, sizeof layout.dtype, "<U%zu", width);
    } else if (kind == PPS_CELLS_INTEGER && column->n_empty == 0) {
        strcpy(layout.dtype, "<i8");
    } else if (kind == PPS_CELLS_BOOLEAN && column->n_empty == 0) {
        layout = (struct layout){AS_BYTE, 1, "|b1"};
    } else if (kind != PPS_CELLS_REAL) {
        layout.form = kind == PPS_CELLS_INTEGER ? FROM_INTEGER : FROM_BOOLEAN;
    }
    return layout;
}

static void put_item(const struct layout *layout, const struct column *column, uint64_t value,
                     unsigned char *out)
{
    double number = (double)NAN;
    if (layout->form == AS_TEXT) {
        const char *text =
            value > 0 ? pps_string_pool_text(&column->texts, (uint32_t)value - 1) : "";
        widen(text, layout->bytes / sizeof(uint32_t), (uint32_t *)(void *)out);
        return;
    }
    if (layout->form == AS_BYTE) {
        *out = (unsigned char)value;
        return;
    }
    if (layout->form == FROM_INTEGER && value != (uint64_t)INT64_MIN)
        number = (double)(int64_t)value;
    if (layout->form == FROM_BOOLEAN && value != UINT64_MAX)
        number = (double)value;
    if (layout->form == AS_IS)
        memcpy(out, &value, sizeof value);
    else
        memcpy(out, &number, sizeof number);
}

static enum pps_status copy_items(struct sink *sink, struct column *column,
                                  const struct layout *layout, struct pps_zip_member *member,
                                  struct pps_error *err)
{
    uint64_t values[1024];
    unsigned char *items = malloc(sizeof values / sizeof *values * layout->bytes);
    enum pps_status status = items != NULL ? PPS_OK : fail_memory(err);
    for (size_t n = 1; n > 0 && status == PPS_OK;) {
        n = fread(values, sizeof *values, sizeof values / sizeof *values, column->file);
        for (size_t i = 0; i < n; i++)
            put_item(layout, column, values[i], items + i * layout->bytes);
        status = add_bytes(sink, member, items, n * layout->bytes, n == 0, err);
    }
    if (status == PPS_OK && ferror(column->file))
        status = pps_fail_errno(err, "cannot read a temporary file beside", sink->target.path);
    free(items);
    return status;
}

// Writes a member's record, with its sizes, in its place.
static enum pps_status write_local(struct sink *sink, const struct pps_zip_member *member,
                                   struct pps_error *err)
{
    text_buffer_clear(&sink->bytes);
    pps_zip_local(&sink->bytes, member);
    if (sink->bytes.failed)
        return fail_memory(err);
    if (fseeko(sink->target.out, (off_t)member->at, SEEK_SET) != 0)
        return pps_fail_errno(err, "cannot write", sink->target.path);
    return pps_sink_write(&sink->target, sink->bytes.text, sink->bytes.n, err);
}

static enum pps_status begin_member(struct sink *sink, struct pps_zip_member *member,
                                    const char *name, struct pps_error *err)
{
    const off_t at = ftello(sink->target.out);
    if (at < 0 || asprintf(&member->name, "%s.npy", name) < 0) {
        member->name = NULL;
        return fail_memory(err);
    }
    member->at = (uint64_t)at;
    deflateReset(&sink->zlib);
    return write_local(sink, member, err);
}

static enum pps_status end_member(struct sink *sink, const struct pps_zip_member *member,
                                  struct pps_error *err)
{
    enum pps_status status = write_local(sink, member, err);
    if (status == PPS_OK && fseeko(sink->target.out, 0, SEEK_END) != 0)
        return pps_fail_errno(err, "cannot write", sink->target.path);
    return status;
}

static enum pps_status write_array(struct sink *sink, int c, struct pps_error *err)
{
    const struct pps_schema *schema = sink->target.schema;
    struct column *column = &sink->columns[c];
    struct pps_zip_member *member = &sink->members[c];
    const struct layout layout = layout_of(column, schema->kinds[c]);
    struct text_buffer header = {.text = NULL};
    pps_npy_header(&header, layout.dtype, sink->n_rows);
    enum pps_status status = header.failed ? fail_memory(err) : PPS_OK;
    if (status == PPS_OK)
        status = begin_member(sink, member, schema->names[c], err);
    if (status == PPS_OK)
        status = add_bytes(sink, member, header.text, header.n, false, err);
    text_buffer_free(&header);
    // Not rewind: it forgets a failed write.
    if (status == PPS_OK &&
        (fflush(column->file) != 0 || fseeko(column->file, 0, SEEK_SET) != 0))
        status = pps_fail_errno(err, "cannot write a temporary file beside", sink->target.path);
    if (status == PPS_OK)
        status = copy_items(sink, column, &layout, member, err);
    return status == PPS_OK ? end_member(sink, member, err) : status;
}

// Writes the metadata as an array of one text.
static enum pps_status write_metadata(struct sink *sink, struct pps_error *err)
{
    const char *text = sink->target.metadata;
    const size_t width = count_characters(text, strlen(text)) + 1;
    struct pps_zip_member *member = &sink->members[sink->target.schema->n];
    uint32_t *wide = calloc(width, sizeof *wide);
    struct text_buffer header = {.text = NULL};
    char dtype[24];
    snprintf(dtype, sizeof dtype, "<U%zu", width);
    pps_npy_header(&header, dtype, 1);
    enum pps_status status = wide == NULL || header.failed ? fail_memory(err) : PPS_OK;
    if (status == PPS_OK)
        status = begin_member(sink, member, "ppsweep", err);
    if (status == PPS_OK)
        status = add_bytes(sink, member, header.text, header.n, false, err);
    if (status == PPS_OK) {
        widen(text, width, wide);
        status = add_bytes(sink, member, wide, width * sizeof *wide, true, err);
    }
    free(wide);
    text_buffer_free(&header);
    return status == PPS_OK ? end_member(sink, member, err) : status;
}

static enum pps_status finish_npz(void *self, struct pps_error *err)
{
    struct sink *sink = self;
    const int n = sink->target.schema->n;
    enum pps_status status = PPS_OK;
    for (int c = 0; c < n && status == PPS_OK; c++)
        status = write_array(sink, c, err);
    if (status == PPS_OK)
        status = write_metadata(sink, err);
    const off_t at = ftello(sink->target.out);
    if (status != PPS_OK || at < 0)
        return status != PPS_OK ? status
                                : pps_fail_errno(err, "cannot write", sink->target.path);
    text_buffer_clear(&sink->bytes);
    pps_zip_end(&sink->bytes, sink->members, (uint32_t)n + 1, (uint64_t)at);
    return sink->bytes.failed
               ? fail_memory(err)
               : pps_sink_write(&sink->target, sink->bytes.text, sink->bytes.n, err);
}

const struct pps_format pps_format_npz = {
    .name = "npz",
    .endings = {".npz"},
    .open = open_npz,
    .block = write_rows,
    .finish = finish_npz,
    .close = close_npz,
};
