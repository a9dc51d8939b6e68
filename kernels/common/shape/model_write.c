// SPDX-License-Identifier: Apache-2.0
// Writes a model as a document of our own keys.
#include "kernels/common/shape/model_keys.h"

#include <cjson/cJSON.h>

static bool add_words(const struct modeldesc *model, cJSON *object)
{
    static const char *const norms[] = {[MODELDESC_RMS] = "rms",
                                        [MODELDESC_LAYER] = "layer",
                                        [MODELDESC_LAYER_NO_BIAS] = "layer_no_bias",
                                        [MODELDESC_FIXED] = "fixed"};
    const bool mla = model->attention == MODELDESC_MLA;
    return cJSON_AddStringToObject(object, "name", model->name) != NULL &&
           cJSON_AddStringToObject(object, "attention", mla ? "mla" : "gqa") != NULL &&
           cJSON_AddStringToObject(object, "norm", norms[model->norm]) != NULL &&
           (model->positions == 0 || cJSON_AddNumberToObject(object, "learned_positions",
                                                             (double)model->positions) != NULL);
}

// What a document without the key means is not always 0: these values are always written.
static struct modelkeys_record always_written(const struct modeldesc *model)
{
    struct modelkeys_record base = {.model.layer_norms = MODELKEYS_LAYER_NORMS};
    base.model.gated = !model->gated;
    base.model.tied = !model->tied;
    if (model->attention == MODELDESC_MLA)
        base.model.qk_nope = base.model.qk_rope = -1;
    if (model->experts > 0)
        base.model.shared_ffn = base.model.dense_layers = -1;
    return base;
}

struct cJSON *modeldesc_document(const struct modeldesc *model)
{
    const struct modelkeys_record base = always_written(model);
    struct modelkeys_record record = {.model = *model};
    cJSON *object = cJSON_CreateObject();
    if (object == NULL || !add_words(model, object) || !modelkeys_add_layers(model, object) ||
        !docfields_add(&modelkeys_own, &record, &base, object)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}
