// SPDX-License-Identifier: Apache-2.0
// Looks up the kinds of an experiment's columns.
#include "engine/experiment/column_types.h"

#include "engine/space/typed_columns.h"
#include "engine/space/value.h"

#include <stdlib.h>
#include <string.h>

// Returns whether rows have numbers and names in one column of this name.
static bool is_mixed(const struct pps_experiment *experiment, const char *name)
{
    const int p = pps_param_find(experiment->kernel, name, strlen(name));
    return p >= 0 && (pps_typed_params(experiment->kernel) >> p & 1) != 0 &&
           (experiment->space.typed >> p & 1) == 0;
}

enum pps_status pps_experiment_schema(const struct pps_experiment *experiment,
                                      struct pps_schema *schema, struct pps_error *err)
{
    char *header = pps_experiment_header(experiment);
    if (header == NULL)
        return pps_fail_memory(err, "the header");
    enum pps_status status = pps_schema_open(schema, header, strlen(header), err);
    free(header);
    for (int c = 0; status == PPS_OK && c < schema->n; c++)
        if (is_mixed(experiment, schema->names[c]) ||
            !pps_column_cells(experiment->kernel, schema->names[c], &schema->kinds[c]))
            schema->kinds[c] = PPS_CELLS_TEXT; // the status, too
    return status;
}

void pps_experiment_add_dtypes(const struct pps_experiment *experiment, cJSON *root)
{
    struct pps_schema schema;
    struct pps_error unused;
    if (pps_experiment_schema(experiment, &schema, &unused) != PPS_OK)
        return;
    cJSON *dtypes = cJSON_AddObjectToObject(root, "dtypes");
    for (int c = 0; c < schema.n; c++)
        cJSON_AddStringToObject(dtypes, schema.names[c],
                                is_mixed(experiment, schema.names[c])
                                    ? "float64 or text"
                                    : pps_cell_kind_name(schema.kinds[c]));
    pps_schema_free(&schema);
}
