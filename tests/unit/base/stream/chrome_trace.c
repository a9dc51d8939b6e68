// SPDX-License-Identifier: Apache-2.0
// Tests reading and writing of traces in the Chrome trace format.
#include "base/stream/chrome_trace.h"
#include "base/stream/chrome_write.h"

#include "base/text/text_buffer.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const char *const names[] = {"stream", "micro_batch", "rate", "flag",
                                    "value",  "name",        NULL};

// Writes one line per event: phase, name, category, start, duration, process, thread and the arguments.
static enum pps_status events_of(const char *path, struct text_buffer *out,
                                 struct pps_error *err)
{
    static const char kinds[] = "-nto";
    struct pps_chrome_trace *trace;
    const struct pps_chrome_event *event = NULL;
    enum pps_status status = pps_chrome_open(&trace, path, names, err);
    cr_assert_eq(status, PPS_OK, "%s", err->text);
    text_buffer_clear(out);
    while ((status = pps_chrome_next(trace, &event, err)) == PPS_OK && event != NULL) {
        text_buffer_add(out, "%c|%s|%s|%s|%s|%s|%s", event->phase != '\0' ? event->phase : '-',
                        event->name, event->category, event->start, event->duration,
                        event->process, event->thread);
        for (int k = 0; names[k] != NULL; k++)
            if (event->arguments[k].kind != PPS_CHROME_ABSENT)
                text_buffer_add(out, "|%s=%c%s", names[k], kinds[event->arguments[k].kind],
                                event->arguments[k].text);
        text_buffer_add(out, "\n");
    }
    text_buffer_add(out, "%s %d\n", pps_chrome_is_trace(trace) ? "trace" : "other",
                    pps_chrome_rank(trace));
    pps_chrome_close(trace);
    return status;
}

static const struct {
    const char *json, *events;
} cases[] = {
    {"[]", "other -1\n"},
    {"{}", "other -1\n"},
    {"5", "other -1\n"},
    {"{'traceEvents': []}", "trace -1\n"},
    {"{'traceEvents': {'a': [1]}, 'x': 1}", "other -1\n"},
    {"[{'ph': 'X', 'name': 'a', 'ts': 1710408000000123.456, 'dur': '2.5', 'pid': 7, 'tid': "
     "'main'}]",
     "X|a||1710408000000123.456|2.5|7|main\ntrace -1\n"},
    {"{'schema': {'deep': [[]]}, 'distributedInfo': {'backend': 'nccl', 'rank': 3},"
     " 'traceEvents': [{'name': 'b', 'cat': 'kernel', 'args': {'stream': 9, 'other': {'x': []},"
     " 'flag': null}}, 5, [1], {}], 'end': true}",
     "-|b|kernel|||||stream=n9|flag=onull\n-||||||\ntrace 3\n"},
    // values of the wrong kind
    {"[{'ph': 'XX', 'name': 5, 'cat': 1, 'ts': {}, 'dur': [], 'pid': null, 'args': [1]},"
     " {'ph': 1, 'args': 3}]",
     "-||||||\n-||||||\nother -1\n"},
    // an event has nothing of the event before it
    {"[{'ph': 'C', 'name': 'm', 'ts': 1, 'args': {'value': 2}}, {'ph': 'X'}]",
     "C|m||1||||value=n2\nX||||||\ntrace -1\n"},
};

static void spill_quoted(const char *json)
{
    char text[1000];
    snprintf(text, sizeof text, "%s", json);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    spill("a.json", text);
}

Test(chrome_trace, events, .init = enter, .fini = leave)
{
    struct text_buffer out = {.text = NULL};
    struct pps_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        spill_quoted(cases[i].json);
        cr_assert_eq(events_of("a.json", &out, &err), PPS_OK, "%s: %s", cases[i].json,
                     err.text);
        cr_assert_str_eq(out.text, cases[i].events, "%s\n%s", cases[i].json, out.text);
    }
    text_buffer_free(&out);
}

// Events before the damage are read, and the error has its place.
Test(chrome_trace, damage, .init = enter, .fini = leave)
{
    struct text_buffer out = {.text = NULL};
    struct pps_error err;
    spill_quoted("{'traceEvents': [{'ph': 'X', 'name': 'a'},\n {'ph': 'X', 'na");
    cr_assert_eq(events_of("a.json", &out, &err), PPS_E_INPUT);
    cr_assert_str_eq(out.text, "X|a|||||\ntrace -1\n");
    cr_assert(err.line == 2 && strstr(err.text, "truncated") != NULL, "%d: %s", err.line,
              err.text);
    text_buffer_free(&out);
}

