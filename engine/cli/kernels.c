// SPDX-License-Identifier: Apache-2.0
// ppsweep kernels: lists kernels, parameters and results from the tables of the kernels.
#include "base/document/json.h"
#include "engine/cli/verbs.h"

#include "base/text/say.h"
#include "engine/experiment/experiment.h"
#include "engine/kernels/skeleton.h"
#include "engine/space/value.h"

#include <stdio.h>
#include <string.h>

static const struct pps_opt options[] = {
    {"json", 0, NULL, "print JSON"},
    {"new", 0, "NAME", "create the folder of a new kernel, which builds and runs"},
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

// Returns the slot whose documents are the values of parameter p, or -1.
static int slot_of(const struct pps_kernel *kernel, int p)
{
    for (int s = 0; s < kernel->n_slots; s++)
        if (kernel->slots[s].param == p)
            return s;
    return -1;
}

// Returns the name of the slot whose documents set parameter p, or NULL.
static const char *said_by(const struct pps_kernel *kernel, int p)
{
    for (int s = 0; s < kernel->n_slots; s++)
        for (int m = 0; m < kernel->slots[s].n_sets; m++)
            if (kernel->slots[s].sets[m] == p)
                return kernel->slots[s].name;
    return NULL;
}

static void print_param(const struct pps_kernel *kernel, int p)
{
    const struct pps_param *param = &kernel->params[p];
    const char *document = said_by(kernel, p);
    char fallback[PPS_CELL_TEXT], domain[PPS_DOMAIN], symbol[32] = "";
    if (param->symbol != NULL)
        snprintf(symbol, sizeof symbol, " (%.24s)", param->symbol);
    printf("  %-16s %s%s%s%s%s\n  %-16s ", param->name, param->summary, symbol,
           param->unit[0] != '\0' ? " [" : "", param->unit, param->unit[0] != '\0' ? "]" : "",
           "");
    if (slot_of(kernel, p) >= 0) {
        printf("the name of a document\n");
        return;
    }
    if (param->fixed) {
        printf("set by the %s; for rules and expressions only\n",
               document != NULL ? document : "document");
        return;
    }
    pps_value_text(param, param->fallback, fallback);
    pps_value_domain(param, domain, sizeof domain);
    printf("%s; default %s%s%s\n", domain, fallback,
           document != NULL ? ", or the value from the " : "",
           document != NULL ? document : "");
}

static void print_slots(const struct pps_kernel *kernel)
{
    if (kernel->n_slots > 0)
        printf("\ninput documents (\"inputs\" in the experiment, or --input):\n");
    for (int s = 0; s < kernel->n_slots; s++) {
        const struct pps_slot *slot = &kernel->slots[s];
        printf("  %-16s %s%s%s%s\n", slot->name, slot->summary,
               slot->text ? "; JSON or text" : "", slot->required ? "; required" : "",
               slot->param >= 0 ? "; one or several" : "");
    }
}

static void print_presets(const struct pps_kernel *kernel)
{
    const struct pps_preset *preset = kernel->presets;
    for (; preset != NULL && preset->name != NULL; preset++)
        printf("%s  %-16s %s\n",
               preset == kernel->presets ? "\npresets (named sets of axes and rules):\n" : "",
               preset->name, preset->summary);
}

static void print_column(const struct pps_column *column)
{
    printf("  %-18s %s%s%s%s%s", column->name, column->summary,
           column->unit[0] != '\0' ? " [" : "", column->unit,
           column->unit[0] != '\0' ? "]" : "", goals[column->goal]);
    if (column->by_name)
        printf(" (only with --metrics=%s)", column->name);
    else if (column->on_request)
        printf(" (with --metrics)");
    putchar('\n');
}

static void print_artifacts(const struct pps_kernel *kernel)
{
    const struct pps_artifact *artifact = kernel->artifacts;
    for (; artifact != NULL && artifact->name != NULL; artifact++)
        printf("%s  %-16s %s\n",
               artifact == kernel->artifacts ? "\nartifacts of a point for trace --as:\n" : "",
               artifact->name, artifact->summary);
}

static void print_kernel(const struct pps_kernel *kernel)
{
    printf("%s %s: %s\n%s\n", kernel->name, kernel->version, kernel->summary, kernel->source);
    print_slots(kernel);
    print_presets(kernel);
    printf("\nparameters:\n");
    for (int p = 0; p < kernel->n_params; p++)
        print_param(kernel, p);
    if (kernel->composite != NULL)
        printf("\noptions of a sweep:\n");
    for (int o = 0; kernel->composite != NULL && o < kernel->composite->n_options; o++)
        printf("  %-16s %s\n", kernel->composite->options[o].name,
               kernel->composite->options[o].summary);
    printf("\nresults:\n");
    for (int c = 0; c < kernel->n_columns; c++)
        print_column(&kernel->columns[c]);
    for (const struct pps_stack *s = kernel->stacks; s != NULL && s->name != NULL; s++)
        printf("%s  %s: %s\n", s == kernel->stacks ? "\nstacks for plot --stack:\n" : "",
               s->name, s->columns);
    if (kernel->baseline != NULL)
        printf("\nbaseline of --baseline default:\n  %s\n", kernel->baseline);
    if (kernel->ranks != NULL)
        printf("\nrows are ranked by %s where they show it, otherwise by %s\n", kernel->ranks,
               kernel->columns[0].name);
    print_artifacts(kernel);
    printf("\na point is skipped if:\n");
    for (int r = 1; kernel->reasons[r] != NULL; r++)
        printf("  %s\n", kernel->reasons[r]);
}

static cJSON *param_json(const struct pps_kernel *kernel, int p)
{
    const struct pps_param *param = &kernel->params[p];
    const char *document = said_by(kernel, p);
    char text[PPS_CELL_TEXT], domain[PPS_DOMAIN];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", param->name);
    if (param->symbol != NULL)
        cJSON_AddStringToObject(object, "symbol", param->symbol);
    cJSON_AddStringToObject(object, "kind", kinds[param->kind]);
    cJSON_AddStringToObject(object, "unit", param->unit);
    cJSON_AddStringToObject(object, "summary", param->summary);
    if (document != NULL)
        cJSON_AddStringToObject(object, "said_by", document);
    if (slot_of(kernel, p) >= 0 || param->fixed)
        return object;
    pps_value_text(param, param->fallback, text);
    pps_value_domain(param, domain, sizeof domain);
    cJSON_AddStringToObject(object, "values", domain);
    cJSON_AddStringToObject(object, "default", text);
    return object;
}

static cJSON *slot_json(const struct pps_slot *slot)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", slot->name);
    cJSON_AddStringToObject(object, "summary", slot->summary);
    cJSON_AddBoolToObject(object, "required", slot->required);
    cJSON_AddBoolToObject(object, "several", slot->param >= 0);
    if (slot->text)
        cJSON_AddBoolToObject(object, "text", true);
    return object;
}

