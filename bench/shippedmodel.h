// SPDX-License-Identifier: Apache-2.0
// Loads models that come with the program, for benchmarks.
#pragma once

#include "base/document/json.h"
#include "base/system/installed.h"
#include "kernels/common/description/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// sweep_configs/models/<name>.json; ends the program where it cannot be read.
static inline struct modeldesc shipped_model(const char *name)
{
    struct pps_json json = {.root = NULL};
    struct pps_error err = {.text = ""};
    struct pps_fault fault = {.text = ""};
    struct modeldesc model;
    char *path = pps_installed_path("model", name, strdup(name));
    if (path == NULL || pps_json_load(&json, path, &err) != PPS_OK ||
        !modeldesc_read(&model, json.root, &fault)) {
        fprintf(stderr, "%s: %s%s\n", name, err.text, fault.text);
        exit(1);
    }
    pps_json_free(&json);
    free(path);
    return model;
}
