// SPDX-License-Identifier: Apache-2.0
// Experiments: resolving, overriding and the digest.
#include "tests/unit/support/engine/experiments.h"

#include "engine/run/row_maker.h"
#include "tests/unit/support/engine/toy_kernel.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const texts[] = {
    "{\"n\": [8, 16], \"sync_freq\": [1, 2]}",
    "{\"n\": \"1..6\", \"sync_freq\": \"divisors(n)\", \"priority_step\": 0.5}",
    "{\"fwd_len\": [1, 2], \"n\": [8, 4], \"bwd_len\": [2, 4], \"zip\": [[\"fwd_len\", "
    "\"bwd_len\"]], \"tiers\": [{}, {\"fwd_prop\": \"a\", \"grad_sync\": \"b\"}]}",
    "{\"n\": {\"start\": 1, \"stop\": 1000000}, \"where\": [\"n % 2 == 0\", \"n > 4\"]}",
    "{\"p_fwd_prop\": [0, 0.3, \"a\"], \"p_grad_prop\": [\"b\", 1], \"p_grad_sync\": 0.25, "
    "\"pipeline\": [\"gpipe\", \"1f1b\"], \"congestion\": false, \"seed\": 7}",
    "{\"n\": [4, 8], \"bwd_len\": {\"start\": 1, \"stop\": 3, \"continuous\": true}, "
    "\"seed\": 9007199254740991, \"sample\": {\"count\": 50, \"method\": \"lhs\"}}",
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

// Would catch a resolved experiment in a manifest that differs from the experiment that ran.
Test(experiment, the_resolved_experiment_says_the_same)
{
    for (int t = 0; t < N_TEXTS; t++) {
        struct pps_experiment *first = load_good(texts[t]);
        char *resolved = cJSON_Print(first->resolved);
        struct pps_experiment *again = load_good(resolved);
        cr_assert_eq(first->digest, again->digest, "%s\n%s", texts[t], resolved);
        cr_assert_eq(first->n_points, again->n_points);
        char *header = pps_experiment_header(first),
             *header_again = pps_experiment_header(again);
        cr_assert_str_eq(header, header_again);
        free(header_again);
        free(header);
        cJSON_free(resolved);
        pps_experiment_free(again);
        pps_experiment_free(first);
    }
}

// Loads a tree and frees both; returns the digest.
static uint64_t digest_of_tree(cJSON *tree)
{
    const struct pps_request request = {.kernels = test_kernels, .digits = PPS_DEFAULT_DIGITS};
    struct pps_experiment *e;
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_experiment_load_tree(&e, &request, "tree", tree, &err), PPS_OK, "%s",
                 err.text);
    const uint64_t digest = e->digest;
    pps_experiment_free(e);
    cJSON_Delete(tree);
    return digest;
}

// Would catch a load from a tree that differs from the load of its text, and a seed that loses
// its last digit on the way (the tree in memory has raw numbers, a parsed one has doubles).
Test(experiment, a_tree_loads_like_its_text)
{
    for (int t = 0; t < N_TEXTS; t++) {
        struct pps_experiment *first = load_good(texts[t]);
        char *resolved = cJSON_Print(first->resolved);
        cr_assert_eq(digest_of_tree(cJSON_Parse(texts[t])), first->digest, "%s", texts[t]);
        cr_assert_eq(digest_of_tree(cJSON_Parse(resolved)), first->digest, "%s", resolved);
        cr_assert_eq(digest_of_tree(cJSON_Duplicate(first->resolved, true)), first->digest,
                     "%s", resolved);
        cJSON_free(resolved);
        pps_experiment_free(first);
    }
}

// Would catch an error that has no file or the line of another text.
Test(experiment, errors_in_a_tree_have_its_name)
{
    static const char *const bad[] = {"[]", "{\"m\": 1}", "{\"n\": 8, \"where\": \"n <\"}"};
    const struct pps_request request = {.kernels = test_kernels, .digits = PPS_DEFAULT_DIGITS};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pps_experiment *e;
        struct pps_error err = {.text = ""};
        cJSON *tree = cJSON_Parse(bad[i]);
        cr_assert_eq(pps_experiment_load_tree(&e, &request, "r.csv.json", tree, &err),
                     PPS_E_INPUT);
        cr_assert(strcmp(err.file, "r.csv.json") == 0 && err.line == 0 && err.column == 0,
                  "%s: %s:%d:%d", bad[i], err.file, err.line, err.column);
        cr_assert_null(e);
        cJSON_Delete(tree);
    }
}

