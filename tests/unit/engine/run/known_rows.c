// SPDX-License-Identifier: Apache-2.0
// Reused rows: found by the values of all parameters, with their original text.
#include "tests/unit/support/engine/experiments.h"
#include "tests/unit/support/files.h"

#include "engine/job/known_rows_read.h"
#include "engine/point/one_point.h"
#include "engine/space/value.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 6000 };

static const char experiment[] =
    "{\"n\": \"1..7000\", \"tiers\": [{\"fwd_prop\": \"a\", \"grad_prop\": \"a\", "
    "\"grad_sync\": \"b\"}]}";

static const char data[] = "old.csv", manifest[] = "old.csv.json";

TestSuite(reuse, .init = enter, .fini = leave);

// Writes columns in another order than the kernel's. Row k has n = k, bwd_len 2.5 and the
// result k/2; every hundredth row has no result, and the first row is repeated with another
// result.
static void write_data(void)
{
    FILE *out = fopen(data, "w");
    fputs("total_time,p_grad_sync,bwd_len,n\n", out);
    for (int k = 1; k <= ROWS; k++)
        if (k % 100 == 0)
            fprintf(out, ",b,2.5,%d\n", k);
        else
            fprintf(out, "%.4f,b,2.5,%d\n", k / 2.0, k);
    fputs("77.0000,b,2.5,1\n", out);
    fclose(out);
}

// Omits the number of rows, so that the table must grow.
static void write_manifest(const struct pps_kernel *kernel)
{
    FILE *out = fopen(manifest, "w");
    fprintf(out,
            "{\"kernel\": \"%s\", \"kernel_version\": \"%s\", \"exact\": false, "
            "\"columns\": [{\"name\": \"total_time\", \"decimals\": 4}], \"constants\": {",
            kernel->name, kernel->version);
    const char *comma = "";
    for (int p = 0; p < kernel->n_params; p++) {
        char text[PPS_CELL_TEXT];
        const char *name = kernel->params[p].name;
        if (strcmp(name, "n") == 0 || strcmp(name, "bwd_len") == 0 ||
            strcmp(name, "p_grad_sync") == 0)
            continue;
        const double value = strncmp(name, "p_", 2) == 0 ? -1 : kernel->params[p].fallback;
        pps_value_text(&kernel->params[p], value, text);
        fprintf(out, "%s\"%s\": \"%s\"", comma, name, text);
        comma = ", ";
    }
    fputs("}}\n", out);
    fclose(out);
}

static struct pps_known_rows *open_old(const struct pps_experiment *e)
{
    struct pps_known_rows *reuse;
    struct pps_error err = {.text = ""};
    bool checked;
    write_data();
    write_manifest(e->kernel);
    cr_assert_eq(pps_known_rows_open(&reuse, data, e, 0, &checked, &err), PPS_OK, "%s",
                 err.text);
    return reuse;
}

// Catches a table that loses rows as it grows, text of another row, and rows without results
// that are reused.
Test(reuse, every_row_is_found)
{
    struct pps_experiment *e = load_good(experiment);
    struct pps_known_rows *reuse = open_old(e);
    double point[PPS_MAX_PARAMS];
    pps_point_default(e->kernel, point);
    point[4] = 2.5;
    point[12] = point[13] = -1;
    point[14] = -2;
    for (int k = 1; k <= 7000; k++) {
        struct pps_reused found;
        char text[32];
        point[0] = k;
        const bool any = pps_known_rows_find(reuse, point, &found);
        cr_assert_eq(any, k <= ROWS && k % 100 != 0, "%d", k);
        if (!any)
            continue;
        const int n = snprintf(text, sizeof text, "%.4f\n", k / 2.0);
        cr_assert_eq(found.n, (size_t)n);
        cr_assert_arr_eq(found.results, text, (size_t)n);
        cr_assert(!found.infeasible && found.value == k / 2.0);
    }
    pps_known_rows_close(reuse);
    pps_experiment_free(e);
}

// Catches a parameter that is ignored.
Test(reuse, every_parameter_counts)
{
    struct pps_experiment *e = load_good(experiment);
    struct pps_known_rows *reuse = open_old(e);
    struct pps_reused found;
    double point[PPS_MAX_PARAMS];
    pps_point_default(e->kernel, point);
    point[0] = 8;
    point[4] = 2.5;
    point[12] = point[13] = -1;
    point[14] = -2;
    cr_assert(pps_known_rows_find(reuse, point, &found));
    for (int p = 0; p < e->kernel->n_params; p++) {
        const double kept = point[p];
        point[p] = kept + 1;
        cr_assert(p == 0 || !pps_known_rows_find(reuse, point, &found), "%s",
                  e->kernel->params[p].name);
        point[p] = nextafter(kept, 9);
        cr_assert(!pps_known_rows_find(reuse, point, &found), "%s", e->kernel->params[p].name);
        point[p] = kept;
    }
    pps_known_rows_close(reuse);
    pps_experiment_free(e);
}

// Catches a truncated file that is read as if it were whole, and rows kept after an error.
Test(reuse, broken_files_are_refused)
{
    struct pps_experiment *e = load_good(experiment);
    struct pps_known_rows *reuse = open_old(e);
    struct pps_error err;
    bool checked;
    pps_known_rows_close(reuse);
    cr_assert_eq(truncate(data, 1000), 0);
    cr_assert_eq(pps_known_rows_open(&reuse, data, e, 0, &checked, &err), PPS_E_INPUT);
    cr_assert_null(reuse);
    spill(manifest, "[1]");
    cr_assert_eq(pps_known_rows_open(&reuse, data, e, 0, &checked, &err), PPS_E_INPUT);
    cr_assert_null(reuse);
    pps_experiment_free(e);
}
