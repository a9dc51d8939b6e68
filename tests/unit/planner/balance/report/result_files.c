// SPDX-License-Identifier: Apache-2.0
// Files of a report: names, contents that read back, and nothing that is replaced without force.
#include "planner/balance/report/result_files.h"

#include "base/document/json.h"
#include "planner/balance/manual/manual_file.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/kernels/balance_golden.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct pps_gate closed; // replaces nothing

static struct balance_picture picture_of(struct balance_golden_replayed *r, const char *heading)
{
    return (struct balance_picture){heading,      &r->layers, &r->shape,
                                    &r->strategy, r->replay,  56000};
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    cr_assert(cJSON_IsNumber(item), "%s", name);
    return item->valuedouble;
}

Test(result_files, files_of_the_found_strategy)
{
    struct balance_golden_replayed r = balance_golden_replayed("simulate_04_175b.json", 0);
    const struct balance_picture found = picture_of(&r, "found");
    struct balance_files files = {.folder = "a/b", .gate = &closed};
    struct balance_manual_file read;
    struct pps_error err;
    struct pps_json plan;
    enter();
    cr_assert(balance_files_found(&files, &found, 0.001, (double)NAN, &err) == PPS_OK, "%s",
              err.text);
    cr_assert(is_there("a/b/result.svg") && is_there("a/b/megatron.txt"));
    // The published strategy is canonical, so the written one is the same.
    cr_assert(balance_manual_file_read(&read, "a/b/result.yaml", &r.layers, 16, 1, &err) ==
                  PPS_OK,
              "%s", err.text);
    cr_assert(balance_manual_file_fail(&read, 0, &err) == PPS_OK, "%s", err.text);
    cr_assert(read.manual.entries[0].strategy.chunks == 3);
    cr_assert(memcmp(read.manual.entries[0].strategy.count, r.strategy.count,
                     sizeof(int32_t) * BALANCE_KINDS * 48) == 0);
    balance_manual_file_free(&read);
    cr_assert(pps_json_load(&plan, "a/b/plan.json", &err) == PPS_OK);
    cr_assert(number(plan.root, "devices") == 16 && number(plan.root, "stages") == 48);
    pps_json_free(&plan);
    cr_assert(balance_files_found(&files, &found, 0.001, (double)NAN, &err) == PPS_E_INPUT);
    files.gate = &pps_gate_open;
    cr_assert(balance_files_found(&files, &found, 0.001, (double)NAN, &err) == PPS_OK);
    leave();
    balance_golden_done(&r);
}

Test(result_files, pictures_of_users_strategies)
{
    struct balance_golden_replayed a = balance_golden_replayed("simulate_04_175b.json", 0),
                                   b = balance_golden_replayed("simulate_04_175b.json", 2);
    const struct balance_picture found = picture_of(&a, "x"), manual = picture_of(&b, "y");
    const struct balance_files files = {.folder = ".", .gate = &closed};
    struct pps_error err;
    size_t n;
    enter();
    cr_assert(balance_files_manual(&files, "m.svg", &found, &manual, &err) == PPS_OK);
    cr_assert(is_there("m.svg") && is_there("Auto_m.svg"));
    char *text = slurp("Comparison_m.svg", &n);
    cr_assert(strstr(text, ">Automatic: x<") != NULL && strstr(text, ">Manual: y<") != NULL);
    free(text);
    cr_assert(balance_files_manual(&files, "alone.svg", NULL, &manual, &err) == PPS_OK);
    cr_assert(is_there("alone.svg") && !is_there("Auto_alone.svg"));
    leave();
    balance_golden_done(&a);
    balance_golden_done(&b);
}

Test(result_files, result_as_json)
{
    struct balance_golden_replayed a = balance_golden_replayed("simulate_04_175b.json", 0),
                                   b = balance_golden_replayed("simulate_04_175b.json", 2);
    const struct balance_reported both[] = {{"found", &a.shape, &a.strategy, &a.result},
                                            {"by \"hand\"", &b.shape, &b.strategy, &b.result}};
    struct text_buffer text = {0};
    struct pps_json json;
    struct pps_error err;
    balance_result_json(&a.layers, 56000, both, 2, &text);
    cr_assert(pps_json_parse(&json, "json", text.text, text.n, &err) == PPS_OK, "%d: %s",
              err.line, err.text);
    const cJSON *list = cJSON_GetObjectItem(json.root, "strategies"), *hand = list->child->next;
    cr_assert(number(list->child, "step_time") == a.result.makespan);
    cr_assert(number(list->child, "relative_speed") == 1);
    cr_assert(fabs(number(hand, "relative_speed") - 0.683) < 0.001);
    cr_assert(cJSON_IsTrue(cJSON_GetObjectItem(list->child, "fits")));
    cr_assert(cJSON_IsFalse(cJSON_GetObjectItem(hand, "fits")));
    cr_assert_str_eq(cJSON_GetObjectItem(hand, "name")->valuestring, "by \"hand\"");
    cr_assert_str_eq(cJSON_GetObjectItem(hand, "layout")->valuestring, "Et*6|(t*6|)*14t*6L");
    const cJSON *offset = cJSON_GetObjectItem(list->child, "offset");
    cr_assert(cJSON_GetArraySize(offset) == 3 && cJSON_GetArraySize(offset->child) == 16);
    cr_assert(cJSON_GetArraySize(cJSON_GetObjectItem(hand, "static_mib")) == 16);
    pps_json_free(&json);
    text_buffer_clear(&text);
    balance_result_json(&a.layers, (double)INFINITY, both, 1, &text);
    cr_assert_not_null(strstr(text.text, "\"limit_mib\": null"));
    cr_assert_not_null(strstr(text.text, "\"fits\": true"));
    text_buffer_free(&text);
    balance_golden_done(&a);
    balance_golden_done(&b);
}
