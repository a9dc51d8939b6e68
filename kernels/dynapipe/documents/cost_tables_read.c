// SPDX-License-Identifier: Apache-2.0
// Reads cost tables from JSON.
#include "kernels/dynapipe/documents/cost_tables_read.h"

#include "base/document/fields.h"
#include "kernels/dynapipe/documents/cost_tables_private.h"
#include "kernels/dynapipe/split/samples.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FIELD_DEGREE,
    FIELD_ROWS,
    FIELD_LENGTHS,
    FIELD_TARGETS,
    FIELD_RECOMPUTE,
};

static const struct docfield fields[] = {
    {"tensor_parallel", DOCFIELD_WHOLE, 1, 65536, 0},
    {"micro_batch_sizes", DOCFIELD_OWN, 0, 0, 0},
    {"sequence_lengths", DOCFIELD_OWN, 0, 0, 0},
    {"target_lengths", DOCFIELD_OWN, 0, 0, 0},
    {"recompute", DOCFIELD_OWN, 0, 0, 0},
    {"network", DOCFIELD_OWN, 0, 0, 0},
    {"name", DOCFIELD_OWN, 0, 0, 0},
    {"note", DOCFIELD_OWN, 0, 0, 0},
    {"source", DOCFIELD_OWN, 0, 0, 0},
    {"time_unit", DOCFIELD_OWN, 0, 0, 0},
    {"memory_unit", DOCFIELD_OWN, 0, 0, 0},
    {"model_state_note", DOCFIELD_OWN, 0, 0, 0},
};
static const struct docfields table = {"cost tables", fields, sizeof fields / sizeof *fields,
                                       NULL, 0};

static const struct docfield root_fields[] = {
    {"tables", DOCFIELD_OWN, 0, 0, 0}, {"network", DOCFIELD_OWN, 0, 0, 0},
    {"name", DOCFIELD_OWN, 0, 0, 0},   {"note", DOCFIELD_OWN, 0, 0, 0},
    {"source", DOCFIELD_OWN, 0, 0, 0},
};
static const struct docfields root_table = {"cost tables", root_fields,
                                            sizeof root_fields / sizeof *root_fields, NULL, 0};

static const struct docfield type_fields[] = {
    {"encoder_fw", DOCFIELD_OWN, 0, 0, 0},
    {"encoder_bw", DOCFIELD_OWN, 0, 0, 0},
    {"decoder_fw", DOCFIELD_OWN, 0, 0, 0},
    {"decoder_bw", DOCFIELD_OWN, 0, 0, 0},
    {"postprocess_fw", DOCFIELD_OWN, 0, 0, 0},
    {"postprocess_bw", DOCFIELD_OWN, 0, 0, 0},
    {"encoder_stored_mb", DOCFIELD_OWN, 0, 0, 0},
    {"decoder_stored_mb", DOCFIELD_OWN, 0, 0, 0},
    {"encoder_peak_mb", DOCFIELD_OWN, 0, 0, 0},
    {"decoder_peak_mb", DOCFIELD_OWN, 0, 0, 0},
    {"model_state_params_mb", DOCFIELD_OWN, 0, 0, 0},
};
static const struct docfields type_table = {"the costs of a recompute type", type_fields,
                                            sizeof type_fields / sizeof *type_fields, NULL, 0};

static const struct docfield parameter_fields[] = {
    {"embedding", DOCFIELD_REAL, 0, 1e12, offsetof(struct cost_parameters, of[0])},
    {"encoder", DOCFIELD_REAL, 0, 1e12, offsetof(struct cost_parameters, of[1])},
    {"decoder", DOCFIELD_REAL, 0, 1e12, offsetof(struct cost_parameters, of[2])},
};
static const struct docfields parameter_table = {
    "parameters", parameter_fields, sizeof parameter_fields / sizeof *parameter_fields, NULL,
    0};

// ---- one degree -----------------------------------------------------------------------------------

static bool read_axis(const cJSON *item, const char *key, double *nodes, int32_t *n,
                      struct pps_fault *fault)
{
    const cJSON *node;
    *n = 0;
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) == 0)
        return pps_fault_set(fault, item, false,
                             "%s: expected a list of sizes, as in [64, 128, 256]", key);
    if (cJSON_GetArraySize(item) > COST_NODES_MAX)
        return pps_fault_set(fault, item, false, "%s: at most %d sizes", key, COST_NODES_MAX);
    cJSON_ArrayForEach (node, item) {
        const double value = cJSON_IsNumber(node) ? node->valuedouble : -1;
        if (value < 0 || value != floor(value) || value > SPLIT_LENGTH_MAX)
            return pps_fault_set(fault, node, false, "%s: expected a whole number, 0 to %d",
                                 key, SPLIT_LENGTH_MAX);
        if (*n > 0 && value <= nodes[*n - 1])
            return pps_fault_set(fault, node, false,
                                 "%s: %g follows %g; write the sizes in ascending order", key,
                                 value, nodes[*n - 1]);
        nodes[(*n)++] = value;
    }
    return true;
}

