// SPDX-License-Identifier: Apache-2.0
// A Hugging Face config.json: finds its type and the part that describes the language model, and
// reads the keys that count for the type.
#pragma once

#include "kernels/common/description/model.h"
#include "kernels/common/types/model_types.h"

// The end of refusals.
#define MODELCONFIG_OWN_KEYS                                                                   \
    "describe the shape in our own keys: num_layers, hidden_size, num_attention_heads, "       \
    "vocab_size ... (sweep_configs/models/README.md)"

struct modelconfig {
    const struct cJSON *document;
    const struct cJSON *text; // describes the language model: the document, or an object in it
    const struct modeltype *type;
    const struct cJSON *type_item; // the value that names the type
};

// Finds the type. Refuses one that is unknown or that a modeldesc cannot hold.
bool modelconfig_open(struct modelconfig *c, const struct cJSON *document,
                      struct pps_fault *fault);

// Fills the record with the values of the file and of its type, and items with the values by field.
// Refuses values that a modeldesc cannot hold, and keys that may change the shape and are unknown.
bool modelconfig_take(const struct modelconfig *c, struct docitems *items,
                      struct modelkeys_record *record, struct pps_fault *fault);

// Returns the list of words, or the text of signs, that says of what kind each layer is; NULL: none.
const struct cJSON *modelconfig_layer_words(const struct modelconfig *c);

// Returns the layers that it describes.
int64_t modelconfig_words(const struct cJSON *words);

// Sets the kinds of layers of a model whose other values are set. Returns false with a fault.
bool modelconfig_layers(const struct modelconfig *c, struct modelkeys_record *record,
                        struct pps_fault *fault);

// Sets the kind of a layer that an object of the list `objects` of its type describes. Returns false with a fault.
bool modelconfig_object(const struct modelconfig *c, struct modelkeys_record *record,
                        int64_t layer, struct pps_fault *fault);

// Returns the parameters of a tower for images beside a language model of this width, with its projector;
// 0: there is none, or its shape is not known.
int64_t modelconfig_image_tower(const struct modelconfig *c, int64_t hidden);
int64_t modelconfig_audio_tower(const struct modelconfig *c,
                                int64_t hidden); // the same for sound

// Returns the name of a field in files of the type; NULL: it has none.
const char *modelconfig_name(const struct modelconfig *c, int field);

// Calls visit for all keys of the text; keys of objects that the type reads come with their path,
// "attn_config.kv_n_heads". Ends when visit returns false, and returns false then.
struct modelconfig_visitor {
    bool (*visit)(struct modelconfig_visitor *self, const char *path, const struct cJSON *item);
    const struct modelconfig *config;
};
bool modelconfig_each(struct modelconfig_visitor *visitor);

// What a key that the type does not read means.
enum modelconfig_kind {
    CONFIG_HARMLESS, // for the figures
    CONFIG_UNPRICED, // changes time, or may do so
    CONFIG_SHAPE,    // may change the shape
};
enum modelconfig_kind modelconfig_kind_of(const struct modelconfig *c, const char *path,
                                          const struct cJSON *item);
