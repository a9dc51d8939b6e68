// SPDX-License-Identifier: Apache-2.0
// The state of reading the keys of a config.json, for the files that do so. Private to
// model_config_take.c and model_config_derive.c.
#pragma once

#include "kernels/common/description/model_config.h"

struct modelconfig_taking {
    struct modelconfig_visitor visitor;
    struct docitems *items;
    struct modelkeys_record *record;
    const struct cJSON *special[N_TYPE_FIELDS - N_MODEL_KEYS]; // by modeltype_field; NULL: none
    struct pps_fault *fault;
};

// Returns whether a value is this word, number or flag, or a list of nothing else.
bool modelconfig_is_value(const struct cJSON *item, const char *text);

// Fills the fault: only one value is modelled for the type. Returns false.
bool modelconfig_refuse(const struct modelconfig_taking *t, const struct cJSON *item,
                        const char *only);

// Derives values of the record from the special ones. Returns false with a fault.
bool modelconfig_derive(struct modelconfig_taking *t);
