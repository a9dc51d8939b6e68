// SPDX-License-Identifier: Apache-2.0
// Every parameter of every kernel matters, and every shortcut sees it. The tests are derived from the
// tables of parameters, so that a new parameter is covered by itself: at some point it alone must
// change a result, and there memo, equal points and batches must agree with the point alone, and
// with the reference. Would catch a parameter that is left out of the key of a memo.
#include "base/document/json.h"
#include "engine/experiment/documents.h"
#include "engine/experiment/experiment.h"
#include "engine/point/one_point.h"
#include "engine/space/value.h"
#include "kernels/registry.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 250, BATCH = 8 };
#define COST_MAX 1e6 // ns

// Where points are drawn: documents (NULL: none), and values that all points have, as in "n=8,gpus=4"
// (the parameter that is tested excepted).
struct field {
    const char *inputs, *values;
};

// A kernel with its documents.
struct subject {
    const struct pps_kernel *kernel;
    struct pps_documents *inputs;
    struct random random;
    double value[PPS_MAX_PARAMS]; // that all points have; NAN: any
};

struct results {
    double values[PPS_MAX_COLUMNS][BATCH];
    char *texts[PPS_MAX_COLUMNS];
    uint8_t outcome[BATCH];
};

// ---- one batch --------------------------------------------------------------------------------

static struct results *results_new(const struct pps_kernel *kernel)
{
    struct results *results = calloc(1, sizeof *results);
    for (int c = 0; c < kernel->n_columns; c++)
        results->texts[c] = calloc(BATCH, (size_t)kernel->columns[c].text_max + 1);
    return results;
}

static void results_free(struct results *results)
{
    for (int c = 0; c < PPS_MAX_COLUMNS; c++)
        free(results->texts[c]);
    free(results);
}

typedef void run_function(const struct pps_batch *batch, const struct pps_worker *worker);

// Computes n points, in turn those of a pair, with scratch that knows nothing yet.
static void compute(const struct pps_kernel *kernel, run_function *run,
                    const double *const pair[2], size_t n, struct results *results)
{
    static const atomic_bool never = false;
    static double values[PPS_MAX_PARAMS][BATCH];
    const double *param[PPS_MAX_PARAMS];
    double *column[PPS_MAX_COLUMNS], highest[PPS_MAX_PARAMS];
    char *text[PPS_MAX_COLUMNS];
    for (int p = 0; p < kernel->n_params; p++) {
        param[p] = values[p];
        highest[p] = fmax(pair[0][p], pair[1][p]);
        for (size_t i = 0; i < n; i++)
            values[p][i] = pair[i % 2][p];
    }
    for (int c = 0; c < kernel->n_columns; c++) {
        const bool wanted = !kernel->columns[c].by_name;
        const bool is_text = kernel->columns[c].kind == PPS_COLUMN_TEXT;
        column[c] = wanted && !is_text ? results->values[c] : NULL;
        text[c] = wanted && is_text ? results->texts[c] : NULL;
        memset(results->values[c], 0, sizeof results->values[c]);
        memset(results->texts[c], 0, BATCH * ((size_t)kernel->columns[c].text_max + 1));
    }
    const struct pps_batch batch = {.n_points = n,
                                    .param = param,
                                    .column = column,
                                    .text = text,
                                    .outcome = results->outcome};
    const size_t bytes = kernel->scratch_bytes(highest, kernel->shared);
    struct pps_worker worker = {.stop = &never, .shared = kernel->shared};
    worker.scratch = aligned_alloc(64, (bytes + 127) / 64 * 64);
    cr_assert_not_null(worker.scratch);
    memset(worker.scratch, 0, bytes);
    run(&batch, &worker);
    free(worker.scratch);
}

static bool near(double a, double b, double tolerance)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

