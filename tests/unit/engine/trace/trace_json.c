// SPDX-License-Identifier: Apache-2.0
// Timelines as JSON: events, names, counters and loads that a viewer can show.
#include "engine/trace/trace_json.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const tracks[] = {"compute", "down", NULL};
static const char *const kinds[] = {"forward", "fwd_prop", NULL};
static const char *const counters[] = {"memory_gib", NULL};
static const struct pps_trace_names names = {.group = "gpu",
                                             .item = "micro_batch",
                                             .flag = "throttled",
                                             .tracks = tracks,
                                             .kinds = kinds,
                                             .counters = counters,
                                             .end = "total_time"};

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

static const struct pps_trace_window whole = {0, INFINITY};

// Writes n of the pieces as one point; with `second` all pieces again as a second point.
static char *write_named(const struct pps_trace_names *with, bool only_loads, int n,
                         bool second, struct pps_trace_window window)
{
    struct pps_tracejson *json;
    struct pps_error err;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pps_tracejson_open(&json, with, only_loads, out, &err), PPS_OK);
    for (int p = 0; p < (second ? 2 : 1); p++) {
        pps_tracejson_begin(json, p == 0 ? "toy: n=2" : "n=3 instead of 2",
                            !second  ? NULL
                            : p == 0 ? "A"
                                     : "B",
                            window);
        const struct pps_trace_sink sink = pps_tracejson_sink(json);
        for (int i = 0; i < (p == 0 ? n : N_PIECES); i++)
            sink.piece(sink.self, &pieces[i]);
        pps_tracejson_end(json, 4);
    }
    cr_assert_eq(pps_tracejson_close(json, "", &err), PPS_OK);
    fclose(out);
    return text;
}

static char *write_trace(int n)
{
    return write_named(&names, false, n, false, whole);
}

// Catches times with more than three decimals, what is usual in every event, and lost arguments.
Test(tracejson, events_are_short)
{
    static const struct pps_piece odd[] = {
        {0, 0, 0, 7, 7, 0, 1.00049, 1, false, 2},
        {0, 0, 0, 3, 9, 1.00049, 2.2, 1.0 / 3, true, 0},
    };
    struct pps_trace_names chunked = names;
    struct pps_tracejson *json;
    struct pps_error err;
    char *text = NULL;
    size_t size;
    chunked.chunk = "chunk";
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pps_tracejson_open(&json, &chunked, false, out, &err), PPS_OK);
    pps_tracejson_begin(json, "toy", NULL, whole);
    const struct pps_trace_sink sink = pps_tracejson_sink(json);
    for (int i = 0; i < 2; i++)
        sink.piece(sink.self, &odd[i]);
    pps_tracejson_end(json, 2.2);
    cr_assert_eq(pps_tracejson_close(json, "", &err), PPS_OK);
    fclose(out);
    cr_expect(strstr(text, "\"name\":\"forward 7\",\"pid\":0,\"tid\":1,\"ts\":0,\"dur\":1,"
                           "\"args\":{\"chunk\":2}}") != NULL,
              "%s", text);
    cr_expect(strstr(text, "\"name\":\"forward 9\",\"pid\":0,\"tid\":1,\"ts\":1,\"dur\":1.2,"
                           "\"args\":{\"micro_batch\":3,\"rate\":0.3333,\"throttled\":true,"
                           "\"chunk\":0}}") != NULL,
              "%s", text);
    free(text);
}

