// SPDX-License-Identifier: Apache-2.0
// Writes the origin of a picture into the picture.
#include "engine/picture/picture_metadata.h"

#include "base/system/disk.h"
#include "base/system/whole_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PICTURE_MAX ((size_t)256 << 20) // bytes

enum { PNG_END = 12, CHUNK_TEXT = 1 << 16 };

struct picture {
    char *bytes;
    size_t n;
};

// ---- PNG ----------------------------------------------------------------------------------------

static void put_big_endian(FILE *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        fputc((int)(value >> shift & 0xFF), out);
}

// Writes an iTXt chunk, whose text is UTF-8, or for plain ASCII a tEXt chunk, which more programs
// show (PNG 1.2, sections 4.2.3.1 and 4.2.3.3).
static void put_chunk(FILE *out, const char *keyword, const char *text)
{
    char chunk[CHUNK_TEXT + 128];
    bool is_ascii = true;
    for (const char *c = text; *c != '\0'; c++)
        is_ascii = is_ascii && (unsigned char)*c < 128;
    const size_t n_keyword = strlen(keyword) + 1, most = CHUNK_TEXT;
    const size_t n_text = strlen(text) < most ? strlen(text) : most;
    const size_t gap = is_ascii ? 0 : 4; // compression, method, empty language and keyword
    memcpy(chunk, is_ascii ? "tEXt" : "iTXt", 4);
    memcpy(chunk + 4, keyword, n_keyword);
    memset(chunk + 4 + n_keyword, 0, gap);
    memcpy(chunk + 4 + n_keyword + gap, text, n_text);
    const size_t n = n_keyword + gap + n_text;
    put_big_endian(out, (uint32_t)n);
    fwrite(chunk, 1, n + 4, out);
    put_big_endian(out, (uint32_t)crc32(0, (const unsigned char *)chunk, (uInt)n + 4));
}

static void write_png(const struct picture *picture, const struct pps_picture_about *about,
                      FILE *out)
{
    char software[64];
    snprintf(software, sizeof software, "ppsweep %s", about->version);
    fwrite(picture->bytes, 1, picture->n - PNG_END, out);
    put_chunk(out, "Software", software);
    if (about->command != NULL)
        put_chunk(out, "Description", about->command);
    if (about->digest != NULL)
        put_chunk(out, "Source", about->digest);
    fwrite(picture->bytes + picture->n - PNG_END, 1, PNG_END, out);
}

// ---- SVG ----------------------------------------------------------------------------------------

static void put_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<' || *text == '>' || *text == '&')
            fprintf(out, "&#%d;", *text);
        else
            fputc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
    }
}

static void put_element(FILE *out, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(out, "<%s>", name);
    put_escaped(out, text);
    fprintf(out, "</%s>\n", name);
}

// The elements are those of Dublin Core.
static void put_metadata(FILE *out, const struct pps_picture_about *about)
{
    char creator[64];
    snprintf(creator, sizeof creator, "ppsweep %s", about->version);
    fputs("\n<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n", out);
    put_element(out, "dc:creator", creator);
    put_element(out, "dc:description", about->command);
    put_element(out, "dc:source", about->digest);
    fputs("</metadata>", out);
}

// Viewers blur an enlarged image unless it says otherwise.
static void put_sharp(FILE *out, const char *text, size_t n)
{
    static const char image[] = "<image ";
    static const char sharp[] = "style='image-rendering:optimizeSpeed;"
                                "image-rendering:pixelated' image-rendering='optimizeSpeed' ";
    for (const char *end = text + n; text < end;) {
        const char *next = memmem(text, (size_t)(end - text), image, sizeof image - 1);
        const char *stop = next == NULL ? end : next + sizeof image - 1;
        fwrite(text, 1, (size_t)(stop - text), out);
        if (next != NULL)
            fputs(sharp, out);
        text = stop;
    }
}

// XML has no control characters, but cells of a result may.
static void make_printable(struct picture *picture)
{
    for (size_t i = 0; i < picture->n; i++)
        if (iscntrl((unsigned char)picture->bytes[i]) &&
            strchr("\t\r\n", picture->bytes[i]) == NULL)
            picture->bytes[i] = '?';
}

static void write_svg(struct picture *picture, const struct pps_picture_about *about, FILE *out)
{
    static const char end[] = "</desc>";
    const char *desc = memmem(picture->bytes, picture->n, end, sizeof end - 1);
    const size_t head = desc == NULL ? 0 : (size_t)(desc - picture->bytes) + sizeof end - 1;
    make_printable(picture);
    fwrite(picture->bytes, 1, head, out);
    if (desc != NULL && about->version != NULL)
        put_metadata(out, about);
    put_sharp(out, picture->bytes + head, picture->n - head);
}

// ---- PDF ----------------------------------------------------------------------------------------

static const char *last(const struct picture *picture, const char *word)
{
    const size_t n = strlen(word);
    for (size_t at = picture->n < n ? 0 : picture->n - n + 1; at-- > 0;)
        if (memcmp(picture->bytes + at, word, n) == 0)
            return picture->bytes + at;
    return NULL;
}

// Replaces the date, such as /CreationDate (D:20260101000000Z), by spaces.
static void remove_date(struct picture *picture)
{
    char *date = memmem(picture->bytes, picture->n, "/CreationDate (D:", 17);
    const char *end = picture->bytes + picture->n;
    char *close = date == NULL ? NULL : memchr(date, ')', (size_t)(end - date));
    if (close != NULL && close - date < 64)
        memset(date, ' ', (size_t)(close - date) + 1);
}

