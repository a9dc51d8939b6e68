// SPDX-License-Identifier: Apache-2.0
// Results read by block: the rows, and their numbers, are those of the whole file, and no other
// block is read than those that contain rows which pass.
#include "engine/read/result.h"
#include "engine/read/view.h"
#include "tests/unit/support/engine/results.h"
#include "tests/unit/support/engine/toy_kernel.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <sys/stat.h>

TestSuite(needed_blocks, .init = enter, .fini = leave);

enum { BLOCK = 5, MAX_ROWS = 400, N_FILTERS = 3 };

// 84 points in 17 blocks.
#define GRID                                                                                   \
    "{\"n\": [2, 3, 4], \"gpus\": 2, \"sync_freq\": \"divisors(n)\", \"priority_step\": 0.5"

struct rows {
    uint64_t at[MAX_ROWS]; // numbers of the rows that passed
    size_t n;
    char *text;
    struct pps_block_counts counts;
};

static struct rows read_all(const char *path, const char *const *filters)
{
    struct pps_error err = {.text = ""};
    struct pps_view view;
    const char *words[N_FILTERS];
    struct pps_view_ask ask = {.path = path, .kernels = test_kernels, .filters = words};
    struct rows rows = {.n = 0};
    size_t size;
    const struct pps_cell *cells;
    for (; ask.n_filters < N_FILTERS && filters[ask.n_filters] != NULL; ask.n_filters++)
        words[ask.n_filters] = filters[ask.n_filters];
    FILE *out = open_memstream(&rows.text, &size);
    cr_assert_eq(pps_view_open(&view, &ask, &err), PPS_OK, "%s", err.text);
    for (;;) {
        cr_assert_eq(pps_view_next(&view, &cells, &err), PPS_OK, "%s", err.text);
        if (cells == NULL)
            break;
        cr_assert(rows.n < MAX_ROWS);
        rows.at[rows.n++] = pps_result_row(view.result);
        for (int c = 0; c < view.n_columns; c++)
            fprintf(out, "%.*s,", (int)cells[c].n, cells[c].text);
        fputc('\n', out);
    }
    rows.counts = pps_result_blocks(view.result);
    pps_view_close(&view);
    fclose(out);
    return rows;
}

// Writes the result, and a copy that has no index.
static void write_both(const struct result_plan *plan)
{
    size_t n;
    write_result(plan);
    mkdir("whole", 0777);
    char *data = slurp("r.csv.gz", &n);
    spill_bytes("whole/r.csv.gz", data, n);
    free(data);
    char *manifest = slurp("r.csv.gz.json", &n);
    spill_bytes("whole/r.csv.gz.json", manifest, n);
    free(manifest);
}

static struct pps_block_counts compare(const char *const *filters, const char *what)
{
    struct rows some = read_all("r.csv.gz", filters), all = read_all("whole/r.csv.gz", filters);
    cr_assert_str_eq(some.text, all.text, "%s %s", what, filters[0]);
    cr_assert_eq(some.n, all.n);
    for (size_t i = 0; i < all.n; i++)
        cr_assert_eq(some.at[i], all.at[i], "%s %s: row %zu", what, filters[0], i);
    cr_assert_eq(all.counts.all, 0, "a result without an index is read as a whole");
    // Without rules, a row is a point, so its number says which block it is from.
    uint64_t blocks = 0;
    for (size_t i = 0; i < all.n; i++)
        blocks += i == 0 || (all.at[i] - 1) / BLOCK != (all.at[i - 1] - 1) / BLOCK;
    if (some.counts.all > 0 && strcmp(what, "grid") == 0)
        cr_assert_eq(some.counts.read, blocks, "%s: %d of %d blocks", filters[0],
                     (int)some.counts.read, (int)blocks);
    cr_assert_eq(some.counts.read, some.counts.chosen);
    free(some.text);
    free(all.text);
    return some.counts;
}