// A compressed file without its trailer, or with another one, holds a whole document that may be wrong.
Test(chrome_trace, damaged_trailers, .init = enter, .fini = leave)
{
    static const char json[] = "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"a\"}]}";
    struct text_buffer out = {.text = NULL};
    struct pps_error err;
    struct stat at;
    gzFile file = gzopen("a.json.gz", "wb");
    gzputs(file, json);
    gzclose(file);
    cr_assert_eq(events_of("a.json.gz", &out, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(stat("a.json.gz", &at), 0);
    for (int cut = 1; cut <= 8; cut++) {
        cr_assert_eq(truncate("a.json.gz", at.st_size - cut), 0);
        cr_assert_eq(events_of("a.json.gz", &out, &err), PPS_E_INPUT, "%d bytes less", cut);
        cr_assert_not_null(strstr(err.text, "ends before its checksum"), "%s", err.text);
    }
    cr_assert_eq(truncate("a.json.gz", at.st_size), 0); // zeros for the trailer
    cr_assert_eq(events_of("a.json.gz", &out, &err), PPS_E_INPUT);
    cr_assert_not_null(strstr(err.text, "is damaged"), "%s", err.text);
    text_buffer_free(&out);
}

// Long names are cut.
Test(chrome_trace, long_texts, .init = enter, .fini = leave)
{
    struct text_buffer json = {.text = NULL};
    struct pps_chrome_trace *trace;
    const struct pps_chrome_event *event;
    struct pps_error err;
    text_buffer_add(&json, "[{\"ph\": \"X\", \"name\": \"%02000d\", \"ts\": 1}]", 0);
    spill("a.json", json.text);
    cr_assert_eq(pps_chrome_open(&trace, "a.json", NULL, &err), PPS_OK);
    cr_assert_eq(pps_chrome_next(trace, &event, &err), PPS_OK);
    cr_assert(event->n == PPS_CHROME_NAME - 1 && strlen(event->name) == event->n);
    cr_assert_str_eq(event->start, "1");
    pps_chrome_close(trace);
    text_buffer_free(&json);
}

// Catches texts that break the JSON, times with more than three decimals, and an event that overlaps the
// next one because its length was rounded up.
Test(chrome_trace, written_and_read, .init = enter, .fini = leave)
{
    static const char *const data[] = {"point", "n=\"8\"", NULL};
    struct text_buffer out = {.text = NULL};
    struct pps_chrome_writer w;
    struct pps_error err;
    FILE *file = fopen("a.json", "wb");
    const struct pps_chrome_span span = {"for\"ward\\\n", 3, 1, 2, 0.1, 0.2004};
    const struct pps_chrome_span next = {"f", 4, 1, 2, 0.2004, 1e300};
    pps_chrome_write_begin(&w, file);
    pps_chrome_name_process(&w, 1, "gpu 1", 8);
    pps_chrome_name_thread(&w, 1, 2, "compute", -1, 7);
    pps_chrome_begin_event(&w, &span);
    pps_chrome_write_whole(&w, "micro_batch", 5);
    pps_chrome_write_real(&w, "rate", 1.0 / 3);
    pps_chrome_write_flag(&w, "flag");
    pps_chrome_end_event(&w);
    pps_chrome_begin_event(&w, &next);
    pps_chrome_end_event(&w);
    pps_chrome_begin_counter(&w, 1, "memory", " limit", 1.23456);
    pps_chrome_write_real(&w, "value", 2.5);
    pps_chrome_end_event(&w);
    w.scale = 1000;
    pps_chrome_mark(&w, 1, "end", 1.5);
    pps_chrome_write_end(&w, data);
    fclose(file);
    cr_assert_eq(events_of("a.json", &out, &err), PPS_OK, "%s", err.text);
    cr_assert_str_eq(out.text, "M|process_name||||1||name=tgpu 1\n"
                               "M|process_sort_index||||1|\n"
                               "M|thread_name||||1|2|name=tcompute\n"
                               "M|thread_sort_index||||1|2\n"
                               "X|for\"ward\\  3||0.1|0.1|1|2|micro_batch=n5"
                               "|rate=n0.3333333333333333|flag=otrue\n"
                               "X|f 4||0.2|1e+300|1|2\n"
                               "C|memory limit||1.235||1||value=n2.5\n"
                               "i|end||1500||1|0\n"
                               "trace -1\n");
    text_buffer_free(&out);
}
