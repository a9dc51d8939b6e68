// SPDX-License-Identifier: Apache-2.0
// Reads the shape of a transformer from a model document.
#pragma once

#include "base/document/fault.h"
#include "kernels/common/shape/model.h"

struct cJSON;
struct docfields;

// Reads a model document: our own keys with their published aliases, or a Hugging Face config.json,
// which the key "model_type" or "architectures" identifies. Of a config.json the type decides which
// keys count and what holds where the file is silent (model_types.h); a type that is unknown, or
// that a modeldesc cannot hold, is refused by name, as is a key that may change the shape and that
// is not understood. In any other document an unknown key is refused and the nearest known key
// suggested. false: `fault` describes the error.
//
// Defaults of our own documents: query_groups = heads, head_dim = hidden / heads, ffn = 4 hidden,
// gated unless the model is dense with a norm other than "rms", two norms a layer, seq_length 4096,
// expert width = ffn, no shared experts, no dense layers before MoE layers. All layers of a dense
// model are dense, also if the document gives another number. learned_positions is a number of
// positions, or true for max_position_embeddings positions (seq_length positions if that key is
// missing).
bool modeldesc_read(struct modeldesc *model, const struct cJSON *document,
                    struct pps_fault *fault);

// Keys of our own documents, for readers that sort keys of several kinds.
const struct docfields *modeldesc_keys(void);

// Returns whether a document is a Hugging Face config.json.
bool modeldesc_is_config(const struct cJSON *document);

// Something that a config.json describes and that no figure counts, although the file is read.
struct modeldesc_note {
    const struct cJSON *item; // the value at its place in the document
    char text[96];            // "sliding_window 4096"
};

// Returns the number of notes on a config.json that modeldesc_read accepts, and stores the first
// `max`. Returns 0 for other documents.
int modeldesc_notes(const struct cJSON *document, struct modeldesc_note *notes, int max);

// Returns the number of keys of such a config.json that have no effect on its figures, and stores
// the first `max` keys, which point into the document. Returns 0 for other documents.
int modeldesc_ignored(const struct cJSON *document, const char **keys, int max);
