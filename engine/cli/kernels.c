// SPDX-License-Identifier: Apache-2.0
// ppsweep kernels: what there is, from the kernels' own tables.
#include "command.h"

#include "engine/decimal.h"
#include "engine/experiment.h"
#include "engine/value.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <string.h>

static const struct pps_opt options[] = {
    {"json", 0, NULL, "as JSON"},
    {NULL, 0, NULL, NULL},
};

static const char *const kinds[] = {
    [PPS_INTEGER] = "integer",
    [PPS_REAL] = "real",
    [PPS_BOOLEAN] = "boolean",
    [PPS_CHOICE] = "choice",
};

static const char *const goals[] = {
    [PPS_NEUTRAL] = "",
    [PPS_LOWER] = ", lower is better",
    [PPS_HIGHER] = ", higher is better",
};

static void print_param(const struct pps_param *param)
{
    char fallback[PPS_CELL_TEXT], domain[160];
    pps_value_text(param, param->fallback, fallback);
    pps_value_domain(param, domain, sizeof domain);
    printf("  %-16s %s\n  %-16s %s; default %s\n", param->name, param->summary, "", domain,
           fallback);
}

static void print_column(const struct pps_column *column)
{
    printf("  %-18s %s%s%s%s%s%s\n", column->name, column->summary,
           column->unit[0] != '\0' ? " [" : "", column->unit,
           column->unit[0] != '\0' ? "]" : "", goals[column->goal],
           column->on_request ? " (--metrics)" : "");
}

static void print_kernel(const struct pps_kernel *kernel)
{
    printf("%s %s: %s\n%s\n\nparameters:\n", kernel->name, kernel->version, kernel->summary,
           kernel->source);
    for (int p = 0; p < kernel->n_params; p++)
        print_param(&kernel->params[p]);
    if (kernel->composite != NULL)
        printf("\noptions of a sweep:\n");
    for (int o = 0; kernel->composite != NULL && o < kernel->composite->n_options; o++)
        printf("  %-16s %s\n", kernel->composite->options[o].name,
               kernel->composite->options[o].summary);
    printf("\nresults:\n");
    for (int c = 0; c < kernel->n_columns; c++)
        print_column(&kernel->columns[c]);
    for (const struct pps_stack *s = kernel->stacks; s != NULL && s->name != NULL; s++)
        printf("%s  %s: %s\n", s == kernel->stacks ? "\nstacks that plot draws:\n" : "",
               s->name, s->columns);
    printf("\na point is left out where:\n");
    for (int r = 1; kernel->reasons[r] != NULL; r++)
        printf("  %s\n", kernel->reasons[r]);
}

static cJSON *param_json(const struct pps_param *param)
{
    char text[PPS_CELL_TEXT], domain[160];
    cJSON *object = cJSON_CreateObject();
    pps_value_text(param, param->fallback, text);
    pps_value_domain(param, domain, sizeof domain);
    cJSON_AddStringToObject(object, "name", param->name);
    cJSON_AddStringToObject(object, "kind", kinds[param->kind]);
    cJSON_AddStringToObject(object, "unit", param->unit);
    cJSON_AddStringToObject(object, "summary", param->summary);
    cJSON_AddStringToObject(object, "values", domain);
    cJSON_AddStringToObject(object, "default", text);
    return object;
}

static cJSON *column_json(const struct pps_column *column)
{
    static const char *const words[] = {"none", "lower", "higher"};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", column->name);
    cJSON_AddStringToObject(object, "unit", column->unit);
    cJSON_AddStringToObject(object, "summary", column->summary);
    cJSON_AddStringToObject(object, "goal", words[column->goal]);
    cJSON_AddBoolToObject(object, "on_request", column->on_request);
    return object;
}

static cJSON *kernel_json(const struct pps_kernel *kernel)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", kernel->name);
    cJSON_AddStringToObject(object, "version", kernel->version);
    cJSON_AddStringToObject(object, "summary", kernel->summary);
    cJSON_AddStringToObject(object, "source", kernel->source);
    cJSON *params = cJSON_AddArrayToObject(object, "parameters");
    for (int p = 0; p < kernel->n_params; p++)
        cJSON_AddItemToArray(params, param_json(&kernel->params[p]));
    cJSON *columns = cJSON_AddArrayToObject(object, "columns");
    for (int c = 0; c < kernel->n_columns; c++)
        cJSON_AddItemToArray(columns, column_json(&kernel->columns[c]));
    cJSON *stacks = cJSON_AddObjectToObject(object, "stacks");
    for (const struct pps_stack *s = kernel->stacks; s != NULL && s->name != NULL; s++)
        cJSON_AddStringToObject(stacks, s->name, s->columns);
    return object;
}

static void print_json(const struct pps_kernel *only)
{
    cJSON *list = cJSON_CreateArray();
    for (int k = 0; pps_kernels[k] != NULL; k++)
        if (only == NULL || only == pps_kernels[k])
            cJSON_AddItemToArray(list, kernel_json(pps_kernels[k]));
    char *text = cJSON_Print(list);
    if (text != NULL)
        printf("%s\n", text);
    cJSON_free(text);
    cJSON_Delete(list);
}

static enum pps_status kernels_main(const struct pps_args *args, struct pps_error *err)
{
    const struct pps_kernel *only = NULL;
    if (pps_arg_words(args) > 0) {
        enum pps_status status =
            pps_kernel_choose(pps_kernels, pps_arg_word(args, 0), &only, err);
        if (status != PPS_OK)
            return status;
    }
    if (pps_arg(args, "json") != NULL)
        print_json(only);
    else if (only != NULL)
        print_kernel(only);
    for (int k = 0; only == NULL && pps_arg(args, "json") == NULL && pps_kernels[k] != NULL;
         k++)
        printf("%-12s %s\n", pps_kernels[k]->name, pps_kernels[k]->summary);
    return PPS_OK;
}

const struct pps_command pps_command_kernels = {
    .name = "kernels",
    .summary = "the kernels; with a name its parameters and results",
    .usage = "[options] [KERNEL]",
    .options = options,
    .max_words = 1,
    .main = kernels_main,
};
