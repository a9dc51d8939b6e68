// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a JSON document that is read token by token. A document that the
// reader of whole documents accepts must give the same values; a rejected document must have a place.
#include "tests/fuzz/support/bytes.h"

#include "base/document/json.h"
#include "base/stream/json_stream.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int condition)
{
    if (!condition)
        abort();
}

static struct pps_json_piece next(struct pps_json_stream *stream)
{
    struct pps_json_piece piece;
    struct pps_error err;
    require(pps_json_stream_next(stream, &piece, &err) == PPS_OK);
    return piece;
}

// Compares a value of the whole document with the tokens of the stream, in document order.
static void compare(const cJSON *item, struct pps_json_stream *stream, bool has_key)
{
    struct pps_json_piece piece;
    if (has_key) {
        piece = next(stream);
        require(piece.token == PPS_JSON_KEY && strcmp(piece.text, item->string) == 0);
    }
    piece = next(stream);
    if (cJSON_IsObject(item) || cJSON_IsArray(item)) {
        require(piece.token == (cJSON_IsObject(item) ? PPS_JSON_OBJECT : PPS_JSON_ARRAY));
        for (const cJSON *child = item->child; child != NULL; child = child->next)
            compare(child, stream, cJSON_IsObject(item));
        piece = next(stream);
        require(piece.token ==
                (cJSON_IsObject(item) ? PPS_JSON_OBJECT_END : PPS_JSON_ARRAY_END));
    } else if (cJSON_IsString(item)) {
        require(piece.token == PPS_JSON_STRING && strcmp(piece.text, item->valuestring) == 0);
    } else if (cJSON_IsNumber(item)) {
        require(piece.token == PPS_JSON_NUMBER &&
                strtod(piece.text, NULL) == item->valuedouble);
    } else {
        require(piece.token == (cJSON_IsTrue(item)    ? PPS_JSON_TRUE
                                : cJSON_IsFalse(item) ? PPS_JSON_FALSE
                                                      : PPS_JSON_NULL));
    }
}

// Reads all tokens; skips the values behind some keys. Returns whether the document is accepted.
static bool read_all(const char *path, unsigned skip)
{
    struct pps_json_stream *stream;
    struct pps_json_piece piece = {.token = PPS_JSON_NULL};
    struct pps_error err = {.line = 0};
    enum pps_status status = pps_json_stream_open(&stream, path, &err);
    for (unsigned k = 0; status == PPS_OK && piece.token != PPS_JSON_END; k++) {
        status = pps_json_stream_next(stream, &piece, &err);
        require(status != PPS_OK || piece.n == strlen(piece.text) || piece.n > 0);
        if (status == PPS_OK && skip != 0 && k % skip == 0)
            status = pps_json_stream_skip(stream, &err);
    }
    require(status == PPS_OK || stream == NULL || (err.line > 0 && err.text[0] != '\0'));
    pps_json_stream_close(stream);
    return status == PPS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct bytes_file file = bytes_open(data, n);
    struct pps_json json;
    struct pps_error err;
    const bool accepted = read_all(file.path, 0);
    require(read_all(file.path, 3) == accepted);
    if (pps_json_parse(&json, "fuzz", (const char *)data, n, &err) == PPS_OK) {
        struct pps_json_stream *stream;
        if (memmem(data, n, "//", 2) == NULL) { // comments are read from whole documents only
            require(accepted);
            require(pps_json_stream_open(&stream, file.path, &err) == PPS_OK);
            compare(json.root, stream, false);
            require(next(stream).token == PPS_JSON_END);
            pps_json_stream_close(stream);
        }
        pps_json_free(&json);
    }
    bytes_close(&file);
    return 0;
}