static uint64_t digest_of(const struct pps_request *request)
{
    struct pps_experiment *e;
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_experiment_load(&e, request, &err), PPS_OK, "%s", err.text);
    const uint64_t digest = e->digest;
    pps_experiment_free(e);
    return digest;
}

// Would catch an option that changes rows but not the name of the result, and the reverse.
Test(experiment, the_digest_follows_what_changes_rows)
{
    const struct pps_override n8 = {"n", "8", false}, n9 = {"n", "9", false},
                              step = {"priority_step", "0.2", true},
                              same = {"n", "[8.0]", false};
    const struct pps_override with_step[] = {n8, step};
    const struct pps_request base = {.kernels = test_kernels,
                                     .overrides = &n8,
                                     .n_overrides = 1,
                                     .digits = PPS_DEFAULT_DIGITS};
    struct pps_request other[8];
    for (int i = 0; i < 8; i++)
        other[i] = base;
    other[0].overrides = &n9;
    other[1].overrides = with_step;
    other[1].n_overrides = 2;
    other[2].digits = 6;
    other[3].metrics = "";
    other[4].limit = 5;
    other[5].seed = 3;
    other[5].seed_given = true;
    other[6].exact = true;
    for (int i = 0; i < 7; i++)
        cr_assert_neq(digest_of(&base), digest_of(&other[i]), "request %d", i);
    other[7].overrides = &same;
    cr_assert_eq(digest_of(&base), digest_of(&other[7]));
}

// Would catch an override that is appended where it should replace, or keeps the old order.
Test(experiment, overrides_take_the_place_of_what_the_file_says)
{
    char path[] = "/tmp/pps-override-XXXXXX";
    const int fd = mkstemp(path);
    const char text[] = "{\"n\": [8, 16], \"gpus\": 2, \"priority_step\": 0.1}";
    cr_assert_eq(write(fd, text, sizeof text - 1), (ssize_t)sizeof text - 1);
    close(fd);
    const struct pps_override overrides[] = {{"gpus", "4,8", false},
                                             {"bwd_len", "2..3 step 0.5", false},
                                             {"n", "min(4,5)", false},
                                             {"priority_step", "1", true}};
    const struct pps_request request = {.kernels = test_kernels,
                                        .path = path,
                                        .overrides = overrides,
                                        .n_overrides = 4,
                                        .digits = PPS_DEFAULT_DIGITS};
    struct pps_experiment *e;
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_experiment_load(&e, &request, &err), PPS_OK, "%s", err.text);
    char *header = pps_experiment_header(e);
    cr_assert_str_eq(header, "n,gpus,bwd_len,p_fwd_prop,p_grad_prop,p_grad_sync,total_time\n");
    cr_assert_eq(e->n_points, 1 * 2 * 3 * (3 + 2 + 2));
    cr_assert_eq(e->space.axes[0].members[0].values[0], 4);
    free(header);
    pps_experiment_free(e);
    unlink(path);
}

static char *rows_of(struct pps_experiment *e, uint64_t first, uint64_t n)
{
    const atomic_bool never = false;
    struct pps_rowmaker *maker;
    struct pps_rows rows;
    struct pps_error err;
    cr_assert_eq(pps_rowmaker_open(
                     &maker, &(struct pps_row_settings){.experiment = e, .n_best = 3}, &err),
                 PPS_OK);
    cr_assert_eq(pps_rowmaker_make(maker, first, n, &never, &rows, &err), PPS_OK);
    char *text = strndup(rows.text, rows.n);
    pps_rowmaker_close(maker);
    return text;
}

// Would catch rows that depend on the stretch they are made in.
Test(experiment, rows_do_not_depend_on_the_stretch)
{
    for (int t = 0; t < 3; t++) {
        struct pps_experiment *e = load_good(texts[t]);
        char *whole = rows_of(e, 0, e->n_points), *joined = calloc(1, strlen(whole) + 1);
        for (uint64_t first = 0; first < e->n_points; first += 7) {
            const uint64_t left = e->n_points - first;
            char *part = rows_of(e, first, left < 7 ? left : 7);
            strcat(joined, part);
            free(part);
        }
        cr_assert_str_eq(whole, joined, "%s", texts[t]);
        free(joined);
        free(whole);
        pps_experiment_free(e);
    }
}
