// SPDX-License-Identifier: Apache-2.0
// Published measurements: the errors of the model, and that fitting recovers known factors.
#include "tests/unit/support/kernels/nd_points.h"

#include "base/math/units.h"
#include "planner/nd/profiling/calibrate.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = ND_MEASURED, THREE = 3 };

static struct nd_measurement all[MOST];
static struct nd_cache *cache;
static int n_all;

static bool read_text(const char *text, struct pps_fault *fault)
{
    cJSON *document = cJSON_Parse(text);
    cr_assert(document != NULL, "%s", text);
    bool done = nd_measurements_read(all, MOST, &n_all, document, fault);
    cJSON_Delete(document);
    return done;
}

static void read_published(void)
{
    size_t n;
    struct pps_fault fault;
    char *text = slurp(PPS_SOURCE "/docs/ndsearch-measurements.json", &n);
    cr_assert(read_text(text, &fault), "%s", fault.text);
    free(text);
    cache = make_cache();
}

static int of_sets(const struct nd_measurement **in, const char *a, const char *b)
{
    int n = 0;
    for (int i = 0; i < n_all; i++)
        if (strcmp(all[i].set, a) == 0 || strcmp(all[i].set, b) == 0)
            in[n++] = &all[i];
    return n;
}

static double error_of(const struct nd_measurement *m)
{
    return fabs(nd_predict(m, cache) / m->seconds - 1);
}

// Efficiencies of products, memory traffic and links, from those of the record.
static void three_of(const struct nd_measurement *m, struct nd_unknown unknowns[THREE])
{
    static const enum nd_factor factors[THREE] = {ND_GEMM, ND_MEMORY, ND_LINK};
    struct nd_measurement copy = *m;
    memset(unknowns, 0, THREE * sizeof *unknowns);
    for (int k = 0; k < THREE; k++) {
        unknowns[k].factor = factors[k];
        unknowns[k].start = *nd_factor_at(factors[k], &copy.hardware, &copy.training.stack);
    }
}

static void fit_three(const struct nd_measurement **in, int n, struct nd_unknown *unknowns)
{
    three_of(in[0], unknowns);
    nd_fit(in, n, NULL, unknowns, THREE, &ND_ONE_TABLE, cache);
}

static double mean_after(const struct nd_measurement **in, int n,
                         const struct nd_unknown *unknowns, int n_unknowns)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(nd_error_of(in[i], unknowns, n_unknowns, cache)) / n;
    return sum;
}

// A change of the model that moves it away from what was measured.
Test(nd_calibrate, the_model_comes_near_to_published_steps)
{
    static const struct {
        const char *a, *b;
        int n;
        double built_in, fitted, left_out;
    } want[] = {
        {"korthikanti", "", 8, 0.025, 0.023, 0.031},
        {"korthikanti", "narayanan", 18, 0.045, 0.030, 0.035},
        {"b200_dense", "b200_moe", 36, 0.055, 0.035, 0.040},
        {"nemo2407_h100_fp8", "", 12, 0.040, 0.040, 0.060},
    };
    read_published();
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct nd_measurement *in[MOST];
        struct nd_unknown unknowns[THREE];
        int n = of_sets(in, want[i].a, want[i].b);
        cr_assert_eq(n, want[i].n);
        fit_three(in, n, unknowns);
        const double before = mean_after(in, n, NULL, 0);
        const double after = mean_after(in, n, unknowns, THREE);
        three_of(in[0], unknowns);
        const double left_out = nd_left_out_error(in, n, unknowns, THREE, cache);
        cr_expect(before <= want[i].built_in, "%s: %g", want[i].a, before);
        cr_expect(after <= want[i].fitted, "%s: %g", want[i].a, after);
        cr_expect(left_out <= want[i].left_out, "%s: %g", want[i].a, left_out);
    }
    free(cache);
}