static cJSON *preset_json(const struct pps_preset *preset)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", preset->name);
    cJSON_AddStringToObject(object, "summary", preset->summary);
    cJSON *axes = cJSON_AddObjectToObject(object, "axes");
    for (int a = 0; preset->axes[a].param != NULL; a++)
        cJSON_AddStringToObject(axes, preset->axes[a].param, preset->axes[a].values);
    cJSON *rules = cJSON_AddArrayToObject(object, "where");
    for (int r = 0; preset->rules[r] != NULL; r++)
        cJSON_AddItemToArray(rules, cJSON_CreateString(preset->rules[r]));
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
    cJSON_AddBoolToObject(object, "on_request", column->on_request || column->by_name);
    cJSON_AddBoolToObject(object, "by_name", column->by_name);
    return object;
}

static cJSON *kernel_json(const struct pps_kernel *kernel)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", kernel->name);
    cJSON_AddStringToObject(object, "version", kernel->version);
    cJSON_AddStringToObject(object, "summary", kernel->summary);
    cJSON_AddStringToObject(object, "source", kernel->source);
    if (kernel->n_slots > 0) {
        cJSON *slots = cJSON_AddArrayToObject(object, "inputs");
        for (int i = 0; i < kernel->n_slots; i++)
            cJSON_AddItemToArray(slots, slot_json(&kernel->slots[i]));
    }
    if (kernel->presets != NULL) {
        cJSON *presets = cJSON_AddArrayToObject(object, "presets");
        for (const struct pps_preset *p = kernel->presets; p->name != NULL; p++)
            cJSON_AddItemToArray(presets, preset_json(p));
    }
    cJSON *params = cJSON_AddArrayToObject(object, "parameters");
    for (int p = 0; p < kernel->n_params; p++)
        cJSON_AddItemToArray(params, param_json(kernel, p));
    cJSON *columns = cJSON_AddArrayToObject(object, "columns");
    for (int c = 0; c < kernel->n_columns; c++)
        cJSON_AddItemToArray(columns, column_json(&kernel->columns[c]));
    if (kernel->baseline != NULL)
        cJSON_AddStringToObject(object, "baseline", kernel->baseline);
    cJSON *stacks = cJSON_AddObjectToObject(object, "stacks");
    for (const struct pps_stack *s = kernel->stacks; s != NULL && s->name != NULL; s++)
        cJSON_AddStringToObject(stacks, s->name, s->columns);
    if (kernel->artifacts != NULL) {
        cJSON *artifacts = cJSON_AddObjectToObject(object, "artifacts");
        for (const struct pps_artifact *a = kernel->artifacts; a->name != NULL; a++)
            cJSON_AddStringToObject(artifacts, a->name, a->summary);
    }
    return object;
}