// Catches a block that is left out although it has rows, a block that is read for nothing, and rows
// with the number of other rows.
Test(needed_blocks, rows_of_a_filter_are_those_of_the_whole_file)
{
    static const struct {
        const char *name, *experiment;
        uint32_t shard, n_shards;
    } results[] = {
        {"grid", GRID "}", 0, 0},
        {"rules", GRID ", \"where\": \"2 * sync_freq <= n\"}", 0, 0},
        {"shard", GRID "}", 1, 3},
    };
    static const struct {
        const char *filters[N_FILTERS];
        bool by_block; // of the grid
    } cases[] = {
        {{"n=3"}, true},
        {{"n=2", "sync_freq=2"}, true},
        {{"sync_freq=4"}, true},
        {{"n=4", "sync_freq=2", "p_fwd_prop=a"}, true},
        {{"2*sync_freq == n", "n > 2"}, true},
        {{"n=7"}, true},
        {{"n=3", "total_time > 12"}, true},
        {{"n=2..3"}, false}, // more than half of the file
        {{"gpus=2"}, false},
        {{"total_time > 12"}, false},
    };
    for (size_t r = 0; r < sizeof results / sizeof *results; r++) {
        const struct result_plan plan = {"r.csv.gz",       results[r].experiment, NULL, BLOCK,
                                         results[r].shard, results[r].n_shards,   NULL, NULL};
        write_both(&plan);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct pps_block_counts counts = compare(cases[i].filters, results[r].name);
            if (r == 0)
                cr_assert_eq(counts.all > 0, cases[i].by_block, "%s", cases[i].filters[0]);
        }
    }
}

// Catches an index of other rows that chooses the blocks, and points that are drawn.
Test(needed_blocks, a_result_that_is_not_sure_is_read_as_a_whole)
{
    static const char *const filters[N_FILTERS] = {"n=3"};
    const struct result_plan plan = {"r.csv.gz", GRID "}", NULL, BLOCK, 0, 0, NULL, NULL};
    const struct result_plan drawn = {
        "r.csv.gz", GRID ", \"sample\": {\"count\": 60}}", NULL, BLOCK, 0, 0, NULL, NULL};
    const struct result_plan other = {
        "other.csv.gz", GRID ", \"fwd_len\": 2}", NULL, BLOCK, 0, 0, NULL, NULL};
    write_both(&plan);
    cr_assert(compare(filters, "grid").all > 0);
    write_result(&other);
    rename("other.csv.gz.idx", "r.csv.gz.idx");
    cr_assert_eq(compare(filters, "other index").all, 0);
    cr_assert_eq(truncate("r.csv.gz.idx", 100), 0);
    cr_assert_eq(compare(filters, "torn index").all, 0);
    write_both(&drawn);
    cr_assert_eq(compare(filters, "sample").all, 0);
}

// Catches damage in a block that is read.
Test(needed_blocks, a_damaged_block_is_an_error)
{
    const struct result_plan plan = {"r.csv.gz", GRID "}", NULL, BLOCK, 0, 0, NULL, NULL};
    const char *words[] = {"n=3"};
    const struct pps_view_ask ask = {.path = "r.csv.gz",
                                     .kernels = test_kernels,
                                     .filters = words,
                                     .n_filters = 1};
    struct pps_error err = {.text = ""};
    struct pps_view view;
    const struct pps_cell *cells;
    size_t n;
    write_result(&plan);
    char *data = slurp("r.csv.gz", &n);
    for (size_t i = n / 4; i < n * 3 / 4; i++)
        data[i] = (char)(data[i] ^ 16);
    spill_bytes("r.csv.gz", data, n);
    free(data);
    cr_assert_eq(pps_view_open(&view, &ask, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(pps_view_next(&view, &cells, &err), PPS_E_INPUT);
    cr_assert(strstr(err.text, "does not match the index") != NULL, "%s", err.text);
    pps_view_close(&view);
}