// The bars of the whole collection, with the records.
Test(nd_calibrate, built_in_errors_stay_within_their_bars)
{
    double sum[2] = {0, 0};
    int n[2] = {0, 0};
    read_published();
    for (int i = 0; i < n_all; i++) {
        const int fp8 = all[i].training.precision != TRAINING_BF16;
        sum[fp8] += error_of(&all[i]);
        n[fp8]++;
    }
    cr_assert(n[0] > 200 && n[1] > 40, "%d %d", n[0], n[1]);
    cr_expect(sum[0] / n[0] <= 0.10, "%g", sum[0] / n[0]);
    cr_expect(sum[1] / n[1] <= 0.12, "fp8: %g", sum[1] / n[1]);
    free(cache);
}

static double cost_of_token(const struct nd_measurement *m, double seconds)
{
    const struct nd_strategy *s = &m->point.strategy;
    return seconds * s->dp * s->tp * s->cp * s->pp / (double)m->point.gbs;
}

Test(nd_calibrate, configurations_that_differ_are_ranked_as_measured)
{
    read_published();
    const struct nd_measurement *in[MOST];
    int n = of_sets(in, "b200_dense", "b200_moe"), pairs = 0, right = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            if (strcmp(in[i]->model_name, in[j]->model_name) != 0)
                continue;
            double x = cost_of_token(in[i], in[i]->seconds);
            double y = cost_of_token(in[j], in[j]->seconds);
            double p = cost_of_token(in[i], nd_predict(in[i], cache));
            double q = cost_of_token(in[j], nd_predict(in[j], cache));
            if (fmax(x, y) <= 1.1 * fmin(x, y))
                continue;
            pairs++;
            right += (x < y) == (p < q);
        }
    cr_assert(pairs > 50);
    cr_expect(right >= 0.92 * pairs, "%d of %d", right, pairs);
    free(cache);
}

static double memory_of(const struct nd_measurement *m, bool buffers, uint32_t id)
{
    struct cluster cluster = {.node_devices = m->hardware.node, .hardware = m->hardware};
    struct training training = m->training;
    struct nd_estimate e;
    struct nd_memory memory;
    training.dummy_wgrad = buffers;
    nd_estimate_open(&e, &m->model, &cluster, &training, id);
    nd_estimate(&e, cache, &m->point, &memory, NULL);
    return memory.total;
}

Test(nd_calibrate, memory_comes_near_to_what_was_measured)
{
    // GiB of the plain model, and its error, as published with the measurements of 4096 tokens.
    static const double plain[] = {64.41, 59.59, 38.44, 27.86, 79.00,  76.49,
                                   50.09, 36.89, 45.63, 44.79, 103.51, 113.46};
    double sum = 0, set = 0;
    int n = 0, of_set = 0;
    read_published();
    for (int i = 0; i < n_all; i++) {
        if (i > 0 && strcmp(all[i].set, all[i - 1].set) != 0)
            set = of_set = 0;
        if (all[i].memory == 0)
            continue;
        const double bytes = memory_of(&all[i], false, (uint32_t)i);
        sum += fabs(bytes / all[i].memory - 1);
        set += bytes / all[i].memory - 1;
        of_set++;
        if (n < 12)
            cr_expect(fabs(units_to_gib(bytes) - plain[n]) < 0.0051, "%d: %g", n,
                      units_to_gib(bytes));
        n++;
        if (i + 1 == n_all || strcmp(all[i].set, all[i + 1].set) != 0)
            cr_expect(set / of_set > -0.1, "%s: %g", all[i].set, set / of_set);
    }
    cr_assert(n > 45, "%d", n);
    cr_expect(sum / n <= 0.06, "%g", sum / n);
    free(cache);
}

