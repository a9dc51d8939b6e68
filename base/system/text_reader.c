// SPDX-License-Identifier: Apache-2.0
// Reads plain, gzip or Parquet text from a file of any size through bounded buffers.
#include "base/system/text_reader.h"

#include "base/columns/parquet_read.h"
#include "base/system/input_wait.h"

#define ZLIB_CONST // next_in is a pointer to const

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define INPUT_BYTES ((size_t)256 << 10)

struct pps_text_source {
    char *name; // for errors
    int fd;
    bool may_stop;
    const atomic_bool *stop; // or NULL
    double bytes;            // of the file; 0: unknown
    double read;             // bytes read from the file
    bool is_gzip;
    bool in_member;  // inside a gzip member, before its trailer
    bool at_eof;     // of the file
    bool is_damaged; // reported after the text before the damage
    z_stream zlib;
    struct pps_parquet_stream *parquet; // or NULL
    const char *rows;                   // of the current row group, not used yet
    size_t rows_left;
    const unsigned char *at; // bytes read but not used yet
    size_t left;
    unsigned char input[INPUT_BYTES];
};

static enum pps_status fail(const struct pps_text_source *source, struct pps_error *err,
                            const char *text)
{
    return pps_fail_at(err, PPS_E_INPUT, source->name, 0, 0, "%s", text);
}

// Reads more bytes behind the remaining bytes, which must be at the start of the buffer.
static enum pps_status read_more(struct pps_text_source *source, struct pps_error *err)
{
    ssize_t n;
    if (!pps_input_wait(source->fd, source->stop))
        return pps_fail(err, PPS_E_STOPPED, "stopped while reading %s", source->name);
    do
        n = read(source->fd, source->input + source->left, INPUT_BYTES - source->left);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return pps_fail_errno(err, "cannot read", source->name);
    source->at_eof = n == 0;
    source->at = source->input;
    source->left += (size_t)n;
    source->read += (double)n;
    return PPS_OK;
}

static enum pps_status fill(struct pps_text_source *source, struct pps_error *err)
{
    return source->left > 0 || source->at_eof ? PPS_OK : read_more(source, err);
}

// ---- opening --------------------------------------------------------------------------------

static enum pps_status fail_missing(const char *path, struct pps_error *err)
{
    char part[4096];
    int n = snprintf(part, sizeof part, "%s.part", path);
    if (n > 0 && (size_t)n < sizeof part && access(part, F_OK) == 0)
        return pps_fail(err, PPS_E_INPUT, "%s does not exist, only %s of an interrupted run",
                        path, part);
    return pps_fail(err, PPS_E_INPUT, "%s does not exist", path);
}

