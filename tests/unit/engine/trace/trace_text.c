// SPDX-License-Identifier: Apache-2.0
// Traces as text: the exact lines of the CSV, and JSON that a viewer can show.
#include "engine/trace/trace_text.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const tracks[] = {"compute", "down", NULL};
static const char *const kinds[] = {"forward", "fwd_prop", NULL};
static const char *const counters[] = {"memory_gib", NULL};
static const struct pps_trace_names names = {
    "gpu", "micro_batch", "throttled", tracks, kinds, counters, NULL, NULL, NULL};

// Two transfers of GPU 0 overlap, the second continues alone, and a third starts when it ends.
static const struct pps_piece pieces[] = {
    {0, 0, 0, 0, 1, 0, 1, 1, false, 0},
    {0, 1, 1, 0, 1, 1, 2.1, 0.5, false, 0},
    {0, 1, 1, 1, 2, 1, 2.1, 0.5, true, 0},
    {0, 1, 1, 1, 2, 2.1, 3, 1, false, 0},
    {5, 0, 0, 0, 1, 2.1, 3.1, 1, false, 0},
    {0, 1, 1, 2, 3, 3, 4, 0.30000000000000004, false, 0},
};
enum { N_PIECES = sizeof pieces / sizeof *pieces };

static char *write_trace(enum pps_trace_format format, int n)
{
    struct pps_tracefile *file;
    struct pps_error err;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pps_tracefile_open(&file, format, &names, out, &err), PPS_OK);
    const struct pps_trace_sink sink = pps_tracefile_sink(file);
    for (int i = 0; i < n; i++)
        sink.piece(sink.self, &pieces[i]);
    cr_assert_eq(pps_tracefile_close(file, &err), PPS_OK);
    fclose(out);
    return text;
}

// Catches columns in another order and numbers that do not read back.
Test(tracefile, csv_is_one_line_a_piece)
{
    char *text = write_trace(PPS_TRACE_CSV, N_PIECES);
    cr_assert_str_eq(text, "kind,micro_batch,gpu,start,end,rate,throttled\n"
                           "forward,0,0,0,1,1,0\n"
                           "fwd_prop,0,0,1,2.1,0.5,0\n"
                           "fwd_prop,1,0,1,2.1,0.5,1\n"
                           "fwd_prop,1,0,2.1,3,1,0\n"
                           "forward,0,5,2.1,3.1,1,0\n"
                           "fwd_prop,2,0,3,4,0.30000000000000004,0\n");
    free(text);
}

// Catches chunks that are lost, and chunks in the traces of kernels without chunks.
Test(tracefile, chunks_follow_the_flag)
{
    static const char *const wanted[] = {
        "start,end,rate,throttled,chunk\nmemory_gib limit,,3,,,64,,\nforward,7,0,0,1,1,1,2\n",
        "\"micro_batch\":7,\"rate\":1,\"throttled\":true,\"chunk\":2}}"};
    struct pps_trace_names chunked = names;
    chunked.chunk = "chunk";
    for (int f = 0; f < 2; f++) {
        struct pps_tracefile *file;
        struct pps_error err;
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        cr_assert_eq(pps_tracefile_open(&file, f == 0 ? PPS_TRACE_CSV : PPS_TRACE_CHROME,
                                        &chunked, out, &err),
                     PPS_OK);
        const struct pps_trace_sink sink = pps_tracefile_sink(file);
        sink.limit(sink.self, &(struct pps_limit){3, 0, 64});
        sink.piece(sink.self, &(struct pps_piece){0, 0, 0, 7, 1, 0, 1, 1, true, 2});
        cr_assert_eq(pps_tracefile_close(file, &err), PPS_OK);
        fclose(out);
        cr_expect(strstr(text, wanted[f]) != NULL, "%s", text);
        free(text);
    }
}

// Catches counters that are lost, or written under another name.
Test(tracefile, counters_and_limits_are_told)
{
    static const enum pps_trace_format formats[] = {PPS_TRACE_CSV, PPS_TRACE_CHROME};
    static const char *const wanted[] = {
        "kind,micro_batch,gpu,start,end,rate,throttled\n"
        "memory_gib limit,,3,,,64,\nmemory_gib,,3,1.5,,20.25,\n",
        "{\"ph\":\"C\",\"name\":\"memory_gib "
        "limit\",\"pid\":3,\"ts\":0,\"args\":{\"value\":64}},\n"
        "{\"ph\":\"C\",\"name\":\"memory_gib\",\"pid\":3,\"ts\":1.5,\"args\":{\"value\":20.25}"
        "}"};
    for (int f = 0; f < 2; f++) {
        struct pps_tracefile *file;
        struct pps_error err;
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        cr_assert_eq(pps_tracefile_open(&file, formats[f], &names, out, &err), PPS_OK);
        const struct pps_trace_sink sink = pps_tracefile_sink(file);
        sink.limit(sink.self, &(struct pps_limit){3, 0, 64});
        sink.level(sink.self, &(struct pps_level){3, 0, 1.5, 20.25});
        cr_assert_eq(pps_tracefile_close(file, &err), PPS_OK);
        fclose(out);
        cr_expect(strstr(text, wanted[f]) != NULL, "%s", text);
        free(text);
    }
}