// Steps computed with known factors: the fit recovers these from another start, except for the
// small pull to the start. Factors on which no step depends keep their start.
Test(nd_calibrate, factors_that_are_there_are_found)
{
    static const double true_values[THREE] = {0.6, 0.35, 0.5};
    struct nd_unknown unknowns[THREE + 1], again[THREE + 1];
    const struct nd_measurement *in[MOST];
    read_published();
    int n = of_sets(in, "b200_dense", "b200_moe");
    three_of(in[0], unknowns);
    for (int k = 0; k < THREE; k++)
        unknowns[k].value = true_values[k];
    for (int i = 0; i < n_all; i++)
        all[i].seconds *= 1 + nd_error_of(&all[i], unknowns, THREE, cache);
    unknowns[THREE] = (struct nd_unknown){.factor = ND_FP8, .start = 0.5};
    nd_fit(in, n, NULL, unknowns, THREE + 1, &ND_ONE_TABLE, cache);
    near(unknowns[0].value, 0.6, 0.01, "eg");
    near(unknowns[1].value, 0.35, 0.05, "em");
    near(unknowns[2].value, 0.5, 0.05, "el");
    cr_assert_float_eq(unknowns[THREE].value, 0.5, 0);
    cr_assert(mean_after(in, n, unknowns, THREE + 1) < 0.003);
    memcpy(again, unknowns, sizeof again);
    nd_fit(in, n, NULL, again, THREE + 1, &ND_ONE_TABLE, cache);
    for (int k = 0; k <= THREE; k++)
        cr_assert_float_eq(again[k].value, unknowns[k].value, 0);
    free(cache);
}

Test(nd_calibrate, the_error_of_left_out_steps_is_that_of_fits_to_the_others)
{
    struct nd_unknown unknowns[THREE];
    const struct nd_measurement *in[MOST];
    double sum = 0;
    read_published();
    of_sets(in, "b200_dense", "b200_moe");
    for (int i = 0; i < 3; i++) {
        const struct nd_measurement *two[2] = {in[i == 0 ? 1 : 0], in[i == 2 ? 1 : 2]};
        fit_three(two, 2, unknowns);
        sum += fabs(nd_error_of(in[i], unknowns, THREE, cache)) / 3;
    }
    three_of(in[0], unknowns);
    near(nd_left_out_error(in, 3, unknowns, THREE, cache), sum, 1e-9, "left out");
    free(cache);
}

// Factors of a stack belong to the records that the unknown names, and to no others.
Test(nd_calibrate, unknowns_select_their_records)
{
    struct nd_unknown unknown = {.factor = ND_RATE_MEMORY, .of = "fsdp,megatron-fused@B200"};
    unknown.value = 0.123;
    read_published();
    int set = 0;
    for (int i = 0; i < n_all; i++) {
        struct nd_measurement m = all[i];
        nd_take_unknowns(&m, &unknown, 1);
        const bool is_fsdp = strcmp(stack_base(&m.training.stack), "fsdp") == 0;
        const bool is_b200 = strcmp(stack_base(&m.training.stack), "megatron-fused") == 0 &&
                             strcmp(m.hardware.base, "B200") == 0;
        cr_assert_eq(fabs(m.training.stack.rates.memory - 0.123) < 1e-12, is_fsdp || is_b200);
        set += is_fsdp || is_b200;
    }
    cr_assert(set > 60 && set < n_all);
    free(cache);
}

// One factor of all times: every predicted time grows by it.
Test(nd_calibrate, the_scale_of_a_stack_multiplies_the_step)
{
    read_published();
    for (int i = 0; i < n_all; i++) {
        struct nd_measurement m = all[i];
        m.training.stack.scale = 1.25;
        near(nd_predict(&m, cache), 1.25 * nd_predict(&all[i], cache), 1e-9, "%s", all[i].set);
    }
    free(cache);
}

// The record counts as one more step: one step moves times half of the way, three move them three
// quarters. A large ratio counts nearly in full.
Test(nd_calibrate, a_scale_is_drawn_to_the_record)
{
    const struct nd_measurement *each[3];
    struct nd_measurement three[3];
    read_published();
    for (int i = 0; i < 3; i++) {
        three[i] = all[i];
        three[i].seconds = 1.2 * nd_predict(&all[i], cache);
        each[i] = &three[i];
    }
    near(nd_fit_scale(each, 1, cache), sqrt(1.2), 1e-12, "one step");
    near(nd_fit_scale(each, 3, cache), pow(1.2, 0.75), 1e-12, "three steps");
    three[0].seconds = nd_predict(&all[0], cache) / 10;
    near(nd_fit_scale(each, 1, cache), exp(0.15) / 10, 1e-12, "another machine");
    free(cache);
}

