// SPDX-License-Identifier: Apache-2.0
// Tests of layer times from traces. They would catch sub-scopes that count, events outside forward passes, warm-up
// steps, and steps of another file.
#include "planner/balance/traces/layer_times.h"

#include "tests/unit/support/files.h"
#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void set_names(struct layer_times *settings, int part, const cJSON *names)
{
    const cJSON *name;
    if (cJSON_IsString(names))
        settings->names[part][settings->n_names[part]++] = names->valuestring;
    cJSON_ArrayForEach (name, names)
        if (cJSON_IsArray(names))
            settings->names[part][settings->n_names[part]++] = name->valuestring;
}

static struct layer_times usual(void)
{
    return (struct layer_times){
        .folder = ".",
        .micro_batches = 2,
        .names = {{"LlamaEmbedding"}, {"LLamaDecodeLayer"}, {"lm_head-Linear", "LlamaRMSNorm"}},
        .n_names = {1, 1, 2}};
}

Test(layer_times, golden_traces)
{
    static const char *const files[] = {"trace_01_default_names.json",
                                        "trace_02_custom_one_step.json"};
    static const char *const keys[] = {"head", "body", "tail"}, *const lists[] = {
                                                                    "head_layers",
                                                                    "body_layers",
                                                                    "tail_layers"};
    for (int i = 0; i < 2; i++) {
        cJSON *golden = golden_of("balance", files[i]);
        const cJSON *config = golden_item(golden, "profiling_config"), *file;
        enter();
        cJSON_ArrayForEach (file, golden_item(golden, "files")) {
            char *text = cJSON_PrintUnformatted(file);
            spill(file->string, text);
            free(text);
        }
        struct layer_times settings = usual();
        settings.micro_batches = golden_item(config, "micro_batch_num")->valueint;
        for (int part = 0; part < LAYER_PARTS; part++) {
            const cJSON *names = cJSON_GetObjectItem(config, lists[part]);
            if (names == NULL)
                continue;
            settings.n_names[part] = 0;
            set_names(&settings, part, names);
        }
        double times[LAYER_PARTS], backward[LAYER_PARTS];
        struct pps_error err;
        FILE *out = fopen("/dev/null", "w");
        cr_assert_eq(layer_times_read(&settings, NULL, times, backward, out, &err), PPS_OK,
                     "%s", err.text);
        for (int part = 0; part < LAYER_PARTS; part++)
            near(times[part],
                 golden_item(golden_item(golden, "expect"), keys[part])->valuedouble, 1e-9,
                 "%s %s", files[i], keys[part]);
        if (i == 0) // one of six layers lacks half of its backward scopes
            near(backward[LAYER_BODY], 5.999 * 11 / 12, 1e-9, "backward of body");
        fclose(out);
        cJSON_Delete(golden);
        leave();
    }
}

#define EVENT(name, thread, start, duration)                                                   \
    "{\"name\": \"" name "\", \"pid\": 3, \"tid\": " thread ", \"ph\": \"X\", \"ts\": " start  \
    ", \"dur\": " duration "}"

// One step: a norm inside a decode layer is not the tail's, a repeated event counts once, a backward does not count.
static const char one_step[] =
    "{\"traceEvents\": [" EVENT("MatMul-op1", "7", "0", "1") "," EVENT("Default", "0", "10", "1000") "," EVENT(
        "LlamaEmbedding", "1", "10",
        "100") "," EVENT("LlamaEmbedding", "1", "10",
                         "100") "," EVENT("model/0-LLamaDecodeLayer", "1", "110",
                                          "400") "," EVENT("model/0-LLamaDecodeLayer/"
                                                           "norm-LlamaRMSNorm/x",
                                                           "1", "110",
                                                           "50") "," EVENT("model/"
                                                                           "norm_out-"
                                                                           "LlamaRMSNorm",
                                                                           "1", "510",
                                                                           "30") "," EVENT("mod"
                                                                                           "el/"
                                                                                           "lm_"
                                                                                           "hea"
                                                                                           "d-"
                                                                                           "Lin"
                                                                                           "ea"
                                                                                           "r",
                                                                                           "1",
                                                                                           "54"
                                                                                           "0",
                                                                                           "70") "," EVENT("0-LLamaDecodeLayer",
                                                                                                           "1",
                                                                                                           "2000",
                                                                                                           "900") ", {\"name\": \"broken\"}]}";

Test(layer_times, only_own_scopes_of_forward_passes)
{
    double times[LAYER_PARTS], backward[LAYER_PARTS];
    struct pps_error err;
    enter();
    spill("trace_view0.json", one_step);
    struct layer_times settings = usual();
    FILE *out = fopen("/dev/null", "w");
    cr_assert_eq(layer_times_read(&settings, NULL, times, backward, out, &err), PPS_OK, "%s",
                 err.text);
    near(times[LAYER_HEAD], 0.05, 1e-12, "head");
    near(times[LAYER_BODY], 0.2, 1e-12, "body");
    near(times[LAYER_TAIL], 0.05, 1e-12, "tail");
    cr_expect_eq(backward[LAYER_BODY], 0, "no scope of a backward pass");
    settings.is_given[LAYER_BODY] = true; // replaces the traces
    settings.given[LAYER_BODY] = 7;
    cr_assert_eq(layer_times_read(&settings, NULL, times, backward, out, &err), PPS_OK, "%s",
                 err.text);
    near(times[LAYER_BODY], 7, 1e-12, "given");
    fclose(out);
    leave();
}

// A negative duration made a layer shorter, without a word.
Test(layer_times, negative_durations)
{
    double times[LAYER_PARTS], backward[LAYER_PARTS];
    struct pps_error err;
    enter();
    spill("a.json", "[" EVENT("MatMul-op1", "7", "0", "1") ",\n" EVENT(
                        "Default", "0", "10", "1000") ",\n" EVENT("0-LLamaDecodeLayer", "1",
                                                                  "110", "-400") "]");
    const struct layer_times settings = usual();
    cr_assert_eq(layer_times_read(&settings, NULL, times, backward, stderr, &err), PPS_E_INPUT);
    cr_expect(err.line == 3 && strstr(err.file, "a.json") != NULL, "%s:%d", err.file, err.line);
    cr_expect_not_null(strstr(err.text, "dur: -400 of 0-LLamaDecodeLayer is negative"));
    leave();
}

Test(layer_times, wrong_folders)
{
    double times[LAYER_PARTS], backward[LAYER_PARTS];
    struct pps_error err;
    enter();
    struct layer_times settings = usual();
    cr_expect_eq(layer_times_read(&settings, NULL, times, backward, stderr, &err), PPS_E_INPUT);
    cr_expect_not_null(strstr(err.text, "has no traces"));
    spill("a.json", "[{\"name\": \"Default\"}]");
    cr_expect_eq(layer_times_read(&settings, NULL, times, backward, stderr, &err), PPS_E_INPUT);
    cr_expect_not_null(strstr(err.text, "marks the steps"));
    spill("a.json", one_step);
    settings.names[LAYER_TAIL][0] = "Linear2";
    FILE *out = fopen("/dev/null", "w");
    cr_expect_eq(layer_times_read(&settings, NULL, times, backward, out, &err), PPS_E_INPUT);
    cr_expect_not_null(strstr(err.text, "no scope of Linear2"));
    spill("a.json", "[{]");
    cr_expect_eq(layer_times_read(&settings, NULL, times, backward, out, &err), PPS_E_INPUT);
    settings.folder = "/nowhere";
    cr_expect_eq(layer_times_read(&settings, NULL, times, backward, out, &err), PPS_E_INPUT);
    fclose(out);
    leave();
}
