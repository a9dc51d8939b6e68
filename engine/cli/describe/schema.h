// SPDX-License-Identifier: Apache-2.0
// A JSON Schema (draft 7) of experiments, made from the tables of kernels. Editors complete and check
// experiments with it.
#pragma once

#include <cjson/cJSON.h>

struct pps_kernel;

// Returns the schema of the experiments of all kernels, or of one. `kernels` ends with NULL; the
// first is the kernel of an experiment that names none. NULL: out of memory. The caller frees it.
cJSON *pps_schema_make(const struct pps_kernel *const *kernels, const struct pps_kernel *only);

// ---- schema_axis.c ----

// Returns the schema of the values of a parameter: a value, a list, a range or an expression.
cJSON *pps_schema_axis(const struct pps_kernel *kernel, int p);

// Returns the schema of an option of the composite axis: its number, or its words and lists.
cJSON *pps_schema_option(const struct pps_kernel *kernel, int o);

// Return small schemas: texts, names ended with NULL, whole numbers from `least` below 2^53.
cJSON *pps_schema_text(const char *description);
cJSON *pps_schema_names(const char *const *names);
cJSON *pps_schema_whole(double least);

// Returns a schema for any one of the list that the caller fills: *list.
cJSON *pps_schema_any(cJSON **list);
