// SPDX-License-Identifier: Apache-2.0
// Plans of profile runs are documents of the forms their names say: what reads such forms reads
// them, and finds what was put in.
#include <criterion/criterion.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "kernels/common/plaindoc.h"
#include "kernels/ndsearch/search/plans.h"

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
    struct textroom text = {0};
    struct plaindoc doc;
    struct plaindoc_fault fault;
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
    textroom_free(&text);
}

static const struct nd_profile_run small_run = {
    .strategy = {.dp = 4, .tp = 2, .cp = 1, .pp = 2, .ep = 8, .op = 4, .mbs = 2, .sp = true},
    .layers = 10,
    .n_stages = 2,
    .split = {1, 0},
};

Test(nd_plandocs, read_back)
{
    cJSON *model = cJSON_Parse(user);
    for (int style = ND_PROFILE_GRAPH; style <= ND_PROFILE_FSDP; style++)
        read_back((struct nd_plan){.style = (enum nd_profile_style)style,
                                   .gbs = 64,
                                   .seq_length = 4096,
                                   .model = model},
                  &small_run);
    cJSON_Delete(model);
}

static void compare_text(enum nd_profile_style style, int32_t layers, const char *wanted)
{
    cJSON *model = cJSON_Parse("{\"num_layers\":61,\"eps\":1e-06,\"act\":\"silu\",\"offset\":0,"
                               "\"rope\":{\"factor\":40,\"kind\":\"yarn\"},\"none\":null}");
    const struct nd_plan plan = {.style = style, .gbs = 64, .seq_length = 4096, .model = model};
    struct nd_profile_run run = small_run;
    struct textroom text = {0};
    run.layers = layers;
    run.n_stages = layers > 0 ? 2 : 0;
    nd_plan_write(&text, &plan, &run);
    cr_expect_str_eq(text.text, wanted, "style %d:\n%s", (int)style, text.text);
    textroom_free(&text);
    cJSON_Delete(model);
}

// The user's model goes along with all that it has; a run of fewer layers says these itself.
Test(nd_plandocs, text)
{
    compare_text(ND_PROFILE_GRAPH, 10,
                 "parallel_config:\n  data_parallel: 4\n  model_parallel: 2\n"
                 "  pipeline_stage: 2\n  context_parallel: 1\n  expert_parallel: 8\n"
                 "  use_seq_parallel: true\n  micro_batch_num: 8\n"
                 "parallel:\n  parallel_optimizer_config:\n    optimizer_weight_shard_size: 4\n"
                 "runner_config:\n  batch_size: 2\n"
                 "recompute_config:\n  recompute: [0, 0]\n"
                 "model:\n  model_config:\n    eps: 1.0e-06\n    act: silu\n"
                 "    rope:\n      factor: 40\n      kind: yarn\n    none: null\n"
                 "    num_layers: 10\n    offset: [1, 0]\n"
                 "profile: true\nprofile_start_step: 4\nprofile_stop_step: 6\n");
    compare_text(ND_PROFILE_FSDP, 0,
                 "[parallelism]\ndata_parallel_replicate_degree = 1\n"
                 "data_parallel_shard_degree = 4\ntensor_parallel_degree = 2\n"
                 "pipeline_parallel_degree = 2\ncontext_parallel_degree = 1\n"
                 "expert_parallel_degree = 8\n\n"
                 "[training]\nlocal_batch_size = 2\nglobal_batch_size = 64\n"
                 "micro_batch_num = 8\nseq_len = 4096\n\n"
                 "[profiling]\nenable_profiling = true\nprofile_freq = 20\n\n"
                 "[model]\nnum_layers = 61\neps = 1.0e-06\nact = \"silu\"\noffset = 0\n\n"
                 "[model.rope]\nfactor = 40\nkind = \"yarn\"\n");
}