static enum pps_status open_fd(const char *path, struct pps_text_source *source,
                               struct pps_error *err)
{
    struct stat at;
    int *fd = &source->fd;
    *fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 && errno == ENOENT)
        return fail_missing(path, err);
    if (*fd < 0) {
        const char *why = strerror(errno);
        return pps_fail(err, PPS_E_INPUT, "cannot open %s: %s", path, why);
    }
    if (fstat(*fd, &at) != 0)
        return PPS_OK;
    if (S_ISDIR(at.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is a folder: name a file in it", path);
    source->bytes = pps_input_bytes(*fd);
    return PPS_OK;
}

// Reads the next bytes of the file as they are.
static enum pps_status read_plain(struct pps_text_source *source, char *out, size_t cap,
                                  size_t *n, struct pps_error *err)
{
    enum pps_status status = fill(source, err);
    *n = source->left < cap ? source->left : cap;
    memcpy(out, source->at, *n);
    source->at += *n;
    source->left -= *n;
    return status;
}

static enum pps_status pull_plain(void *self, void *data, size_t n, size_t *got,
                                  struct pps_error *err)
{
    return read_plain(self, data, n, got, err);
}

static enum pps_status open_parquet(struct pps_text_source *source, struct pps_error *err)
{
    const struct pps_parquet_source from = {source, pull_plain, source->may_stop, source->stop};
    source->parquet = pps_parquet_stream_open(&from);
    return source->parquet != NULL ? PPS_OK : pps_fail_memory(err, "%s", source->name);
}

// Detects gzip and Parquet by the first bytes.
static enum pps_status see_kind(struct pps_text_source *source, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    while (source->left < 4 && !source->at_eof && status == PPS_OK)
        status = read_more(source, err);
    if (status != PPS_OK)
        return status;
    if (source->left >= 4 && memcmp(source->at, "PAR1", 4) == 0)
        return open_parquet(source, err);
    source->is_gzip = source->left >= 2 && source->at[0] == 0x1f && source->at[1] == 0x8b;
    source->in_member = source->is_gzip;
    if (source->is_gzip && inflateInit2(&source->zlib, 15 + 16) != Z_OK)
        return pps_fail_memory(err, "zlib");
    return PPS_OK;
}

enum pps_status pps_text_source_open(struct pps_text_source **source, const char *path,
                                     bool may_stop, struct pps_error *err)
{
    return pps_text_source_open_stoppable(source, path, may_stop, NULL, err);
}

enum pps_status pps_text_source_open_stoppable(struct pps_text_source **source,
                                               const char *path, bool may_stop,
                                               const atomic_bool *stop, struct pps_error *err)
{
    *source = NULL;
    struct pps_text_source *s = calloc(1, sizeof *s);
    if (s == NULL)
        return pps_fail_memory(err, "%s", path);
    s->fd = -1;
    s->may_stop = may_stop;
    s->stop = stop;
    s->at = s->input;
    s->name = strdup(strcmp(path, "-") == 0 ? "stdin" : path);
    enum pps_status status =
        s->name == NULL ? pps_fail_memory(err, "a path") : open_fd(path, s, err);
    if (status == PPS_OK)
        status = see_kind(s, err);
    if (status != PPS_OK) {
        pps_text_source_close(s);
        return status;
    }
    *source = s;
    return PPS_OK;
}

bool pps_text_source_is_truncated(const struct pps_text_source *source)
{
    return source->in_member && source->at_eof && source->left == 0;
}

struct pps_parquet_stream *pps_text_source_parquet(struct pps_text_source *source)
{
    return source->rows_left == 0 ? source->parquet : NULL;
}

double pps_text_source_part(const struct pps_text_source *source)
{
    if (source->bytes <= 0)
        return (double)NAN;
    return fmin((source->read - (double)source->left) / source->bytes, 1);
}

void pps_text_source_close(struct pps_text_source *source)
{
    if (source == NULL)
        return;
    if (source->is_gzip)
        inflateEnd(&source->zlib);
    pps_parquet_stream_close(source->parquet);
    if (source->fd >= 0)
        close(source->fd);
    free(source->name);
    free(source);
}

// ---- reading --------------------------------------------------------------------------------

// Calls inflate once on the remaining bytes.
static int inflate_some(struct pps_text_source *source, char *out, size_t cap, size_t *n)
{
    z_stream *z = &source->zlib;
    uInt room = cap < UINT_MAX ? (uInt)cap : UINT_MAX;
    z->next_in = source->at;
    z->avail_in = (uInt)source->left;
    z->next_out = (unsigned char *)out;
    z->avail_out = room;
    int rc = inflate(z, Z_NO_FLUSH);
    source->at = z->next_in;
    source->left = z->avail_in;
    *n = room - z->avail_out;
    return rc;
}

static enum pps_status judge(struct pps_text_source *source, int rc, struct pps_error *err)
{
    if (rc == Z_MEM_ERROR)
        return pps_fail_memory(err, "zlib");
    source->in_member = rc != Z_STREAM_END;
    source->is_damaged = rc != Z_STREAM_END && rc != Z_OK && rc != Z_BUF_ERROR;
    return PPS_OK;
}

static enum pps_status read_gzip(struct pps_text_source *source, char *out, size_t cap,
                                 size_t *n, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (*n = 0; *n == 0 && status == PPS_OK;) {
        if (source->is_damaged)
            return fail(source, err, "is damaged: its compressed data is invalid");
        status = fill(source, err);
        if (status != PPS_OK)
            break;
        if (source->left == 0) // end of file, perhaps too early
            return source->in_member && !source->may_stop
                       ? fail(source, err, "is truncated: its end is missing")
                       : PPS_OK;
        if (!source->in_member && inflateReset(&source->zlib) == Z_OK)
            source->in_member = true;
        status = judge(source, inflate_some(source, out, cap, n), err);
    }
    return status;
}

// Copies the rows of a row group, and reads the next one when they are used up. Empty row groups
// are skipped.
static enum pps_status read_parquet(struct pps_text_source *source, char *out, size_t cap,
                                    size_t *n, struct pps_error *err)
{
    if (source->rows_left == 0) {
        enum pps_status status =
            pps_parquet_stream_next(source->parquet, &source->rows, &source->rows_left, err);
        if (status == PPS_E_INPUT && err->file[0] == '\0')
            snprintf(err->file, sizeof err->file, "%s", source->name);
        if (status != PPS_OK)
            return status;
    }
    *n = source->rows_left < cap ? source->rows_left : cap;
    memcpy(out, source->rows, *n);
    source->rows += *n;
    source->rows_left -= *n;
    return PPS_OK;
}

enum pps_status pps_text_source_read(struct pps_text_source *source, char *out, size_t cap,
                                     size_t *n, struct pps_error *err)
{
    *n = 0;
    if (source->parquet != NULL)
        return read_parquet(source, out, cap, n, err);
    return source->is_gzip ? read_gzip(source, out, cap, n, err)
                           : read_plain(source, out, cap, n, err);
}