// Where values of a quantity are read.
struct reading {
    const struct cost_tables *tables;
    const char *type, *quantity;
    enum cost_axis axes[COST_AXES];
    int depth;
    double *next; // value to be written
    int32_t place[COST_AXES];
    struct pps_fault *fault;
};

static bool refuse(const struct reading *r, const cJSON *item, int level, const char *what)
{
    char place[96];
    int n = 0;
    place[0] = '\0';
    for (int k = 0; k < level && n < 64; k++)
        n += snprintf(place + n, sizeof place - (size_t)n, "%s%g", k > 0 ? ", " : " at ",
                      r->tables->axis[r->axes[k]][r->place[k]]);
    return pps_fault_set(r->fault, item, false, "%s, %s%s: %s", r->type, r->quantity, place,
                         what);
}

static bool read_value(struct reading *r, const cJSON *item)
{
    const double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    if (!cJSON_IsNumber(item) && !cJSON_IsNull(item))
        return refuse(r, item, r->depth, "expected a number, or null if it was not measured");
    if (value < 0)
        return refuse(r, item, r->depth, "expected at least 0");
    *r->next++ = value;
    return true;
}

static bool read_values(struct reading *r, const cJSON *item, int level)
{
    const cJSON *inner;
    char what[96];
    if (level == r->depth || level == COST_AXES)
        return read_value(r, item);
    const int32_t nodes = r->tables->nodes[r->axes[level]];
    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != nodes) {
        snprintf(what, sizeof what, "expected a list of %d values, one for each %s", (int)nodes,
                 r->axes[level] == COST_ROWS    ? "of micro_batch_sizes"
                 : r->axes[level] == COST_INPUT ? "of sequence_lengths"
                                                : "of the target lengths");
        return refuse(r, item, level, what);
    }
    r->place[level] = 0;
    cJSON_ArrayForEach (inner, item) {
        if (!read_values(r, inner, level + 1))
            return false;
        r->place[level]++;
    }
    return true;
}

static bool read_quantity(struct cost_tables *t, int type, enum cost_quantity quantity,
                          const cJSON *tables, struct pps_fault *fault)
{
    struct reading r = {.tables = t,
                        .type = cost_recompute_names[type],
                        .quantity = cost_quantity_names[quantity],
                        .next = t->values[type][quantity],
                        .fault = fault};
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(tables, r.quantity);
    if (r.next == NULL && item != NULL)
        return pps_fault_set(fault, item, true,
                             "%s, %s: there are no parameters of a decoder; write "
                             "model_state_params_mb.decoder, or remove the decoder's costs",
                             r.type, r.quantity);
    if (r.next == NULL)
        return true;
    if (item == NULL)
        return pps_fault_set(fault, tables, false, "%s: %s is missing", r.type, r.quantity);
    cost_axes_of(t, quantity, r.axes, &r.depth);
    return read_values(&r, item, 0);
}

// Adds the parameters of a type; they are averaged.
static bool read_parameters(const cJSON *tables, const char *type, struct cost_parameters *sum,
                            struct pps_fault *fault)
{
    struct cost_parameters found = {{-1, -1, -1}, {0, 0, 0}};
    struct docitems items;
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(tables, "model_state_params_mb");
    if (!cJSON_IsObject(item))
        return pps_fault_set(fault, item != NULL ? item : tables, false,
                             "%s: model_state_params_mb: expected the parameters in MB, as in "
                             "{\"embedding\": 60, \"encoder\": 24}",
                             type);
    if (!docfields_find(&parameter_table, item, false, &items, fault) ||
        !docfields_store(&parameter_table, &items, &found, fault))
        return false;
    for (int k = 0; k < 3; k++)
        if (found.of[k] >= 0) {
            sum->of[k] += found.of[k];
            sum->n[k]++;
        }
    return true;
}

static bool read_all_parameters(const cJSON *recompute, struct cost_tables *t,
                                struct pps_fault *fault)
{
    struct cost_parameters sum = {{0, 0, 0}, {0, 0, 0}};
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const cJSON *item =
            cJSON_GetObjectItemCaseSensitive(recompute, cost_recompute_names[type]);
        struct docitems items;
        t->has[type] = item != NULL;
        if (item == NULL)
            continue;
        if (!cJSON_IsObject(item))
            return pps_fault_set(fault, item, false,
                                 "%s: expected an object with encoder_fw, encoder_bw, ...",
                                 cost_recompute_names[type]);
        if (!docfields_find(&type_table, item, false, &items, fault) ||
            !read_parameters(item, cost_recompute_names[type], &sum, fault))
            return false;
    }
    if (!t->has[DYNAPIPE_KEEP])
        return pps_fault_set(
            fault, recompute, false,
            "recompute: the tables \"none\" are missing; they are always needed");
    if (!cost_parameters_set(&sum, t))
        return pps_fault_set(
            fault, recompute, false,
            "recompute: model_state_params_mb needs \"embedding\" and \"encoder\"");
    return true;
}

