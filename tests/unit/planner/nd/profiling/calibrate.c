// SPDX-License-Identifier: Apache-2.0
// Published measurements: the errors of the model, and that fitting recovers known
// efficiencies.
#include "tests/unit/support/kernels/nd_points.h"

#include "base/math/units.h"
#include "planner/nd/profiling/calibrate.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, THREE = 1 << ND_GEMM | 1 << ND_MEMORY | 1 << ND_LINK };

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

static double error_of(const struct nd_measurement *m, const struct hardware *hardware)
{
    return fabs(nd_predict(m, hardware, cache) / m->seconds - 1);
}

static double mean_error(const struct nd_measurement **in, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += error_of(in[i], &in[i]->hardware);
    return sum / n;
}

static double left_out(const struct nd_measurement **in, int n)
{
    return nd_left_out_error(in, n, THREE, &in[0]->hardware, cache);
}

// A change of the model that moves it away from what was measured.
Test(nd_calibrate, the_model_comes_near_to_published_steps)
{
    static const struct {
        const char *a, *b;
        int n;
        double built_in, fitted, left_out;
    } want[] = {
        {"korthikanti", "", 8, 0.025, 0.020, 0.030},
        {"korthikanti", "narayanan", 18, 0.045, 0.030, 0.035},
        {"b200_dense", "b200_moe", 36, 0.052, 0.035, 0.040},
    };
    read_published();
    for (int i = 0; i < 3; i++) {
        const struct nd_measurement *in[MOST];
        struct nd_fit fit;
        int n = of_sets(in, want[i].a, want[i].b);
        cr_assert_eq(n, want[i].n);
        nd_calibrate(in, n, THREE, &in[0]->hardware, cache, &fit);
        cr_expect(mean_error(in, n) <= want[i].built_in, "%s: %g", want[i].a,
                  mean_error(in, n));
        cr_expect(fit.mean_error <= want[i].fitted, "%s: %g", want[i].a, fit.mean_error);
        cr_expect(left_out(in, n) <= want[i].left_out, "%s: %g", want[i].a, left_out(in, n));
    }
    free(cache);
}

// Steps that no efficiency was ever fitted to.
Test(nd_calibrate, the_model_foretells_steps_with_context_parallel_ranks)
{
    read_published();
    const struct nd_measurement *in[MOST];
    int n = of_sets(in, "b200_long", "");
    cr_assert_eq(n, 8);
    cr_expect(mean_error(in, n) <= 0.045, "%g", mean_error(in, n));
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
            double p = cost_of_token(in[i], nd_predict(in[i], &in[i]->hardware, cache));
            double q = cost_of_token(in[j], nd_predict(in[j], &in[j]->hardware, cache));
            if (fmax(x, y) <= 1.1 * fmin(x, y))
                continue;
            pairs++;
            right += (x < y) == (p < q);
        }
    cr_assert(pairs > 50);
    cr_expect(right >= 0.95 * pairs, "%d of %d", right, pairs);
    free(cache);
}

Test(nd_calibrate, memory_comes_near_to_what_was_measured)
{
    // GiB of the plain model, and its error, as published with the measurements of 4096 tokens.
    static const double plain[] = {64.41, 59.59, 38.44, 27.86, 79.00,  76.49,
                                   50.09, 36.89, 45.63, 44.79, 103.51, 113.46};
    double sum[2] = {0, 0};
    int n = 0;
    read_published();
    for (int i = 0; i < n_all; i++) {
        if (all[i].memory == 0)
            continue;
        for (int k = 0; k < 2; k++) {
            struct cluster cluster = cluster_of("B200");
            struct training training = all[i].training;
            struct nd_estimate e;
            struct nd_memory memory;
            training.dummy_wgrad = k == 1;
            nd_estimate_open(&e, &all[i].model, &cluster, &training, (uint32_t)(2 * i + k));
            nd_estimate(&e, cache, &all[i].point, &memory, NULL);
            sum[k] += fabs(memory.total / all[i].memory - 1);
            if (k == 0 && n < 12)
                cr_expect(fabs(units_to_gib(memory.total) - plain[n]) < 0.0051, "%d: %g", n,
                          units_to_gib(memory.total));
        }
        n++;
    }
    cr_assert_eq(n, 21);
    cr_expect(sum[0] / n <= 0.031, "%g", sum[0] / n);
    cr_expect(sum[1] / n <= 0.015, "with buffers: %g", sum[1] / n);
    free(cache);
}

// Steps computed with known efficiencies: the fit recovers these from another start, except for the
// small pull to the start. Efficiencies on which no step depends keep their start.
Test(nd_calibrate, efficiencies_that_are_there_are_found)
{
    read_published();
    const struct nd_measurement *in[MOST];
    int n = of_sets(in, "b200_dense", "b200_moe");
    struct hardware true_one = in[0]->hardware;
    true_one.gemm_eff = 0.6;
    true_one.memory_eff = 0.35;
    true_one.link_eff = 0.5;
    for (int i = 0; i < n_all; i++)
        all[i].seconds = nd_predict(&all[i], &true_one, cache);
    struct nd_fit fit, again;
    nd_calibrate(in, n, THREE, &in[0]->hardware, cache, &fit);
    near(fit.hardware.gemm_eff, 0.6, 0.01, "eg");
    near(fit.hardware.memory_eff, 0.35, 0.05, "em");
    near(fit.hardware.link_eff, 0.5, 0.05, "el");
    cr_assert_eq(fit.hardware.attention_eff, in[0]->hardware.attention_eff);
    cr_assert(fit.mean_error < 0.003, "%g", fit.mean_error);
    nd_calibrate(in, n, THREE, &in[0]->hardware, cache, &again);
    cr_assert_eq(memcmp(&fit.hardware, &again.hardware, sizeof fit.hardware), 0);

    // Without one of them it is the same fit, of n - 1.
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const struct nd_measurement *two[2] = {in[i == 0 ? 1 : 0], in[i == 2 ? 1 : 2]};
        nd_calibrate(two, 2, THREE, &in[0]->hardware, cache, &fit);
        sum += error_of(in[i], &fit.hardware) / 3;
    }
    near(left_out(in, 3), sum, 1e-9, "left out");

    nd_calibrate(in, 1, 15, &in[0]->hardware, cache, &fit); // one step, four unknowns
    for (int k = 0; k < ND_EFFICIENCIES; k++) {
        double was = nd_efficiency_of(&in[0]->hardware, (enum nd_efficiency)k);
        double is = nd_efficiency_of(&fit.hardware, (enum nd_efficiency)k);
        cr_assert(is > was / 2 && is < was * 2, "%d: %g from %g", k, is, was);
    }
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
