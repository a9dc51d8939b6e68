// SPDX-License-Identifier: Apache-2.0
// Profile ratios: their table, raw layer times, and the choice of ratios for a strategy.
#include "planner/figures/ratios.h"
#include "tests/unit/support/near.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static bool read_profiles(struct nd_profiles *profiles, const char *text,
                          struct pps_fault *fault)
{
    struct table *table;
    *profiles = (struct nd_profiles){0};
    const bool read = table_read_csv(&table, text, strlen(text), fault) &&
                      nd_profiles_read(profiles, table, fault);
    table_free(table);
    return read;
}

// ---- the table -----------------------------------------------------------------------------------

Test(nd_ratios, table)
{
    struct nd_profiles profiles;
    struct pps_fault fault = {0};
    cr_assert(read_profiles(&profiles,
                            "dp,tp,pp,ep,dmratio,bfratio,re_grow_ration,hratio,moe_fw\n"
                            "128,1,8,8,0.397,1.839,1,2.7,9.5\n"
                            "64,2,8,8,,,,,\n",
                            &fault),
              "%s", fault.text);
    cr_assert_eq(profiles.n, 2);
    cr_assert_eq(profiles.rows[0].dp, 128);
    cr_assert_eq(profiles.rows[0].cp, 1);
    near(profiles.rows[0].ratios.dense, 0.397, 1e-9, "dense");
    near(profiles.rows[0].ratios.backward, 1.839, 1e-9, "backward");
    near(profiles.rows[0].ratios.recompute, 1.0, 1e-9, "recompute");
    near(profiles.rows[0].ratios.head, 2.7, 1e-9, "head");
    near(profiles.rows[0].ratios.layer_ms, 9.5, 1e-9, "layer_ms");
    cr_assert(isnan(profiles.rows[1].ratios.dense) && isnan(profiles.rows[1].ratios.layer_ms));
    nd_profiles_free(&profiles);
}

// Catches columns out of step with their names.
Test(nd_ratios, every_column)
{
    struct nd_profiles profiles;
    struct pps_fault fault = {0};
    cr_assert(read_profiles(&profiles,
                            "dp,tp,pp,ep,cp,op,mbs,seq_length,"
                            "dmratio,bfratio,re_grow_ration,hratio,moe_bw\n"
                            "128,1,8,16,2,-1,4,4096,0.1,1.9,,2.7,0.001\n",
                            &fault),
              "%s", fault.text);
    const struct nd_profile *read = &profiles.rows[0];
    cr_assert(read->dp == 128 && read->tp == 1 && read->pp == 8 && read->ep == 16 &&
              read->cp == 2 && read->op == -1 && read->mbs == 4 && read->seq_length == 4096);
    cr_assert(read->ratios.dense == 0.1 && read->ratios.backward == 1.9 &&
              isnan(read->ratios.recompute) && read->ratios.head == 2.7 &&
              read->ratios.layer_ms == 1e-3);
    nd_profiles_free(&profiles);
}

