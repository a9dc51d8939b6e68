// SPDX-License-Identifier: Apache-2.0
// Reads models from text, for tests.
#ifndef TEST_MODELS_H
#define TEST_MODELS_H

#include "documents.h"

#include "kernels/common/description/model.h"

// Reads a valid model document; ' stands for ".
static inline struct modeldesc model_of(const char *text)
{
    struct pps_json json = document_of(text);
    struct modeldesc model;
    struct docfault fault;
    cr_assert(modeldesc_read(&model, json.root, &fault), "%s: %s", text, fault.text);
    pps_json_free(&json);
    return model;
}

#endif