// Whether result i of one equals result k of the other, to the tolerance.
static bool same(const struct pps_kernel *kernel, const struct results *one, size_t i,
                 const struct results *other, size_t k, double tolerance)
{
    bool equal = one->outcome[i] == other->outcome[k];
    const bool has_results = one->outcome[i] == PPS_DONE || one->outcome[i] == PPS_INFEASIBLE;
    for (int c = 0; c < kernel->n_columns && equal && has_results; c++) {
        const size_t width = (size_t)kernel->columns[c].text_max + 1;
        equal = near(one->values[c][i], other->values[c][k], tolerance) &&
                strcmp(one->texts[c] + i * width, other->texts[c] + k * width) == 0;
    }
    return equal;
}

// ---- points -----------------------------------------------------------------------------------

static double draw_number(struct random *r, const struct pps_param *param)
{
    static const double reals[] = {0, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 10, 1000};
    static const double wholes[] = {0, 1, 2, 3, 4, 5, 6, 8, 16, 50};
    const int64_t i = random_below(r, 10);
    const double x = param->kind == PPS_REAL ? reals[i] : wholes[i];
    char why[PPS_WHY];
    return pps_value_check(param, x, why) ? x : param->fallback;
}

static double draw_value(struct random *r, const struct pps_param *param)
{
    int n_names = 0;
    while (param->names != NULL && param->names[n_names] != NULL)
        n_names++;
    if (param->kind == PPS_BOOLEAN)
        return (double)random_below(r, 2);
    if (param->kind == PPS_CHOICE)
        return n_names > 0 ? (double)random_below(r, n_names) : param->fallback;
    if (n_names > 0 && random_below(r, 3) == 0)
        return pps_name_value((int)random_below(r, n_names));
    return draw_number(r, param);
}

static bool is_cheap(const struct pps_kernel *kernel, const double *point)
{
    return kernel->check(point, kernel->shared) == 0 &&
           kernel->cost(point, kernel->shared) <= COST_MAX &&
           kernel->scratch_bytes(point, kernel->shared) <= (size_t)64 << 20;
}

// Draws a point, mostly of defaults, and another one that differs in one parameter only.
static bool draw_pair(struct subject *s, int changed, double pair[2][PPS_MAX_PARAMS])
{
    const struct pps_param *params = s->kernel->params;
    const int64_t share = 2 + random_below(&s->random, 8);
    for (int p = 0; p < s->kernel->n_params; p++) {
        const bool moves = !params[p].fixed && random_below(&s->random, share) == 0;
        pair[0][p] = moves ? draw_value(&s->random, &params[p]) : params[p].fallback;
        if (p != changed && !isnan(s->value[p]))
            pair[0][p] = s->value[p];
    }
    memcpy(pair[1], pair[0], sizeof pair[1]);
    pair[1][changed] = draw_value(&s->random, &params[changed]);
    return pair[0][changed] != pair[1][changed] && is_cheap(s->kernel, pair[0]) &&
           is_cheap(s->kernel, pair[1]);
}

// ---- one parameter ----------------------------------------------------------------------------

// Whether the points of the pair have different results, alone; `alone` receives them.
static bool differs(const struct pps_kernel *kernel, double pair[2][PPS_MAX_PARAMS],
                    struct results *alone[2])
{
    for (int k = 0; k < 2; k++) {
        const double *const twice[2] = {pair[k], pair[k]};
        compute(kernel, kernel->run, twice, 1, alone[k]);
        if (alone[k]->outcome[0] == PPS_FAILED)
            return false;
    }
    return !same(kernel, alone[0], 0, alone[1], 0, 0);
}

static void expect_shortcuts_see(const struct pps_kernel *kernel, int changed,
                                 double pair[2][PPS_MAX_PARAMS], struct results *alone[2],
                                 struct results *found)
{
    const double *const both[2] = {pair[0], pair[1]};
    compute(kernel, kernel->run, both, BATCH, found);
    for (size_t i = 0; i < BATCH; i++)
        cr_expect(same(kernel, found, i, alone[i % 2], 0, 0),
                  "%s: %s: a point of a batch differs from the point alone", kernel->name,
                  kernel->params[changed].name);
    compute(kernel, kernel->reference, both, 2, found);
    for (size_t i = 0; i < 2; i++)
        cr_expect(same(kernel, found, i, alone[i], 0, kernel->tolerance),
                  "%s: %s: the point differs from the reference", kernel->name,
                  kernel->params[changed].name);
}