Test(nd_ratios, tables_that_are_refused)
{
    static const struct {
        const char *text;
        int64_t line;
        const char *message;
    } CASES[] = {
        {"dp,tp,ep\n1,1,1\n", 1, "pp: no column is named so"},
        {"dp,tp,pp,moe_bw,moe_fw\n1,1,1,1,1\n", 1,
         "moe_bw: two columns have this name (or moe_fw)"},
        {"dp,tp,pp,bfratio\n1,1,1,-2\n", 2, "bfratio: must be at least 0 (got -2)"},
        {"dp,tp,pp,moe_bw\n1,1,1,0\n", 2,
         "moe_bw: must be > 0: ms of one layer's forward (got 0)"},
        {"dp,tp,pp,op\n1,1,1,0\n", 2, "op: must be at least 1, or -1 for not searched (got 0)"},
        {"dp,tp,pp\n1,1,1\n#\n2,1,1\n1,1,1\n", 5,
         "same configuration as in line 2; remove one of them"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct nd_profiles profiles;
        struct pps_fault fault = {0};
        cr_assert(!read_profiles(&profiles, CASES[i].text, &fault), "%zu passed", i);
        cr_assert_str_eq(fault.text, CASES[i].message);
        cr_assert_eq(fault.line, CASES[i].line, "%zu: %ld", i, (long)fault.line);
        nd_profiles_free(&profiles);
    }
}

// ---- layer times ---------------------------------------------------------------------------------

// Eight times, two of them far off: the published mean drops the first and last two as they came,
// the corrected one the smallest and greatest.
Test(nd_ratios, robust_mean)
{
    const double us[] = {10, 12, 11, 50, 9, 13, 10, 11};
    double copy[8];
    memcpy(copy, us, sizeof us);
    near(nd_robust_mean(copy, 8, ND_ORIG), 0.021, 1e-9, "ratio");
    memcpy(copy, us, sizeof us);
    near(nd_robust_mean(copy, 8, ND_CORRECTED), 0.011, 1e-9, "ratio");
    near(nd_robust_mean(copy, 0, ND_CORRECTED), 0.0, 1e-9, "ratio");
    double three[] = {3e3, 1e3, 2.0005e3};
    near(nd_robust_mean(three, 3, ND_CORRECTED), 2.0, 1e-9, "ratio");
}

static bool of_times(const char *json, enum nd_compat compat, struct nd_profile *profile,
                     char *text)
{
    cJSON *document = cJSON_Parse(json);
    struct pps_fault fault = {.text = ""};
    cr_assert(document != NULL, "%s", json);
    const bool read = nd_profile_of_times(profile, document, compat, &fault);
    strcpy(text, fault.text);
    cJSON_Delete(document);
    return read;
}

static const char *const TIMES =
    "{\"config\":{\"dp\":128,\"tp\":1,\"pp\":8,\"ep\":8},\"dense_fw\":[3300],\"dense_bw\":[1],"
    "\"moe_fw\":[10000],\"moe_bw\":[19500],\"recomp_moe_bw\":[29400],\"total\":[125400],"
    "\"last_stage_layers\":3}";

Test(nd_ratios, of_layer_times)
{
    struct nd_profile profile;
    char text[512];
    for (int compat = ND_CORRECTED; compat <= ND_ORIG; compat++) {
        cr_assert(of_times(TIMES, compat, &profile, text), "%s", text);
        near(profile.ratios.dense, 0.33, 1e-9, "dense");
        near(profile.ratios.backward, 1.95, 1e-9, "backward");
        near(profile.ratios.recompute, 0.99, 1e-9, "recompute");
        near(profile.ratios.head, 2.7, 1e-9, "head");
        near(profile.ratios.layer_ms, 10.0, 1e-9, "layer_ms");
        cr_assert(profile.dp == 128 && profile.ep == 8 && profile.cp == 1 && profile.op == 0);
    }
}

// Two layers recomputed: as published, only one of them is taken off the total.
Test(nd_ratios, head_with_two_recomputed_layers)
{
    const char *json =
        "{\"config\":{\"dp\":1,\"tp\":1,\"pp\":2},\"dense_fw\":[3300],\"moe_fw\":[10000],"
        "\"moe_bw\":[20000],\"recomp_moe_bw\":[30000],\"total\":[125000],"
        "\"last_stage_layers\":3,\"recomputed_layers\":2}";
    struct nd_profile profile;
    char text[512];
    cr_assert(of_times(json, ND_CORRECTED, &profile, text), "%s", text);
    near(profile.ratios.head, 1.5, 1e-9, "head"); // 125 - 30 - 20 - 60
    cr_assert(of_times(json, ND_ORIG, &profile, text), "%s", text);
    near(profile.ratios.head, 4.5, 1e-9, "head"); // 125 - 30 - 20 - 30
}

// A dense model has no type-2 times of its own: its layer is the unit.
Test(nd_ratios, dense_model)
{
    const char *json = "{\"config\":{\"dp\":1,\"tp\":1,\"pp\":2},\"dense_fw\":[10000],"
                       "\"dense_bw\":[20000],\"recomp_dense_bw\":[30000],\"total\":[95000],"
                       "\"last_stage_layers\":2,\"recomputed_layers\":1}";
    struct nd_profile profile;
    char text[512];
    cr_assert(of_times(json, ND_CORRECTED, &profile, text), "%s", text);
    near(profile.ratios.dense, 1.0, 1e-9, "dense");
    near(profile.ratios.head, 2.5, 1e-9, "head"); // 95 - 20 - 20 - 30
    cr_assert(!of_times(json, ND_ORIG, &profile, text));
    cr_assert_str_eq(text, "moe_fw: has no times, which the ratios need");
}

// A profile without recompute or without the last stage gives the ratios that it can. Before, such a
// document was refused.
Test(nd_ratios, missing_times)
{
#define FORWARD "{\"config\":{\"dp\":1,\"tp\":1,\"pp\":2},\"moe_fw\":[10000],\"moe_bw\":[20000]"
    struct nd_profile profile;
    char text[512];
    cr_assert(of_times(FORWARD "}", ND_CORRECTED, &profile, text), "%s", text);
    near(profile.ratios.backward, 2.0, 1e-9, "backward");
    near(profile.ratios.layer_ms, 10.0, 1e-9, "unit");
    cr_assert(isnan(profile.ratios.recompute) && isnan(profile.ratios.head) &&
              isnan(profile.ratios.dense));
    cr_assert(of_times(FORWARD ",\"total\":[75000],\"last_stage_layers\":2,"
                               "\"recomputed_layers\":0}",
                       ND_CORRECTED, &profile, text),
              "%s", text);
    near(profile.ratios.head, 1.5, 1e-9, "head"); // 75 - 20 - 40
    cr_assert(of_times(FORWARD ",\"total\":[75000],\"last_stage_layers\":2}", ND_CORRECTED,
                       &profile, text),
              "%s", text);
    cr_assert(isnan(profile.ratios.head)); // one layer is recomputed, in unknown time
    cr_assert(!of_times(FORWARD ",\"last_stage_layers\":2}", ND_ORIG, &profile, text));
    cr_assert_str_eq(text, "recomp_moe_bw: has no times, which the ratios need");
#undef FORWARD
}

Test(nd_ratios, times_that_are_refused)
{
#define HEAD "{\"config\":{\"dp\":1,\"tp\":1,\"pp\":2},"
    static const char *const CASES[][2] = {
        {"[]", "must be an object of layer times"},
        {"{}", "config: must be an object with dp, tp, pp and ep"},
        {"{\"config\":{\"dp\":1,\"tp\":1}}", "pp: must be given"},
        {"{\"config\":{\"dp\":1.5,\"tp\":1,\"pp\":1}}",
         "dp: must be a whole number of at least 1"},
        {HEAD "\"moe_fw\":3}", "moe_fw: must be a list of microseconds"},
        {HEAD "\"moe_fw\":[1,-1]}", "moe_fw: every entry must be microseconds, a number >= 0"},
        {HEAD "\"moe_fw\":[1,\"2\"]}",
         "moe_fw: every entry must be microseconds, a number >= 0"},
        {HEAD "\"total\":[1e999]}", "total: every entry must be microseconds, a number >= 0"},
        {HEAD "\"total\":[1000]}", "last_stage_layers: must be given"},
        {HEAD "\"last_stage_layers\":2,\"recomputed_layers\":3}",
         "recomputed_layers: must be at most last_stage_layers"},
        {HEAD "\"last_stage_layers\":2,\"moe_bw\":[20000]}",
         "moe_fw: has no times, which the ratios need"},
        {HEAD "\"last_stage_layers\":2,\"moe_fw\":[10000],\"moe_bw\":[20000],"
              "\"recomp_moe_bw\":[30000],\"total\":[60000]}",
         "total: 60 ms is less than the time of 2 layers; check last_stage_layers and "
         "recomputed_layers"},
    };
#undef HEAD
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct nd_profile profile;
        char text[512];
        cr_assert(!of_times(CASES[i][0], ND_CORRECTED, &profile, text), "%zu passed", i);
        cr_assert_str_eq(text, CASES[i][1], "%zu: %s", i, text);
    }
}

