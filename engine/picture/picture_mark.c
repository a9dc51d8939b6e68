// SPDX-License-Identifier: Apache-2.0
// A picture mark is a text chunk before the end of a PNG, or a comment after the end of an SVG or
// a PDF.
#include "engine/picture/picture_mark.h"

#include "base/system/disk.h"
#include "base/system/whole_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

#define PICTURE_MAX ((size_t)256 << 20) // bytes

enum { PNG_END = 12, MARK_CAP = 128 };

// The last chunk of every PNG.
static const unsigned char png_end[PNG_END] = {0,   0,   0,    0,    'I',  'E',
                                               'N', 'D', 0xAE, 0x42, 0x60, 0x82};

struct picture {
    char *bytes;
    size_t n;
};

static enum pps_status read_picture(const char *path,
                                    struct picture *picture,
                                    struct pps_error *err)
{
    return pps_whole_file_read_regular(path, PICTURE_MAX, &picture->bytes, &picture->n, err);
}

static bool is_png(const struct picture *picture)
{
    return picture->n >= PNG_END &&
           memcmp(picture->bytes + picture->n - PNG_END, png_end, PNG_END) == 0;
}

static bool is_svg(const struct picture *picture)
{
    return picture->n > 5 && memcmp(picture->bytes, "<?xml", 5) == 0;
}

static bool is_pdf(const struct picture *picture)
{
    return picture->n > 5 && memcmp(picture->bytes, "%PDF-", 5) == 0;
}

static bool is_picture(const struct picture *picture)
{
    return is_png(picture) || is_svg(picture) || is_pdf(picture);
}

// ---- the mark ---------------------------------------------------------------------------------

static uint64_t result_digest(const char *result)
{
    char *real = realpath(result, NULL);
    const char *name = real == NULL ? result : real;
    const uint64_t digest = XXH64(name, strlen(name), 0);
    free(real);
    return digest;
}

static void put_big_endian(unsigned char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

// Writes a tEXt chunk (length, type, keyword, text, checksum) and the chunk that ends the
// picture.
static size_t png_mark(uint64_t picture, uint64_t result, unsigned char *out)
{
    char *text = (char *)out + 8;
    memcpy(text, "ppsweep", 8);
    const int n =
        8 + snprintf(text + 8, MARK_CAP - 32, "%016" PRIx64 " %016" PRIx64, picture, result);
    put_big_endian(out, (uint32_t)n);
    memcpy(out + 4, "tEXt", 4);
    put_big_endian(out + 8 + n, (uint32_t)crc32(0, out + 4, (uInt)n + 4));
    memcpy(out + 12 + n, png_end, PNG_END);
    return (size_t)n + 12 + PNG_END;
}

// Writes the bytes that follow the first n bytes of a marked picture; `out` has MARK_CAP bytes.
static size_t make_mark(const struct picture *picture,
                        size_t n,
                        const char *result,
                        unsigned char *out)
{
    const uint64_t digest = XXH64(picture->bytes, n, 0);
    if (is_png(picture))
        return png_mark(digest, result_digest(result), out);
    return (size_t)snprintf((char *)out, MARK_CAP,
                            is_pdf(picture) ? "%%ppsweep %016" PRIx64 " %016" PRIx64 "\n"
                                            : "<!-- ppsweep %016" PRIx64 " %016" PRIx64
                                              " -->\n",
                            digest, result_digest(result));
}

static enum pps_status write_marked(const char *path,
                                    const struct picture *picture,
                                    size_t n,
                                    const unsigned char *mark,
                                    size_t n_mark,
                                    struct pps_error *err)
{
    FILE *out = fopen(path, "wbe");
    if (out == NULL)
        return pps_disk_fail(err, "cannot write", path);
    fwrite(picture->bytes, 1, n, out);
    fwrite(mark, 1, n_mark, out);
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        return pps_disk_fail(err, "cannot write", path);
    return PPS_OK;
}

enum pps_status pps_picturemark_add(const char *path, const char *result, struct pps_error *err)
{
    struct picture picture;
    unsigned char mark[MARK_CAP];
    enum pps_status status = read_picture(path, &picture, err);
    if (status == PPS_OK && is_picture(&picture)) {
        const size_t n = picture.n - (is_png(&picture) ? PNG_END : 0);
        const size_t n_mark = make_mark(&picture, n, result, mark);
        status = write_marked(path, &picture, n, mark, n_mark, err);
    }
    free(picture.bytes);
    return status;
}

bool pps_picturemark_valid(const char *path, const char *result)
{
    struct picture picture;
    struct pps_error err;
    unsigned char mark[MARK_CAP];
    bool valid = false;
    if (read_picture(path, &picture, &err) == PPS_OK && is_picture(&picture)) {
        // all marks have the same length
        const size_t n_mark = make_mark(&picture, 0, result, mark);
        const size_t n = picture.n > n_mark ? picture.n - n_mark : 0;
        valid = n > 0 && make_mark(&picture, n, result, mark) == n_mark &&
                memcmp(picture.bytes + n, mark, n_mark) == 0;
    }
    free(picture.bytes);
    return valid;
}
