// SPDX-License-Identifier: Apache-2.0
// The types of a Hugging Face config.json: which keys a type reads, what its configuration class
// gives where a file is silent, and which types a modeldesc cannot hold.
//
// The facts are those of the configuration and model classes of the transformers library, or of the
// classes that publishers ship with their models. A new type is a row of model_types_dense.c,
// model_types_experts.c or model_types_mixers.c, or a line of model_types_refused.c.
#pragma once

#include "kernels/common/shape/model_keys.h"

#include <stdbool.h>

// Meanings of keys beyond those of our own documents (enum modelkeys_field).
enum modeltype_field {
    TYPE_UNUSED = N_MODEL_KEYS, // no class of the type reads it
    TYPE_ONLY,                  // one value is accepted: `only`
    TYPE_HIDDEN_AGAIN,          // must equal the hidden size
    TYPE_MOE_AGAIN,             // must equal the width of experts
    TYPE_INDEX_EVERY,           // 1, or a list says which layers have an indexer
    TYPE_EXPANSION,             // width of feed-forward networks in hidden sizes
    TYPE_MULTI_QUERY,           // one group of queries if true
    TYPE_MULTI_GROUPS,          // their number if TYPE_MULTI_QUERY is true
    TYPE_NEW_DECODER,           // Falcon: groups from TYPE_DECODER_GROUPS, two norms
    TYPE_DECODER_GROUPS,
    TYPE_DECODER_NORMS,  // Falcon: norms of a layer of the new architecture
    TYPE_BESIDE,         // attention beside the feed-forward network: changes time only
    TYPE_BESIDE_ONE,     // the same, with one norm for both
    TYPE_MOE_EVERY,      // 1: all layers that may have experts have them
    TYPE_MOE_OFFSET,     // the one of so many layers that has experts; without it, the last one
    TYPE_MOE_PATTERN,    // 1, or a list of 0 or "dense", and 1 or "sparse", for each layer
    TYPE_MOE_LAYERS,     // list of layers with experts, or a text of their numbers with commas
    TYPE_DENSE_LAYERS,   // list of layers without experts
    TYPE_LAST_MOE_LAYER, // its number, or -1
    TYPE_LAYERS,         // says of what kind layers are (model_config_layers.c)
    TYPE_EXPAND,         // inner width of Mamba in hidden sizes
    TYPE_INNER,          // inner width of Mamba
    TYPE_SCAN_NORM,      // whether Mamba-2 has a norm of its output
    TYPE_PAIRS,          // half the number of layers: each has two mixers and two networks
    TYPE_MTP_BLOCKS,     // attention, then experts
    TYPE_EXPERTS_TOO,    // whether experts stand beside the dense network of each layer
    TYPE_FFN_ROUNDED,    // two thirds of ffn, rounded up to the multiple, if true
    N_TYPE_FIELDS
};

struct modeltype_key {
    const char *key;  // "attn_config.kv_n_heads": a key of the object attn_config
    int field;        // enum modelkeys_field or modeltype_field
    const char *only; // "true", "1", "[]" or a word
};

enum { MODELTYPE_LISTS = 5 };

// Keys of the heads of some layers; NULL: those of the model.
struct modeltype_heads {
    const char *heads, *groups, *head_dim, *v_dim;
    int64_t silent_dim;       // head_dim where a file is silent; 0: that of the model
    const char *groups_if;    // flag without which `groups` does not count
    const char *keys_only_if; // flag with which values are made of the projection of keys
};

// How the layers of a type differ. Layers have full attention or the other mixer; a list of kinds in
// the file comes first, then the first of these rules that applies.
struct modeltype_layers {
    bool kinds;                 // layers differ
    enum modeldesc_mixer other; // attention: in windows, or in chunks if the model is `chunked`
    bool blocks;                // a layer is a mixer or a network (Nemotron-H)
    bool all_other;             // where no rule applies
    const char *full_list;      // key of a list of the layers with full attention,
    int64_t first;              // which are counted from this number
    const char *flags;          // key of a list with `full_flag` for layers with full attention
    double full_flag;
    const char *after_key; // key of the number of the first layers, with full attention
    int64_t after;
    const char *every_key,
        *offset_key; // every so many layers, the last of them without an offset
    int64_t every, offset;
    bool first_full; // as the first layer, where no list says otherwise
    bool last_full;  // as the last layer, whatever a list says
    bool words;      // the file must list the kinds
    bool beside;     // attention stands beside the other mixer of a layer
    bool own_sinks;  // layers with full attention have no sinks
    bool
        mtp_listed; // the list of kinds goes on with those of MTP layers, which have dense networks
    const char *
        indexers; // key of a list with "shared" for layers that attend to what an earlier layer chose
    const char *objects; // key of a list of objects, one for each layer (Nemotron-NAS)
    struct modeltype_heads full, rest;
    int64_t v_dim; // of both, where a file is silent; 0: as the width of a head
};

struct modeltype {
    const char *name;               // model_type
    struct modelkeys_record silent; // 0: the class derives the value, or gives none
    // Lists of keys, each ended by a key NULL; a key may have several meanings.
    const struct modeltype_key *keys[MODELTYPE_LISTS];
    int64_t more_positions; // learned positions beyond max_position_embeddings
    struct modeltype_layers layers;
    bool paired;          // layers with experts and dense ones alternate (LongCat)
    const char *required; // key whose value in the class is not modelled: a file must have it
    bool shared_alone;    // without routed experts the shared one is a dense network
    int64_t moe_every;    // TYPE_MOE_EVERY where a file is silent; 0: 1
    bool windows;         // some layers have windows, which are not modelled
    bool windows_if_enabled; // only if use_sliding_window is true
    bool beside;             // as TYPE_BESIDE, unless the file says otherwise
};

// Returns a type that can be read; NULL: none has this name.
const struct modeltype *modeltype_find(const char *name);

// Walks over the keys of a type, those that all types have last. Starts with {0, 0}; NULL: the end.
struct modeltype_walk {
    int list, at;
};
const struct modeltype_key *modeltype_next(const struct modeltype *type,
                                           struct modeltype_walk *walk);

// Returns the i-th of all types that can be read; NULL: there are fewer.
const struct modeltype *modeltype_at(int i);

// Returns what a modeldesc cannot hold of a type, and in *nearest what comes closest; NULL: nothing
// is known of a type with this name.
const char *modeltype_lacks(const char *name, const char **nearest);

// Returns the type of the language model inside a model of several parts, for files whose inner
// part names none; NULL: unknown.
const char *modeltype_inside(const char *outer);