// Catches counters that are lost, or written under another name.
Test(tracejson, counters_and_limits_are_told)
{
    static const char wanted[] =
        "{\"ph\":\"C\",\"name\":\"memory_gib "
        "limit\",\"pid\":3,\"ts\":0,\"args\":{\"value\":64}},\n"
        "{\"ph\":\"C\",\"name\":\"memory_gib\",\"pid\":3,\"ts\":1.5,\"args\":{\"value\":20.25}"
        "}";
    struct pps_tracejson *json;
    struct pps_error err;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pps_tracejson_open(&json, &names, false, out, &err), PPS_OK);
    pps_tracejson_begin(json, "toy", NULL, whole);
    const struct pps_trace_sink sink = pps_tracejson_sink(json);
    sink.limit(sink.self, &(struct pps_limit){3, 0, 64});
    sink.level(sink.self, &(struct pps_level){3, 0, 1.5, 20.25});
    pps_tracejson_end(json, 2);
    cr_assert_eq(pps_tracejson_close(json, "", &err), PPS_OK);
    fclose(out);
    cr_expect(strstr(text, wanted) != NULL, "%s", text);
    free(text);
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
Test(tracejson, events_of_one_thread_never_overlap)
{
    char *text = write_trace(N_PIECES);
    cJSON *root = cJSON_Parse(text);
    cr_assert(root != NULL, "%s", text);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
    const cJSON *a, *b;
    int n_complete = 0, threads_of_1 = 0;
    double thread_of_1 = -1;
    cJSON_ArrayForEach (a, events) {
        if (strcmp(text_of(a, "ph"), "X") != 0)
            continue;
        n_complete++;
        if (strcmp(text_of(a, "name"), "fwd_prop 2") == 0 && number_of(a, "ts") < 3) {
            threads_of_1 += number_of(a, "tid") != thread_of_1;
            thread_of_1 = number_of(a, "tid");
        }
        cJSON_ArrayForEach (b, events) {
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
Test(tracejson, every_process_and_thread_has_one_name)
{
    char *text = write_trace(N_PIECES);
    cJSON *root = cJSON_Parse(text);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
    const cJSON *a, *b;
    cJSON_ArrayForEach (a, events) {
        int processes = 0, thread_names = 0;
        if (strcmp(text_of(a, "ph"), "X") != 0)
            continue;
        cJSON_ArrayForEach (b, events) {
            if (number_of(a, "pid") != number_of(b, "pid"))
                continue;
            processes += strcmp(text_of(b, "name"), "process_name") == 0;
            thread_names += strcmp(text_of(b, "name"), "thread_name") == 0 &&
                            number_of(a, "tid") == number_of(b, "tid");
        }
        cr_assert_eq(processes, 1);
        cr_assert_eq(thread_names, 1);
    }
    cJSON_Delete(root);
    free(text);
}

// Catches a stray comma in an empty trace.
Test(tracejson, an_empty_trace_is_json_too)
{
    char *text = write_trace(0);
    cJSON *root = cJSON_Parse(text);
    cr_assert(cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(root, "traceEvents")), "%s", text);
    cJSON_Delete(root);
    free(text);
}

// Returns the n-th event (from 0) of a phase with this name in a process; NULL: none.
static const cJSON *find_event(const cJSON *root, const char *ph, const char *name, int pid,
                               int n)
{
    const cJSON *event;
    cJSON_ArrayForEach (event, cJSON_GetObjectItemCaseSensitive(root, "traceEvents")) {
        if (strcmp(text_of(event, "ph"), ph) == 0 && number_of(event, "pid") == pid &&
            strncmp(text_of(event, "name"), name, strlen(name)) == 0 && n-- == 0)
            return event;
    }
    return NULL;
}

static double load_of(const cJSON *event, const char *key)
{
    return number_of(cJSON_GetObjectItemCaseSensitive(event, "args"), key);
}

// Catches loads that are no sums of rates, that belong to another time or group, or whose tracks are
// not summed as the kernel says; and a timeline without its end.
Test(tracejson, loads_and_the_end)
{
    static const char *const loads[] = {"compute", "network", NULL};
    static const int32_t of[] = {0, 1};
    struct pps_trace_names loaded = names;
    loaded.loads = loads;
    loaded.load_of = of;
    char *text = write_named(&loaded, false, N_PIECES, false, whole);
    cJSON *root = cJSON_Parse(text);
    const cJSON *first = find_event(root, "C", "load (mean of 0.0078125)", 0, 0);
    const cJSON *second = find_event(root, "C", "load", 0, 1);
    const cJSON *end = find_event(root, "i", "total_time 4", 999999, 0);
    cr_assert(first != NULL && second != NULL && end != NULL, "%s", text);
    cr_expect_eq(number_of(first, "ts"), 0);
    cr_expect_eq(load_of(first, "compute"), 1);
    cr_expect_eq(load_of(first, "network"), 0);
    cr_expect_eq(number_of(second, "ts"), 1);
    cr_expect_eq(load_of(second, "compute"), 0);
    cr_expect_eq(load_of(second, "network"), 1, "two transfers at half rate");
    cr_expect_eq(number_of(end, "ts"), 4);
    const cJSON *all = find_event(root, "C", "load", 999999, 0);
    cr_expect_eq(load_of(all, "compute"), 0.5, "of two GPUs one computes");
    const cJSON *point = cJSON_GetObjectItemCaseSensitive(root, "otherData");
    cr_expect_str_eq(text_of(point, "point"), "toy: n=2");
    cr_expect_str_eq(text_of(point, "total_time"), "4");
    cJSON_Delete(root);
    free(text);
}

// Catches segments in a file of loads, and groups without names there.
Test(tracejson, only_loads)
{
    char *text = write_named(&names, true, N_PIECES, false, whole);
    cJSON *root = cJSON_Parse(text);
    cr_assert(root != NULL && strstr(text, "\"ph\":\"X\"") == NULL, "%s", text);
    cr_expect(find_event(root, "C", "load", 5, 0) != NULL);
    cr_expect(find_event(root, "M", "process_name", 5, 0) != NULL);
    cJSON_Delete(root);
    free(text);
}

// Catches two points in the same processes.
Test(tracejson, two_points)
{
    char *text = write_named(&names, false, N_PIECES, true, whole);
    cJSON *root = cJSON_Parse(text);
    const cJSON *a = find_event(root, "M", "process_name", 0, 0);
    const cJSON *b = find_event(root, "M", "process_name", 1000000, 0);
    cr_assert(a != NULL && b != NULL, "%s", text);
    cr_expect(strstr(text, "\"name\":\"A gpu 0\"") != NULL);
    cr_expect(strstr(text, "\"name\":\"B gpu 5\"") != NULL);
    cr_expect(find_event(root, "X", "forward 1", 1000000, 0) != NULL);
    cr_expect(find_event(root, "i", "total_time", 1999999, 0) != NULL);
    cJSON_Delete(root);
    free(text);
}

// Catches an end that is marked in a part that it is not in.
Test(tracejson, an_end_outside_the_part)
{
    char *text = write_named(&names, false, 1, false, (struct pps_trace_window){0, 3});
    cr_expect(strstr(text, "\"ph\":\"i\"") == NULL, "%s", text);
    cr_expect(strstr(text, "\"total_time\":\"4\"") != NULL);
    free(text);
}

// Catches times that vanish because viewers know no time below a nanosecond.
Test(tracejson, small_times_are_scaled)
{
    struct pps_tracejson *json;
    struct pps_error err;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(pps_tracejson_open(&json, &names, false, out, &err), PPS_OK);
    pps_tracejson_begin(json, "toy", NULL, whole);
    const struct pps_trace_sink sink = pps_tracejson_sink(json);
    sink.piece(sink.self, &(struct pps_piece){0, 0, 0, 0, 0, 0, 2e-4, 1, false, 0});
    sink.piece(sink.self, &(struct pps_piece){0, 0, 0, 1, 1, 2e-4, 5e-4, 1, false, 0});
    cr_expect_eq(pps_tracejson_scale(json), 1000);
    pps_tracejson_end(json, 5e-4);
    cr_assert_eq(pps_tracejson_close(json, "", &err), PPS_OK);
    fclose(out);
    cr_expect(strstr(text, "\"ts\":0.2,\"dur\":0.3") != NULL, "%s", text);
    cr_expect(strstr(text, "1000 us of this file are 1 unit of time of the model") != NULL);
    free(text);
}

// Catches a full disk that is not reported.
Test(tracejson, a_failed_write_is_reported)
{
    struct pps_tracejson *json;
    struct pps_error err = {0};
    FILE *out = fopen("/dev/full", "w");
    cr_assert(out != NULL);
    cr_assert_eq(pps_tracejson_open(&json, &names, false, out, &err), PPS_OK);
    pps_tracejson_begin(json, "toy", NULL, whole);
    pps_tracejson_end(json, 0);
    cr_assert_eq(pps_tracejson_close(json, "", &err), PPS_E_MACHINE);
    cr_assert(strstr(err.text, "No space left") != NULL, "%s", err.text);
    fclose(out);
}
