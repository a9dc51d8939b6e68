// SPDX-License-Identifier: Apache-2.0
// Tests of the JSON stream.
#include "base/stream/json_stream.h"
#include "base/document/json.h"
#include "base/text/text_buffer.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Writes all tokens of a file as one text: brackets, k:KEY, s:STRING, n:NUMBER, words.
static enum pps_status tokens_of(const char *path, struct text_buffer *out,
                                 struct pps_error *err)
{
    static const char *const signs[] = {
        "", "{", "}", "[", "]", "k:", "s:", "n:", "true", "false", "null"};
    struct pps_json_stream *stream;
    struct pps_json_piece piece = {.token = PPS_JSON_NULL};
    enum pps_status status = pps_json_stream_open(&stream, path, err);
    while (status == PPS_OK && piece.token != PPS_JSON_END) {
        status = pps_json_stream_next(stream, &piece, err);
        if (status == PPS_OK)
            text_buffer_add(
                out, "%s%s%s ", signs[piece.token],
                piece.token >= PPS_JSON_KEY && piece.token <= PPS_JSON_NUMBER ? piece.text : "",
                "");
    }
    pps_json_stream_close(stream);
    return status;
}

static void check_tokens(const char *json, const char *wanted)
{
    struct text_buffer out = {.n = 0};
    struct pps_error err;
    spill("a.json", json);
    cr_assert_eq(tokens_of("a.json", &out, &err), PPS_OK, "%s: %s", json, err.text);
    cr_assert_str_eq(out.text, wanted);
    text_buffer_free(&out);
}

Test(json_stream, tokens, .init = enter, .fini = leave)
{
    check_tokens("{}", "{ }  ");
    check_tokens("\xef\xbb\xbf [ ] \n", "[ ]  ");
    check_tokens("[1,-2.5e+3,\"a\\n\\u00e9\\ud83d\\ude00\",true,false,null]",
                 "[ n:1 n:-2.5e+3 s:a\n\xc3\xa9\xf0\x9f\x98\x80 true false null ]  ");
    check_tokens("{\"a\": {\"b\": []}, \"c\" :1}", "{ k:a { k:b [ ] } k:c n:1 }  ");
    check_tokens("[NaN, -Infinity, inf, -nan]", "[ n:NaN n:-Infinity n:inf n:-nan ]  ");
    check_tokens("\"\\ud800x\\ud800\\u0041\\udc00\"", "s:\xef\xbf\xbdx\xef\xbf\xbd"
                                                      "A\xef\xbf\xbd  ");
    check_tokens("7", "n:7  ");
}

struct fault {
    const char *json;
    int line, column;
    const char *text;
    bool truncated;
};