static bool read_types(const cJSON *recompute, struct cost_tables *t, struct pps_fault *fault)
{
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
        for (int q = 0; q < COST_QUANTITIES && t->has[type]; q++)
            if (!read_quantity(
                    t, type, (enum cost_quantity)q,
                    cJSON_GetObjectItemCaseSensitive(recompute, cost_recompute_names[type]),
                    fault))
                return false;
    return true;
}

static bool read_degree(const cJSON *object, struct cost_tables *t, struct pps_fault *fault)
{
    double nodes[COST_AXES][COST_NODES_MAX];
    struct docitems items;
    if (!docfields_find(&table, object, false, &items, fault))
        return false;
    const cJSON *recompute = items.item[FIELD_RECOMPUTE],
                *targets = items.item[FIELD_TARGETS] != NULL ? items.item[FIELD_TARGETS]
                                                             : items.item[FIELD_LENGTHS];
    if (!cJSON_IsObject(recompute))
        return pps_fault_set(
            fault, recompute != NULL ? recompute : object, false,
            "recompute: expected {\"none\": {...}, \"full\": {...}, \"selective\": {...}}");
    for (int k = FIELD_ROWS; k <= FIELD_LENGTHS; k++)
        if (items.item[k] == NULL)
            return pps_fault_set(fault, object, false, "\"%s\" is missing", fields[k].key);
    if (!read_axis(items.item[FIELD_ROWS], "micro_batch_sizes", nodes[COST_ROWS],
                   &t->nodes[COST_ROWS], fault) ||
        !read_axis(items.item[FIELD_LENGTHS], "sequence_lengths", nodes[COST_INPUT],
                   &t->nodes[COST_INPUT], fault) ||
        !read_axis(targets, "target_lengths", nodes[COST_TARGET], &t->nodes[COST_TARGET],
                   fault) ||
        !read_all_parameters(recompute, t, fault))
        return false;
    if (!t->has_decoder)
        t->nodes[COST_TARGET] = 0;
    if (!cost_tables_allocate(t))
        return pps_fault_memory(fault);
    for (int a = 0; a < COST_AXES; a++)
        memcpy(t->axis[a], nodes[a], (size_t)t->nodes[a] * sizeof *nodes[a]);
    if (!read_types(recompute, t, fault)) {
        cost_tables_free(t);
        return false;
    }
    return true;
}

// ---- several degrees ------------------------------------------------------------------------------

static bool degree_of(const cJSON *object, int32_t *degree, struct pps_fault *fault)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "tensor_parallel");
    *degree = 1;
    if (!cJSON_IsObject(object))
        return pps_fault_set(
            fault, object, false,
            "expected cost tables, as in {\"tensor_parallel\": 1, \"micro_batch_sizes\": ...}");
    if (item == NULL)
        return true;
    if (!cJSON_IsNumber(item) || item->valuedouble < 1 || item->valuedouble > 65536 ||
        item->valuedouble != floor(item->valuedouble))
        return pps_fault_set(fault, item, false,
                             "tensor_parallel: expected a whole number from 1 up");
    *degree = (int32_t)item->valuedouble;
    return true;
}

bool cost_tables_read(const struct cJSON *root, int32_t tensor_parallel, struct cost_tables *t,
                      struct pps_fault *fault)
{
    const cJSON *list = cJSON_IsObject(root) ? cJSON_GetObjectItemCaseSensitive(root, "tables")
                                             : NULL,
                *one = list != NULL ? list->child : root, *found = NULL;
    struct cost_degrees degrees = {.n = 0};
    struct docitems items;
    *fault = (struct pps_fault){.document = 0};
    *t = (struct cost_tables){.tensor_parallel = tensor_parallel};
    if (list != NULL && (!cJSON_IsArray(list) || list->child == NULL))
        return pps_fault_set(fault, list, false,
                             "tables: expected a list of cost tables, one for each degree");
    if (list != NULL && !docfields_find(&root_table, root, false, &items, fault))
        return false;
    for (; one != NULL; one = list != NULL ? one->next : NULL) {
        int32_t degree;
        if (!degree_of(one, &degree, fault))
            return false;
        if (degree == tensor_parallel && found != NULL)
            return pps_fault_set(
                fault, one, false,
                "there are two tables of tensor-parallel degree %d; remove one", (int)degree);
        found = degree == tensor_parallel ? one : found;
        cost_degrees_add(&degrees, degree);
    }
    if (found == NULL)
        return cost_degrees_refuse(&degrees, tensor_parallel, root, fault);
    return read_degree(found, t, fault);
}

int cost_tables_degrees(const struct cJSON *root, int32_t *degrees, int most)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "tables"),
                *one = cJSON_IsArray(list) ? list->child : root;
    struct cost_degrees found = {.n = 0};
    struct pps_fault fault;
    for (; one != NULL; one = list != NULL ? one->next : NULL) {
        int32_t degree;
        if (degree_of(one, &degree, &fault))
            cost_degrees_add(&found, degree);
    }
    const int n = found.n < most ? found.n : most;
    memcpy(degrees, found.degree, (size_t)n * sizeof *degrees);
    return n;
}