// Writes a text in parentheses. Three bytes before it say that it is UTF-8 (PDF 2.0, section
// 7.9.2.2).
static void put_pdf_text(FILE *out, const char *text)
{
    bool is_ascii = true;
    for (const char *c = text; *c != '\0'; c++)
        is_ascii = is_ascii && (unsigned char)*c < 128;
    fputs(is_ascii ? "(" : "(\\357\\273\\277", out);
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text >= 128 || iscntrl((unsigned char)*text))
            fprintf(out, "\\%03o", (unsigned)(unsigned char)*text);
        else
            fprintf(out, "%s%c", strchr("()\\", *text) != NULL ? "\\" : "", *text);
    }
    fputs(")", out);
}

static long number_behind(const char *from, const char *key)
{
    const char *at = from == NULL ? NULL : strstr(from, key);
    return at == NULL ? -1 : strtol(at + strlen(key), NULL, 10);
}

// Appends an update (PDF 1.7, section 7.5.6) with new document information. A PDF without a
// classical table of its objects gets none.
static void write_pdf(struct picture *picture, const struct pps_picture_about *about, FILE *out)
{
    remove_date(picture);
    const char *trailer = last(picture, "trailer");
    const long size = number_behind(trailer, "/Size"), root = number_behind(trailer, "/Root");
    const long previous = number_behind(trailer, "startxref");
    fwrite(picture->bytes, 1, picture->n, out);
    if (size < 0 || root < 0 || previous < 0)
        return;
    const long object = ftell(out);
    fprintf(out, "%ld 0 obj\n<< /Creator (ppsweep %s)\n", size, about->version);
    if (about->command != NULL) {
        fputs("   /Subject ", out);
        put_pdf_text(out, about->command);
    }
    if (about->digest != NULL) {
        fputs("\n   /Keywords ", out);
        put_pdf_text(out, about->digest);
    }
    fputs("\n>>\nendobj\n", out);
    const long table = ftell(out);
    fprintf(out, "xref\n%ld 1\n%010ld 00000 n \n", size, object);
    fprintf(out,
            "trailer\n<< /Size %ld\n   /Root %ld 0 R\n   /Info %ld 0 R\n   /Prev %ld\n>>\n",
            size + 1, root, size, previous);
    fprintf(out, "startxref\n%ld\n%%%%EOF\n", table);
}

// ---- all ----------------------------------------------------------------------------------------

static uint32_t big_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// Returns whether all chunks are there, up to the last one, and match their checksums.
static bool is_whole_png(const struct picture *picture)
{
    enum { SIGNATURE = 8, FRAME = 12 }; // of a chunk: length, type, checksum
    for (size_t at = SIGNATURE; at + FRAME <= picture->n;) {
        const char *chunk = picture->bytes + at;
        const size_t n = big_endian(chunk);
        if (n > picture->n - at - FRAME ||
            big_endian(chunk + 8 + n) !=
                (uint32_t)crc32(0, (const unsigned char *)chunk + 4, (uInt)n + 4))
            return false;
        at += n + FRAME;
        if (memcmp(chunk + 4, "IEND", 4) == 0)
            return at == picture->n;
    }
    return false;
}

static bool ends(const struct picture *picture, const char *text)
{
    size_t n = picture->n;
    const size_t n_text = strlen(text);
    while (n > 0 && isspace((unsigned char)picture->bytes[n - 1]))
        n--;
    return n >= n_text && memcmp(picture->bytes + n - n_text, text, n_text) == 0;
}

static bool begins(const struct picture *picture, const char *magic, size_t n)
{
    return picture->n > n && memcmp(picture->bytes, magic, n) == 0;
}

// gnuplot does not notice that it could not write.
static bool is_whole(const struct picture *picture)
{
    if (begins(picture, "\x89PNG", 4))
        return is_whole_png(picture);
    if (begins(picture, "%PDF-", 5))
        return ends(picture, "%%EOF");
    return begins(picture, "<?xml", 5) && ends(picture, "</svg>");
}

static void write_about(struct picture *picture, const struct pps_picture_about *about,
                        FILE *out)
{
    const bool told = about->version != NULL;
    if (told && begins(picture, "\x89PNG", 4) && picture->n > PNG_END)
        write_png(picture, about, out);
    else if (told && begins(picture, "%PDF-", 5))
        write_pdf(picture, about, out);
    else if (begins(picture, "<?xml", 5))
        write_svg(picture, about, out);
    else
        fwrite(picture->bytes, 1, picture->n, out);
}

static enum pps_status rewrite(struct picture *picture, const char *path,
                               const struct pps_picture_about *about, struct pps_error *err)
{
    FILE *out = fopen(path, "wbe");
    if (out == NULL)
        return pps_disk_fail(err, "cannot write", path);
    write_about(picture, about, out);
    const bool failed = ferror(out) != 0;
    return fclose(out) == 0 && !failed ? PPS_OK : pps_disk_fail(err, "cannot write", path);
}

enum pps_status pps_picture_metadata_add(const char *path,
                                         const struct pps_picture_about *about,
                                         struct pps_error *err)
{
    struct picture picture;
    enum pps_status status =
        pps_whole_file_read_regular(path, PICTURE_MAX, &picture.bytes, &picture.n, err);
    if (status != PPS_OK)
        return status;
    if (!is_whole(&picture))
        status = pps_fail(err, PPS_E_MACHINE,
                          "gnuplot could not write all of %s; is the disk full?", path);
    else if (about->version != NULL)
        status = rewrite(&picture, path, about, err);
    free(picture.bytes);
    return status;
}