Test(nd_calibrate, what_is_wrong_with_measurements_is_said)
{
#define DOC(row)                                                                               \
    "{\"models\":{\"m\":{\"num_layers\":4,\"hidden_size\":64,\"num_attention_heads\":4,"       \
    "\"vocab_size\":100}},\"sets\":[{\"name\":\"s\",\"hardware\":\"A100\",\"measurements\":"   \
    "[" row "]}]}"
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{}", "sets: "},
        {DOC("{\"gbs\":4,\"seconds\":1}"), "model: "},
        {DOC("{\"model\":\"x\",\"gbs\":4,\"seconds\":1}"), "model: \"x\" is not in \"models\""},
        {DOC("{\"model\":\"m\",\"seconds\":1}"), "gbs: missing"},
        {DOC("{\"model\":\"m\",\"gbs\":4}"), "seconds: expected exactly one of"},
        {DOC("{\"model\":\"m\",\"gbs\":4,\"seconds\":1,\"mfu\":0.4}"), "(got 2)"},
        {DOC("{\"model\":\"m\",\"gbs\":4,\"seconds\":-1}"), "seconds: "},
        {DOC("{\"model\":\"m\",\"gbs\":4,\"seconds\":1,\"mbs\":\"all\"}"), "mbs: "},
        {DOC("{\"model\":\"m\",\"gbs\":4,\"seconds\":1,\"recompute\":1}"), "recompute: "},
        {DOC("{\"model\":\"m\",\"gbs\":4,\"seconds\":1,\"tpp\":1}"), "tpp"},
        {DOC("{\"model\":\"m\",\"gbs\":4,\"seconds\":1,\"dp\":65536,\"cp\":32}"), "dp: more"},
        {DOC("{\"model\":\"m\",\"gbs\":4,\"seconds\":1,\"dp\":8}"),
         "gbs: 4 is not a multiple of dp 8"},
        {DOC("{\"model\":\"m\",\"gbs\":64,\"seconds\":1,\"mbs\":3}"),
         "gbs: 64 is not a multiple"},
        {DOC("{\"model\":\"m\",\"gbs\":7,\"seconds\":1,\"dp\":2,\"mbs\":\"best\"}"),
         "gbs: 7 is not"},
        {DOC("{\"model\":\"m\",\"gbs\":4,\"seconds\":1,\"pp\":2,\"vp\":4}"),
         "pp: 2 stages of 4 chunks"},
        {DOC("{\"model\":\"m\",\"gbs\":16,\"seconds\":1,\"dp\":16,\"op\":7}"),
         "op: 7 does not divide"},
        {DOC("{\"model\":\"m\",\"gbs\":8,\"seconds\":1,\"dp\":8,\"ep\":8}"),
         "ep: 8, and the model has no"},
        {"{\"models\":{},\"sets\":[{}]}", "name: "},
        {"{\"models\":{},\"sets\":[{\"nane\":\"s\"}]}", "nane"},
        {"{\"models\":{},\"sets\":[{\"name\":\"s\",\"seq_length\":1.5}]}", "seq_length: "},
        {"{\"models\":{},\"sets\":[{\"name\":\"s\"}]}", "hardware: "},
        {"{\"models\":{},\"sets\":[{\"name\":\"s\",\"hardware\":\"A100\"}]}", "measurements: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pps_fault fault = {.text = ""};
        cr_assert(!read_text(cases[i].text, &fault), "%s", cases[i].text);
        cr_assert(strstr(fault.text, cases[i].want) != NULL, "%s: %s", cases[i].text,
                  fault.text);
    }
    struct pps_fault fault;
    cr_assert(
        read_text(DOC("{\"model\":\"m\",\"gbs\":4,\"dp\":2,\"cp\":3,\"seconds\":2}"), &fault));
    cr_assert(n_all == 1 && all[0].seconds == 2 && all[0].point.strategy.op == 6);
}
