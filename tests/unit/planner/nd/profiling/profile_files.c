// SPDX-License-Identifier: Apache-2.0
// Plans of profile runs are documents of the forms their names say: what reads such forms reads
// them, and finds what was put in.
#include <criterion/criterion.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "base/document/plain.h"
#include "planner/nd/profiling/profile_files.h"

static const char user[] =
    "{\"hidden_size\":4096,\"name\":\"a \\\"b\\\" # \\\\c\",\"eps\":1e-06,"
    "\"gated\":true,\"sizes\":[1,2.5],\"unit\":\"yes\"}";

static const cJSON *find(const cJSON *tree, const char *key)
{
    for (const cJSON *child = tree->child; child != NULL; child = child->next) {
        if (child->string != NULL && strcasecmp(child->string, key) == 0)
            return child;
        const cJSON *below = find(child, key);
        if (below != NULL)
            return below;
    }
    return NULL;
}

static void read_back(struct nd_plan plan, const struct nd_profile_run *run)
{
    char name[ND_PLAN_NAME];
    struct text_buffer text = {0};
    struct plaindoc doc;
    struct pps_fault fault;
    nd_plan_name(&plan, run, name);
    nd_plan_write(&text, &plan, run);
    const enum plaindoc_form form = plaindoc_form_of(name);
    cr_assert_neq(form, PLAINDOC_NONE, "%s", name);
    cr_assert(plaindoc_parse(&doc, form, text.text, text.n, &fault), "%s:%d:%d: %s\n%s", name,
              fault.line, fault.column, fault.text, text.text);
    if (form == PLAINDOC_FLAT) {
        const cJSON *tp = find(doc.root, "TP");
        cr_expect(cJSON_IsNumber(tp) && tp->valuedouble == 2, "%s:\n%s", name, text.text);
    } else {
        const cJSON *hidden = find(doc.root, "hidden_size"), *word = find(doc.root, "name");
        cr_expect(cJSON_IsNumber(hidden) && hidden->valuedouble == 4096, "%s:\n%s", name,
                  text.text);
        cr_expect(cJSON_IsString(word) && strcmp(word->valuestring, "a \"b\" # \\c") == 0,
                  "%s:\n%s", name, text.text);
    }
    plaindoc_free(&doc);
    text_buffer_free(&text);
}

Test(nd_plandocs, read_back)
{
    const struct nd_profile_run run = {
        .strategy =
            {.dp = 4, .tp = 2, .cp = 1, .pp = 2, .ep = 8, .op = 4, .mbs = 2, .sp = true},
        .layers = 10,
        .n_stages = 2,
        .split = {1, 0},
    };
    cJSON *model = cJSON_Parse(user);
    for (int style = ND_PROFILE_GRAPH; style <= ND_PROFILE_FSDP; style++)
        read_back((struct nd_plan){.style = (enum nd_profile_style)style,
                                   .gbs = 64,
                                   .seq_length = 4096,
                                   .model = model},
                  &run);
    cJSON_Delete(model);
}
