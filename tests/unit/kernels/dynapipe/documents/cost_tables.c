// SPDX-License-Identifier: Apache-2.0
// Tests of cost tables as documents. They would catch a CSV that reads as other tables than the JSON, a degree that is
// taken for another, and faults that do not name table, quantity and place.
#include "kernels/dynapipe/documents/cost_tables_read.h"

#include "tests/unit/support/kernels/golden.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Appends one value as a row of CSV.
static size_t row(char *out, const struct cost_tables *t, int type, enum cost_quantity q,
                  int64_t k)
{
    enum cost_axis axes[COST_AXES];
    int n;
    double at[COST_AXES] = {0};
    const double value = t->values[type][q][k];
    cost_axes_of(t, q, axes, &n);
    for (int a = n - 1; a >= 0; a--) {
        at[axes[a]] = t->axis[axes[a]][k % t->nodes[axes[a]]];
        k /= t->nodes[axes[a]];
    }
    return isnan(value)
               ? 0
               : (size_t)sprintf(out, "2,%s,%s,%g,%g,%g,%.17g\n", cost_recompute_names[type],
                                 cost_quantity_names[q], at[0], at[1], at[2], value);
}

static char *write_csv(const struct cost_tables *t)
{
    char *text = malloc(16 << 20);
    size_t n = (size_t)sprintf(
        text,
        "tensor_parallel,recompute,quantity,micro_batch_size,length,target_length,value\n");
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int q = 0; q < COST_QUANTITIES; q++)
            for (int64_t k = 0; k < cost_values_of(t, (enum cost_quantity)q); k++)
                n += row(text + n, t, type, (enum cost_quantity)q, k);
    n += (size_t)sprintf(text + n,
                         "2,,embedding_params_mb,,,,%.17g\n2,,encoder_params_mb,,,,%.17g\n",
                         t->embedding, t->encoder);
    if (t->has_decoder)
        sprintf(text + n, "2,,decoder_params_mb,,,,%.17g\n", t->decoder);
    return text;
}

static void same(const char *name)
{
    struct cost_tables a, b, none;
    struct pps_fault fault;
    cJSON *document = golden_of("dynapipe", name);
    cr_assert(cost_tables_read(document, 1, &a, &fault), "%s", fault.text);
    char *csv = write_csv(&a);
    cr_assert(cost_tables_read_csv(csv, strlen(csv), 2, &b, &fault), "%d: %s", fault.line,
              fault.text);
    cr_assert_eq(a.has_decoder, b.has_decoder);
    cr_assert_eq(a.embedding, b.embedding);
    for (int axis = 0; axis < COST_AXES; axis++) {
        cr_assert_eq(a.nodes[axis], b.nodes[axis]);
        cr_assert_arr_eq(a.axis[axis], b.axis[axis], (size_t)a.nodes[axis] * sizeof(double));
    }
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int q = 0; q < COST_QUANTITIES; q++)
            for (int64_t k = 0; k < cost_values_of(&a, (enum cost_quantity)q); k++) {
                const double x = a.values[type][q][k], y = b.values[type][q][k];
                cr_assert(x == y || (isnan(x) && isnan(y)));
            }
    cr_assert(!cost_tables_read_csv(csv, strlen(csv), 4, &none, &fault));
    cr_assert(strstr(fault.text, "there are those of degree 2") != NULL, "%s", fault.text);
    free(csv);
    cost_tables_free(&a);
    cost_tables_free(&b);
    cJSON_Delete(document);
}

Test(dynapipe_cost_tables, csv_reads_as_json)
{
    same("grid_decoder_only.json");
    same("grid_encoder_decoder.json");
    same("grid_tiny.json");
}

