// SPDX-License-Identifier: Apache-2.0
// The C library opens models: errors with a place, names, values as text, combinations and limits.
#include "engine/experiment/experiment.h"
#include "engine/kernels/kernel_list.h"
#include "kernels/registry.h"
#include "tests/unit/support/engine/library_calls.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Opens a model that must be refused with this message at this place.
static void refused(const char *kernel, const char *inputs, const char *options,
                    const char *file, int line, int column, const char *text)
{
    const struct ppsweep_model_options all = {.size = sizeof all,
                                              .inputs = inputs,
                                              .options = options};
    struct ppsweep_model *model = open_model("contention", NULL), *before = model;
    struct ppsweep_error error;
    cr_assert_eq(ppsweep_model_open(&model, kernel, &all, &error), PPSWEEP_E_INPUT);
    cr_assert_null(model);
    cr_assert_eq(error.code, PPSWEEP_E_INPUT);
    cr_assert(strstr(error.text, text) != NULL, "%s", error.text);
    cr_assert_str_eq(error.file, file);
    cr_assert_eq(error.line, line, "%d", error.line);
    cr_assert_eq(error.column, column, "%d", error.column);
    ppsweep_model_close(before);
}

// Would catch an error that loses its place.
Test(library_model, errors_have_places)
{
    refused("contentoin", NULL, NULL, "", 0, 0, "did you mean contention?");
    refused("ndsearch", NULL, NULL, "", 0, 0, "model");
    refused("ndsearch", "{\"model\":\n  \"llama3-8x\"}", NULL, "inputs", 2, 3, "llama3-8x");
    refused("ndsearch", "{\"model\": {\"layers\": 0}}", NULL, "inputs", 1, 12, "layers");
    refused("contention", "{\"model\": {}}", NULL, "inputs", 1, 2, "takes no \"model\"");
    refused("contention", NULL, "{\"priority_stop\": 0.5}", "options", 1, 2,
            "did you mean priority_step?");
    refused("contention", NULL, "{\"priority_step\": 0.3}", "options", 1, 19, "priority_step");
    refused("contention", NULL, "[1]", "options", 1, 1, "expected an object");
    refused("contention", "{", NULL, "inputs", 1, 2, "");
}