// The place is that of the wrong text, also behind characters of several bytes.
Test(json_stream, faults, .init = enter, .fini = leave)
{
    static const char end[] = "the file ends within the document; it may be truncated";
    static const struct fault cases[] = {
        {"", 1, 1, end, true},
        {"{\"a\": [1, 2", 1, 12, end, true},
        {"[\"abc", 1, 6, end, true},
        {"[\"abc\\", 1, 7, end, true},
        {"{\"a\"", 1, 5, end, true},
        {"[1,\n 2,]", 2, 4, "expected a value", false},
        {"{\"\xc3\xa9\": x}", 1, 7, "x is not a JSON value", false},
        {"[1 2]", 1, 4, "expected , or ]", false},
        {"{\"a\" 1}", 1, 6, "expected a colon after the key", false},
        {"{a: 1}", 1, 2, "expected a key in double quotes", false},
        {"{\"a\": 1,}", 1, 9, "expected a key in double quotes", false},
        {"[1}", 1, 3, "expected , or ]", false},
        {"[01]", 1, 2, "01 is not a JSON value", false},
        {"[1.]", 1, 2, "1. is not a JSON value", false},
        {"[\"\\x\"]", 1, 4, "unknown escape in a string; write \\\\ for \\", false},
        {"[\"\\u12g4\"]", 1, 7, "expected 4 hexadecimal digits after \\u", false},
        {"[\"a\nb\"]", 1, 4, "a line ends within a string; write \\n", false},
        {"1 2", 1, 3, "text after the end of the document", false},
        {"[tru]", 1, 2, "tru is not a JSON value", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text_buffer out = {.n = 0};
        struct pps_error err;
        spill("a.json", cases[i].json);
        cr_assert_eq(tokens_of("a.json", &out, &err), PPS_E_INPUT, "%s", cases[i].json);
        cr_assert_str_eq(err.text, cases[i].text, "%s: %s", cases[i].json, err.text);
        cr_assert(err.line == cases[i].line && err.column == cases[i].column, "%s: %d:%d",
                  cases[i].json, err.line, err.column);
        text_buffer_free(&out);
    }
}

Test(json_stream, too_deep, .init = enter, .fini = leave)
{
    char json[PPS_JSON_STREAM_DEEPEST + 2];
    struct text_buffer out = {.n = 0};
    struct pps_error err;
    memset(json, '[', sizeof json);
    json[sizeof json - 1] = '\0';
    spill("a.json", json);
    cr_assert_eq(tokens_of("a.json", &out, &err), PPS_E_INPUT);
    cr_assert_str_eq(err.text, "nested more than 256 levels deep");
    cr_assert_eq(err.column, 257);
    text_buffer_free(&out);
}

// Writes one line of `n` objects; a long string begins every 1000th. gz: compressed.
static void write_large(const char *path, int n, bool gz)
{
    gzFile out = gzopen(path, gz ? "w1" : "wT");
    gzputs(out, "{\"traceEvents\": [");
    for (int i = 0; i < n; i++) {
        gzprintf(out, "%s{\"name\": \"\xc3\xa9 %d\", \"ts\": %d.5, \"args\": {\"a\": [1, {}]}",
                 i > 0 ? ", " : "", i, i);
        if (i % 1000 == 0) {
            gzputs(out, ", \"long\": \"");
            for (int k = 0; k < 10000; k++)
                gzputs(out, "0123456789");
            gzputs(out, "\"");
        }
        gzputs(out, "}");
    }
    gzputs(out, "]}");
    gzclose(out);
}

// Reads the numbers ts, skips args and long; returns the count of events.
static int sum_large(const char *path, double *sum)
{
    struct pps_json_stream *stream;
    struct pps_json_piece piece = {.token = PPS_JSON_NULL};
    struct pps_error err;
    int n = 0;
    cr_assert_eq(pps_json_stream_open(&stream, path, &err), PPS_OK);
    for (*sum = 0; piece.token != PPS_JSON_END;) {
        cr_assert_eq(pps_json_stream_next(stream, &piece, &err), PPS_OK, "%s", err.text);
        if (piece.token != PPS_JSON_KEY || piece.depth != 3)
            continue;
        if (strcmp(piece.text, "ts") == 0) {
            cr_assert_eq(pps_json_stream_next(stream, &piece, &err), PPS_OK);
            *sum += atof(piece.text);
            n++;
        } else {
            cr_assert_eq(pps_json_stream_skip(stream, &err), PPS_OK);
        }
    }
    pps_json_stream_close(stream);
    return n;
}

// Tokens that lie across two pieces of the buffer; plain and compressed files.
Test(json_stream, large, .init = enter, .fini = leave)
{
    enum { N = 20000 };
    for (int gz = 0; gz < 2; gz++) {
        double sum;
        write_large("a.json", N, gz);
        cr_assert_eq(sum_large("a.json", &sum), N);
        cr_assert_float_eq(sum, N * (N - 1.0) / 2 + 0.5 * N, 0);
    }
}

// A string beyond the limit keeps its beginning; a fault far behind has the right column.
Test(json_stream, long_strings_and_places, .init = enter, .fini = leave)
{
    struct pps_json_stream *stream;
    struct pps_json_piece piece;
    struct pps_error err;
    FILE *out = fopen("a.json", "w");
    fputs("[\"", out);
    for (int k = 0; k < 400000; k++)
        fputs("\xc3\xa9", out);
    fputs("\", ?", out);
    fclose(out);
    cr_assert_eq(pps_json_stream_open(&stream, "a.json", &err), PPS_OK);
    cr_assert_eq(pps_json_stream_next(stream, &piece, &err), PPS_OK);
    cr_assert_eq(pps_json_stream_next(stream, &piece, &err), PPS_OK);
    cr_assert_eq(piece.n, PPS_JSON_STREAM_TEXT);
    pps_json_stream_fail(stream, &err, "x");
    cr_assert_eq(err.column, 2);
    cr_assert_eq(pps_json_stream_next(stream, &piece, &err), PPS_E_INPUT);
    cr_assert_eq(err.column, 400006);
    pps_json_stream_close(stream);
}