static const char *text_of(const cJSON *event, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, key));
    return text == NULL ? "" : text;
}

static double number_of(const cJSON *event, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(event, key));
}

// Catches overlapping events of one thread, which viewers draw as nested events, and a transfer
// that changes lanes while it continues.
Test(tracefile, events_of_one_thread_never_overlap)
{
    char *text = write_trace(PPS_TRACE_CHROME, N_PIECES);
    cJSON *root = cJSON_Parse(text);
    cr_assert(root != NULL, "%s", text);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
    const cJSON *a, *b;
    int n_complete = 0, threads_of_1 = 0;
    double thread_of_1 = -1;
    cJSON_ArrayForEach(a, events)
    {
        if (strcmp(text_of(a, "ph"), "X") != 0)
            continue;
        n_complete++;
        if (strcmp(text_of(a, "name"), "fwd_prop 2") == 0 && number_of(a, "ts") < 3) {
            threads_of_1 += number_of(a, "tid") != thread_of_1;
            thread_of_1 = number_of(a, "tid");
        }
        cJSON_ArrayForEach(b, events)
        {
            if (a == b || strcmp(text_of(b, "ph"), "X") != 0 ||
                number_of(a, "pid") != number_of(b, "pid") ||
                number_of(a, "tid") != number_of(b, "tid"))
                continue;
            const double gap = number_of(b, "ts") - number_of(a, "ts");
            cr_assert(gap != 0 && (gap < 0 || gap >= number_of(a, "dur") - 1e-9));
        }
    }
    cr_assert_eq(n_complete, N_PIECES);
    cr_assert_eq(threads_of_1, 1);
    cJSON_Delete(root);
    free(text);
}

// Catches a process or a thread without a name, or with two names.
Test(tracefile, every_process_and_thread_has_one_name)
{
    char *text = write_trace(PPS_TRACE_CHROME, N_PIECES);
    cJSON *root = cJSON_Parse(text);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
    const cJSON *a, *b;
    cJSON_ArrayForEach(a, events)
    {
        int processes = 0, thread_names = 0;
        if (strcmp(text_of(a, "ph"), "X") != 0)
            continue;
        cJSON_ArrayForEach(b, events)
        {
            if (number_of(a, "pid") != number_of(b, "pid"))
                continue;
            processes += strcmp(text_of(b, "name"), "process_name") == 0;
            thread_names += strcmp(text_of(b, "name"), "thread_name") == 0 &&
                            number_of(a, "tid") == number_of(b, "tid");
        }
        cr_assert_eq(processes, 1);
        cr_assert_eq(thread_names, 1);
        const cJSON *args = cJSON_GetObjectItemCaseSensitive(a, "args");
        cr_assert(cJSON_HasObjectItem(args, "micro_batch") &&
                  cJSON_HasObjectItem(args, "rate") &&
                  cJSON_IsBool(cJSON_GetObjectItemCaseSensitive(args, "throttled")));
    }
    cJSON_Delete(root);
    free(text);
}

// Catches a stray comma in an empty trace.
Test(tracefile, an_empty_trace_is_json_too)
{
    char *text = write_trace(PPS_TRACE_CHROME, 0);
    cJSON *root = cJSON_Parse(text);
    cr_assert(cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(root, "traceEvents")), "%s", text);
    cJSON_Delete(root);
    free(text);
}

// Catches a full disk that is not reported.
Test(tracefile, a_failed_write_is_reported)
{
    struct pps_tracefile *file;
    struct pps_error err = {0};
    FILE *out = fopen("/dev/full", "w");
    cr_assert(out != NULL);
    cr_assert_eq(pps_tracefile_open(&file, PPS_TRACE_CSV, &names, out, &err), PPS_OK);
    cr_assert_eq(pps_tracefile_close(file, &err), PPS_E_MACHINE);
    cr_assert(strstr(err.text, "No space left") != NULL, "%s", err.text);
    fclose(out);
}