static void print_json(const struct pps_kernel *const *kernels, const struct pps_kernel *only)
{
    cJSON *list = cJSON_CreateArray();
    for (int k = 0; kernels[k] != NULL; k++)
        if (only == NULL || only == kernels[k])
            cJSON_AddItemToArray(list, kernel_json(kernels[k]));
    pps_json_put(stdout, list);
}

// Prints the files of a new kernel, and the commands that build and run it.
static void print_new(const char *name, const struct pps_skeleton *s)
{
    printf("%s/kernel.c\n%s/model.md\n%s/example.json\n\nbuild and run it:\n", s->folder,
           s->folder, s->folder);
    if (s->in_tree) {
        printf("  cmake --preset release && cmake --build --preset release --target ppsweep\n"
               "  build/release/ppsweep -c %s/example.json --audit 1\n"
               "then add a row for %s to docs/layout.md\n",
               s->folder, s->folder);
        return;
    }
    printf("  cc -O3 -shared -fPIC -ffp-contract=off -DPPS_BUILD_MODULE -I ");
    pps_say_word(stdout, s->headers, SIZE_MAX);
    printf(" -o %s/%s.so %s/kernel.c\n"
           "  ppsweep --kernel %s/%s.so -c %s/example.json --audit 1\n",
           s->folder, name, s->folder, s->folder, name, s->folder);
}

static enum pps_status create_kernel(const struct pps_args *args, struct pps_error *err)
{
    struct pps_skeleton skeleton;
    const char *name = pps_arg(args, "new");
    const enum pps_status status =
        pps_skeleton_write(name, pps_arg_kernels(args), &skeleton, err);
    if (status == PPS_OK)
        print_new(name, &skeleton);
    return status;
}

static enum pps_status kernels_main(const struct pps_args *args, struct pps_error *err)
{
    if (pps_arg(args, "new") != NULL)
        return create_kernel(args, err);
    const struct pps_kernel *const *kernels = pps_arg_kernels(args);
    const struct pps_kernel *only = NULL;
    if (pps_arg_words(args) > 0) {
        enum pps_status status = pps_kernel_choose(kernels, pps_arg_word(args, 0), &only, err);
        if (status != PPS_OK)
            return status;
    }
    if (pps_arg(args, "json") != NULL)
        print_json(kernels, only);
    else if (only != NULL)
        print_kernel(only);
    for (int k = 0; only == NULL && pps_arg(args, "json") == NULL && kernels[k] != NULL; k++)
        printf("%-12s %s\n", kernels[k]->name, kernels[k]->summary);
    return PPS_OK;
}

const struct pps_command pps_command_kernels = {
    .name = "kernels",
    .summary = "list kernels, or the parameters and results of one kernel",
    .usage = "[options] [KERNEL]",
    .options = options,
    .max_words = 1,
    .kernels = true,
    .main = kernels_main,
};