// ---- which ---------------------------------------------------------------------------------------

static bool modelled(void *self, const struct nd_strategy *strategy, struct nd_ratios *ratios)
{
    (void)strategy;
    *ratios = *(const struct nd_ratios *)self;
    return true;
}

static struct nd_ratio_choice choose(const struct nd_profiles *profiles,
                                     struct nd_strategy strategy, enum nd_compat compat)
{
    static struct nd_ratios model = {1, 2, 3, 4, 5};
    struct nd_ratio_choice choice;
    nd_ratios_choose(profiles, &(struct nd_ratio_model){modelled, &model}, &strategy, 4096,
                     compat, &choice);
    return choice;
}

Test(nd_ratios, which_a_strategy_gets)
{
    struct nd_profiles profiles;
    struct pps_fault fault = {0};
    cr_assert(read_profiles(&profiles,
                            "dp,tp,pp,ep,cp,op,mbs,seq_length,bfratio,moe_bw\n"
                            "64,2,8,8,1,,1,,1.1,10\n"
                            "16,2,32,8,1,,1,,1.2,\n"
                            "64,2,8,8,2,64,1,,1.3,12\n"
                            "8,4,8,4,1,,2,8192,1.4,13\n"
                            "8,4,8,2,1,,,,1.5,14\n",
                            &fault),
              "%s", fault.text);
    const struct {
        struct nd_strategy strategy;
        enum nd_ratio_source corrected, orig;
        double backward, layer_ms;
    } CASES[] = {
        {{.dp = 64, .tp = 2, .pp = 8, .cp = 1, .ep = 8, .op = 8, .mbs = 1},
         ND_RATIOS_MEASURED,
         ND_RATIOS_MEASURED,
         1.1,
         10},
        // its op must be the profile's; -1 is dp
        {{.dp = 64, .tp = 2, .pp = 8, .cp = 2, .ep = 8, .op = -1, .mbs = 1},
         ND_RATIOS_MEASURED,
         ND_RATIOS_MEASURED,
         1.3,
         12},
        {{.dp = 64, .tp = 2, .pp = 8, .cp = 2, .ep = 8, .op = 32, .mbs = 1},
         ND_RATIOS_NEAREST,
         ND_RATIOS_NONE,
         1.3,
         12},
        // the unit was not measured: the model's; as published there is nothing to rank by
        {{.dp = 16, .tp = 2, .pp = 32, .cp = 1, .ep = 8, .op = 1, .mbs = 1},
         ND_RATIOS_MEASURED,
         ND_RATIOS_NONE,
         1.2,
         5},
        {{.dp = 64, .tp = 2, .pp = 4, .cp = 1, .ep = 8, .op = 1, .mbs = 1},
         ND_RATIOS_NEAREST,
         ND_RATIOS_NONE,
         1.1,
         10},
        // another micro-batch, or sequence, is another unit
        {{.dp = 64, .tp = 2, .pp = 8, .cp = 1, .ep = 8, .op = 8, .mbs = 2},
         ND_RATIOS_MODEL,
         ND_RATIOS_NONE,
         2,
         5},
        {{.dp = 8, .tp = 4, .pp = 8, .cp = 1, .ep = 4, .op = 8, .mbs = 2},
         ND_RATIOS_MODEL,
         ND_RATIOS_NONE,
         2,
         5},
        // a profile that does not say it fits any
        {{.dp = 8, .tp = 4, .pp = 8, .cp = 1, .ep = 2, .op = 8, .mbs = 4},
         ND_RATIOS_MEASURED,
         ND_RATIOS_MEASURED,
         1.5,
         14},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct nd_ratio_choice choice = choose(&profiles, CASES[i].strategy, ND_CORRECTED);
        cr_assert_eq(choice.source, CASES[i].corrected, "%zu: %s", i,
                     nd_ratio_source_name(choice.source));
        near(choice.ratios.backward, CASES[i].backward, 1e-9, "backward");
        near(choice.ratios.layer_ms, CASES[i].layer_ms, 1e-9, "layer_ms");
        near(choice.ratios.dense, choice.source == ND_RATIOS_MODEL ? 1.0 : 0.3, 1e-9, "dense");
        cr_assert_eq(choice.tokens_unknown, i == 7, "%zu", i);
        cr_assert_eq(choice.unit_of_model, i == 3, "%zu", i);
        choice = choose(&profiles, CASES[i].strategy, ND_ORIG);
        cr_assert_eq(choice.source, CASES[i].orig, "%zu: %s", i,
                     nd_ratio_source_name(choice.source));
    }
    nd_profiles_free(&profiles);
}

Test(nd_ratios, nothing_known)
{
    const struct nd_strategy strategy = {.dp = 1, .tp = 1, .cp = 1, .pp = 1, .ep = 1, .mbs = 1};
    struct nd_ratio_choice choice;
    nd_ratios_choose(NULL, NULL, &strategy, 0, ND_CORRECTED, &choice);
    cr_assert_eq(choice.source, ND_RATIOS_NONE);
}