// Would catch a call that crashes or succeeds without its arguments.
Test(library_model, null)
{
    struct ppsweep_model *model = open_model("contention", NULL);
    struct ppsweep_error error;
    struct ppsweep_points points = {.size = sizeof points, .n = 1};
    double value;
    char text[PPSWEEP_VALUE_TEXT];
    ppsweep_model_close(NULL);
    ppsweep_stop_close(NULL);
    ppsweep_stop_raise(NULL);
    ppsweep_stop_lower(NULL);
    cr_assert_eq(ppsweep_model_open(NULL, "contention", NULL, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_evaluate(NULL, &points, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_evaluate(model, NULL, &error), PPSWEEP_E_CALL);
    points.size = 4;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    cr_assert(strstr(error.text, "ppsweep_points") != NULL, "%s", error.text);
    cr_assert_eq(ppsweep_model_params(NULL), 0);
    cr_assert_eq(ppsweep_model_columns(NULL), 0);
    cr_assert_null(ppsweep_model_param(NULL, 0));
    cr_assert_null(ppsweep_model_param(model, -1));
    cr_assert_null(ppsweep_model_column(model, ppsweep_model_columns(model)));
    cr_assert_eq(ppsweep_model_find_param(model, NULL, &error), -1);
    cr_assert_eq(ppsweep_model_find_param(NULL, "n", &error), -1);
    cr_assert_eq(ppsweep_encode(model, 0, NULL, &value, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_encode(model, 0, "8", NULL, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_encode(model, 99, "8", &value, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_decode(NULL, 0, 8, text, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_model_combinations(NULL), 0);
    cr_assert_eq(ppsweep_model_combination(model, 0, 1, NULL, &error), PPSWEEP_E_CALL);
    cr_assert_str_eq(ppsweep_model_kernel(NULL), "");
    ppsweep_model_close(model);
}

Test(library_model, wrong_names)
{
    struct ppsweep_model *model = open_model("contention", NULL);
    struct ppsweep_error error;
    cr_assert_eq(ppsweep_model_find_param(model, "sync_frq", &error), -1);
    cr_assert(strstr(error.text, "did you mean sync_freq?") != NULL, "%s", error.text);
    cr_assert_eq(ppsweep_model_find_column(model, "total_tme", &error), -1);
    cr_assert(strstr(error.text, "did you mean total_time?") != NULL, "%s", error.text);
    cr_assert_eq(ppsweep_model_find_column(model, "total_time", &error), 0);
    ppsweep_model_close(model);
}

// Would catch an array of a parameter that documents set, and columns of the wrong kind.
Test(library_model, wrong_arrays)
{
    struct ppsweep_model *model = open_model("ndsearch", "{\"model\": \"llama3-8b\"}");
    const double one = 1, *in[PPS_MAX_PARAMS] = {NULL};
    double x, *out[PPS_MAX_COLUMNS] = {NULL};
    char text[4096], *texts[PPS_MAX_COLUMNS] = {text};
    struct ppsweep_error error;
    struct ppsweep_points points = {.size = sizeof points, .n = 1, .param = in};
    in[model_param(model, "layers")] = &one;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    cr_assert(strstr(error.text, "layers") != NULL, "%s", error.text);
    points.param = NULL;
    points.text = texts;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    points.text = NULL;
    points.column = out;
    for (int c = 0; c < ppsweep_model_columns(model); c++)
        out[c] = ppsweep_model_column(model, c)->text_size > 0 ? &x : NULL;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    points.column = NULL;
    points.threads = -1;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    ppsweep_model_close(model);
}

// Would catch a value that changes on its way through text.
Test(library_model, values_as_text)
{
    struct ppsweep_model *model = open_model("contention", NULL);
    struct ppsweep_error error;
    static const struct {
        const char *param, *text;
        double value;
    } cases[] = {{"n", "8", 8},
                 {"fwd_len", "0.25", 0.25},
                 {"pipeline", "gpipe", 1},
                 {"congestion", "true", 1},
                 {"p_fwd_prop", "c", -3},
                 {"p_fwd_prop", "0.5", 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int p = model_param(model, cases[i].param);
        char text[PPSWEEP_VALUE_TEXT];
        double value;
        cr_assert_eq(ppsweep_encode(model, p, cases[i].text, &value, &error), PPSWEEP_OK);
        cr_assert_eq(value, cases[i].value);
        cr_assert_eq(ppsweep_decode(model, p, value, text, &error), PPSWEEP_OK);
        cr_assert_str_eq(text, cases[i].text);
    }
    double value;
    char text[PPSWEEP_VALUE_TEXT];
    cr_assert_eq(ppsweep_encode(model, model_param(model, "n"), "0", &value, &error),
                 PPSWEEP_E_INPUT);
    cr_assert(strstr(error.text, "n: expected a whole number") != NULL, "%s", error.text);
    cr_assert_eq(ppsweep_decode(model, model_param(model, "n"), 0.5, text, &error),
                 PPSWEEP_E_INPUT);
    cr_assert_eq(ppsweep_decode(model, model_param(model, "pipeline"), 2, text, &error),
                 PPSWEEP_E_INPUT);
    ppsweep_model_close(model);
}

// Would catch combinations in another order than that of an experiment, or with unrounded values.
Test(library_model, combinations_are_those_of_an_experiment)
{
    const struct ppsweep_model_options options = {.size = sizeof options,
                                                  .options = "{\"priority_step\": 0.1}"};
    struct pps_request request = {.kernels = pps_kernels,
                                  .text = "{\"n\": 8, \"priority_step\": 0.1}"};
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    struct pps_experiment *e;
    struct pps_error err;
    struct ppsweep_model *model;
    cr_assert_eq(pps_experiment_load(&e, &request, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(ppsweep_model_open(&model, "contention", &options, NULL), PPSWEEP_OK);
    const uint64_t n = ppsweep_model_combinations(model);
    cr_assert_eq(n, e->n_points);
    double *values[PPS_MAX_PARAMS] = {NULL};
    for (int p = 0; p < ppsweep_model_params(model); p++)
        if (ppsweep_model_param(model, p)->combined)
            values[p] = calloc(n, sizeof(double));
    cr_assert_eq(ppsweep_model_combination(model, 0, n, values, NULL), PPSWEEP_OK);
    for (uint64_t i = 0; i < n; i++) {
        pps_cursor_seek(cursor, &e->space, i);
        for (int p = 0; p < ppsweep_model_params(model); p++)
            if (values[p] != NULL)
                cr_assert_eq(values[p][i], cursor->point[p], "%d", p);
    }
    cr_assert_eq(ppsweep_model_combination(model, n, 1, values, NULL), PPSWEEP_E_CALL);
    for (int p = 0; p < PPS_MAX_PARAMS; p++)
        free(values[p]);
    ppsweep_model_close(model);
    pps_experiment_free(e);
    free(cursor);
}

// Would catch limits that differ from the limits of an experiment.
// The documents without which a kernel has no model.
static const char *inputs_of(const char *kernel)
{
    if (strcmp(kernel, "ndsearch") == 0)
        return "{\"model\": \"llama3-8b\"}";
    if (strcmp(kernel, "balance") == 0)
        return "{\"layers\": {\"layers_description\": [{\"type\": \"BODY\", \"time\": 1, "
               "\"nb_layer\": 8, \"memory_parameter\": 1, \"memory_activation\": 1}]}}";
    return NULL;
}

Test(library_model, limits_are_those_of_an_experiment)
{
    static const double around[] = {-28, -27,    -26,    -1.5,  -1,       -0.5, 0,   1e-320,
                                    0.5, 1,      1.5,    2,     4096,     4097, 1e6, 1000001,
                                    1e9, 0x1p52, 0x1p53, 1e300, INFINITY, NAN};
    for (int k = 0; ppsweep_kernel_name(k) != NULL; k++) {
        struct ppsweep_model *model =
            open_model(ppsweep_kernel_name(k), inputs_of(ppsweep_kernel_name(k)));
        const struct pps_kernel *kernel = pps_kernels_find(pps_kernels, ppsweep_kernel_name(k));
        for (int p = 0; p < kernel->n_params; p++) {
            char why[PPS_WHY], text[PPSWEEP_VALUE_TEXT];
            if (kernel->params[p].kind != PPS_INTEGER && kernel->params[p].kind != PPS_REAL)
                continue;
            for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
                const bool name = around[i] <= -1 && kernel->params[p].names != NULL;
                if (!name)
                    cr_assert_eq(ppsweep_decode(model, p, around[i], text, NULL) == PPSWEEP_OK,
                                 pps_value_check(&kernel->params[p], around[i], why),
                                 "%s %g: %s", kernel->params[p].name, around[i], why);
            }
        }
        ppsweep_model_close(model);
    }
}