static void refused(const char *text, int32_t degree, const char *expected)
{
    struct cost_tables t;
    struct pps_fault fault;
    cJSON *document = cJSON_Parse(text);
    cr_assert_not_null(document, "%s", text);
    cr_assert(!cost_tables_read(document, degree, &t, &fault), "%s", text);
    cr_assert(strstr(fault.text, expected) != NULL, "got \"%s\", expected \"%s\"", fault.text,
              expected);
    cJSON_Delete(document);
}

#define TABLE(values, parameters)                                                              \
    "{\"micro_batch_sizes\": [1, 2], \"sequence_lengths\": [64], \"recompute\": {\"none\": {"  \
    "\"encoder_fw\": " values ", \"encoder_bw\": [[1], [1]], \"postprocess_fw\": [[1], [1]], " \
    "\"postprocess_bw\": [[1], [1]], \"encoder_stored_mb\": [[1], [1]], "                      \
    "\"encoder_peak_mb\": [[1], [1]], \"model_state_params_mb\": " parameters "}}}"

Test(dynapipe_cost_tables, wrong_json)
{
    static const char ok[] = TABLE("[[1], [null]]", "{\"embedding\": 1, \"encoder\": 2}");
    struct cost_tables t;
    struct pps_fault fault;
    cJSON *document = cJSON_Parse(ok);
    cr_assert(cost_tables_read(document, 1, &t, &fault), "%s", fault.text);
    cr_assert(isnan(t.values[0][COST_ENCODER_FORWARD][1]));
    cost_tables_free(&t);
    cJSON_Delete(document);
    refused(ok, 8, "there are those of degree 1");
    refused(TABLE("[[1], [-2]]", "{\"embedding\": 1, \"encoder\": 2}"), 1,
            "none, encoder_fw at 2, 64: expected at least 0");
    refused(TABLE("[[1], [2, 3]]", "{\"embedding\": 1, \"encoder\": 2}"), 1,
            "none, encoder_fw at 2: expected a list of 1");
    refused(TABLE("[[1], [\"x\"]]", "{\"embedding\": 1, \"encoder\": 2}"), 1,
            "expected a number");
    refused(TABLE("[[1], [1]]", "{\"encoder\": 2}"), 1, "needs \"embedding\"");
    refused(TABLE("[[1], [1]]", "{\"embedding\": 1, \"encodr\": 2}"), 1, "encoder");
    refused("{\"micro_batch_sizes\": [2, 1], \"sequence_lengths\": [64], \"recompute\": {}}", 1,
            "ascending");
    refused("{\"tables\": []}", 1, "tables: expected a list");
    refused("{\"tables\": [{\"tensor_parallel\": 2}, {\"tensor_parallel\": 4}]}", 1,
            "there are those of degree 2, 4");
}

Test(dynapipe_cost_tables, wrong_csv)
{
    static const struct {
        const char *text, *expected;
        int line;
    } cases[] = {
        {"", "the table is empty", 1},
        {"quantity,micro_batch_size,length,valu\n", "did you mean value?", 1},
        {"quantity,micro_batch_size,length\n", "value: the column is missing", 1},
        {"quantity,micro_batch_size,length,value\nencoder_fv,1,64,1\n",
         "did you mean encoder_fw?", 2},
        {"recompute,quantity,micro_batch_size,length,value\nnone,encoder_fw,1.5,64,1\n",
         "whole number", 2},
        {"recompute,quantity,micro_batch_size,length,value\nnone,encoder_fw,1,64,-1\n",
         "value: expected a number", 2},
        {"recompute,quantity,micro_batch_size,length,value\nnone,encoder_fw,1,64,1\n",
         "embedding_params_mb", 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct cost_tables t;
        struct pps_fault fault;
        cr_assert(!cost_tables_read_csv(cases[k].text, strlen(cases[k].text), 1, &t, &fault));
        cr_assert(strstr(fault.text, cases[k].expected) != NULL, "got \"%s\", expected \"%s\"",
                  fault.text, cases[k].expected);
        cr_assert_eq(fault.line, cases[k].line, "%d: %s", fault.line, fault.text);
    }
}