// Returns whether some point was found at which the parameter matters.
static bool parameter_matters(struct subject *s, int changed)
{
    double pair[2][PPS_MAX_PARAMS];
    struct results *alone[2] = {results_new(s->kernel), results_new(s->kernel)};
    struct results *found = results_new(s->kernel);
    bool matters = false;
    for (int i = 0; i < TRIES && !matters; i++) {
        matters = draw_pair(s, changed, pair) && differs(s->kernel, pair, alone);
        if (matters)
            expect_shortcuts_see(s->kernel, changed, pair, alone, found);
    }
    results_free(alone[0]);
    results_free(alone[1]);
    results_free(found);
    return matters;
}

// ---- kernels ----------------------------------------------------------------------------------

static void set_values(struct subject *s, const char *values)
{
    double before[PPS_MAX_PARAMS], after[PPS_MAX_PARAMS];
    struct pps_error err;
    char *words = strdup(values), *rest = NULL;
    for (int p = 0; p < s->kernel->n_params; p++)
        s->value[p] = (double)NAN;
    for (char *word = strtok_r(words, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        for (int p = 0; p < s->kernel->n_params; p++)
            before[p] = after[p] = -1234;
        cr_assert_eq(pps_point_set(s->kernel, word, after, &err), PPS_OK, "%s", err.text);
        for (int p = 0; p < s->kernel->n_params; p++)
            if (after[p] != before[p])
                s->value[p] = after[p];
    }
    free(words);
}

static void subject_open(struct subject *s, const struct pps_kernel *kernel,
                         const struct field *field)
{
    struct pps_json json = {.name = NULL};
    struct pps_error err;
    struct pps_documents_ask ask = {.kernel = kernel,
                                    .beside = PPS_SOURCE "/sweep_configs/e.json"};
    if (field->inputs != NULL) {
        cr_assert_eq(
            pps_json_parse(&json, "inputs", field->inputs, strlen(field->inputs), &err), PPS_OK,
            "%s", err.text);
        ask.file = &json;
        ask.item = json.root;
    }
    *s = (struct subject){.random = {1}};
    cr_assert_eq(pps_documents_open(&s->inputs, &ask, &err), PPS_OK, "%s", err.text);
    pps_json_free(&json);
    s->kernel = pps_documents_kernel(s->inputs);
    set_values(s, field->values);
}

static const struct pps_kernel *find_kernel(const char *name)
{
    const struct pps_kernel *const *kernel = pps_kernels;
    while (*kernel != NULL && strcmp((*kernel)->name, name) != 0)
        kernel++;
    cr_assert_not_null(*kernel);
    return *kernel;
}

static bool is_listed(const char *const *list, const char *name)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

// Tests all parameters of a kernel. Each must matter in one of the n fields, except those that are
// listed, which end with NULL: the test says why.
static void expect_all_matter(const char *name, const struct field *fields, size_t n,
                              const char *const *except)
{
    const struct pps_kernel *kernel = find_kernel(name);
    bool matters[PPS_MAX_PARAMS] = {false};
    for (size_t i = 0; i < n; i++) {
        struct subject s;
        subject_open(&s, kernel, &fields[i]);
        for (int p = 0; p < kernel->n_params; p++)
            if (!matters[p] && !kernel->params[p].fixed &&
                !is_listed(except, kernel->params[p].name))
                matters[p] = parameter_matters(&s, p);
        pps_documents_close(s.inputs);
    }
    for (int p = 0; p < kernel->n_params; p++)
        cr_expect(matters[p] || kernel->params[p].fixed ||
                      is_listed(except, kernel->params[p].name),
                  "%s: %s changes no result; give a field where it does", name,
                  kernel->params[p].name);
}

// ---- the kernels ------------------------------------------------------------------------------

Test(every_parameter, contention)
{
    static const struct field fields[] = {{NULL, ""}};
    static const char *const except[] = {NULL};
    expect_all_matter("contention", fields, 1, except);
}

Test(every_parameter, ndsearch)
{
    static const struct field fields[] = {
        {"{\"model\": [\"models/llama3-8b.json\", \"models/mixtral-8x7b.json\"], "
         "\"cluster\": [\"clusters/h100.json\", \"clusters/a100-80.json\"], "
         "\"stack\": [\"stacks/plain.json\", \"stacks/megatron.json\"]}",
         ""},
        {"{\"model\": \"models/deepseek-v2-lite.json\"}", ""},
    };
    // dp follows from the devices and the other degrees: no valid point differs in it alone.
    static const char *const except[] = {"dp", NULL};
    expect_all_matter("ndsearch", fields, 2, except);
}

Test(every_parameter, schedule)
{
    static const struct field fields[] = {
        {NULL, "m=4,replicates=4,budget=20"},
        {NULL, "p=4,m=6,replicates=4,budget=20,f=1,b=2,w=1,level=0.5,latency=0.25,rule=pull"},
        {NULL, "p=4,m=6,replicates=4,budget=20,level=0.5,latency=0.25,outlier_p=0.5"},
        {NULL, "p=4,m=6,replicates=4,budget=20,level=0.5,straggler_p=0.5,straggler_k=3"},
        {NULL, "p=4,m=6,replicates=4,budget=20,level=0.5,correlation=0.5,"
               "correlation_group=window,window=2"},
        {NULL, "p=4,m=6,replicates=4,times=size"},
        {NULL, "family=gpipe,p=4,m=6,replicates=4,level=0.5"},
    };
    // Documents: there is none of these kinds. The sum of changes of memory must be 0: none differs alone.
    static const char *const except[] = {"plan",  "order", "policy", "mem_f",
                                         "mem_b", "mem_w", NULL};
    expect_all_matter("schedule", fields, sizeof fields / sizeof *fields, except);
}

#define BALANCE_LAYERS(time)                                                                   \
    "{\"name\": \"t" #time "\", \"stage_const_mem\": 100, \"layers_description\": ["           \
    "{\"type\": \"HEAD\", \"time\": 0.5, \"nb_layer\": 1, \"memory_parameter\": 500}, "        \
    "{\"type\": \"BODY\", \"time\": " #time ", \"nb_layer\": 9, \"memory_parameter\": 300, "   \
    "\"memory_activation\": 200, \"memory_recompute\": 40}, "                                  \
    "{\"type\": \"TAIL\", \"time\": 1, \"nb_layer\": 1, \"memory_parameter\": 400}]}"

Test(every_parameter, balance)
{
    static const struct field fields[] = {
        {"{\"layers\": [" BALANCE_LAYERS(1) ", " BALANCE_LAYERS(2) "]}",
         "stages=2,budget=100,memory=3000"},
    };
    // Documents: there is one of each kind only. More pieces of a sequence need a training.
    static const char *const except[] = {"training", "manual", "plan", "seq", NULL};
    expect_all_matter("balance", fields, 1, except);
}

Test(every_parameter, dynapipe)
{
    static const struct field fields[] = {
        {NULL, "microbatches=4,budget=50"},
        {"{\"costs\": [\"costs/llama2-7b.json\", \"costs/llama2-13b.json\"], "
         "\"cluster\": [\"clusters/h100.json\", \"clusters/a100-80.json\"], "
         "\"batches\": [{\"text\": \"100 900 120 60 880\\n64 64 128 2000\\n\"}, "
         "{\"text\": \"70 80 500\\n\"}]}",
         "devices=4,tp=2,budget=50"},
        {"{\"costs\": \"costs/llama2-7b.json\", \"cluster\": \"clusters/h100.json\", "
         "\"batches\": "
         "{\"text\": \"100 900 120 60 880 300 310 70 1200 40 55 600 2000 128 64 64 720 "
         "90\\n\"}}",
         "devices=4,tp=2,budget=20,memory=15600"},
    };
    // Documents: there is no plan. The order of samples matters if they have target lengths, too.
    static const char *const except[] = {"plan", "order", NULL};
    expect_all_matter("dynapipe", fields, sizeof fields / sizeof *fields, except);
}
