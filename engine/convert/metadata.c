// SPDX-License-Identifier: Apache-2.0
// Copies the manifest of a result.
#include "engine/convert/metadata.h"

#include "base/document/json.h"
#include "engine/manifest/manifest_file.h"

#include <stdlib.h>

// Members that describe the file and not its rows.
static const char *const omitted[] = {"text_bytes", "data_bytes", "block_points",
                                      "codec",      "dtypes",     "manifest_digest"};

enum pps_status pps_convert_metadata(const char *path,
                                     const struct pps_schema *schema,
                                     char **text,
                                     struct pps_error *err)
{
    cJSON *root = NULL;
    *text = NULL;
    enum pps_status status = pps_manifest_known(path, &root, err);
    if (status != PPS_OK)
        return status;
    if (root == NULL)
        root = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof omitted / sizeof *omitted; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(root, omitted[i]);
    cJSON *dtypes = cJSON_AddObjectToObject(root, "dtypes");
    for (int c = 0; c < schema->n; c++)
        cJSON_AddStringToObject(dtypes, schema->names[c], pps_cell_kind_name(schema->kinds[c]));
    *text = pps_json_print_line(root);
    cJSON_Delete(root);
    return *text != NULL ? PPS_OK : pps_fail_memory(err, "the manifest of %s", path);
}
