// SPDX-License-Identifier: Apache-2.0
// The keys of MindFormers configurations, and what their reader and writer share.
//
// Names and meanings follow https://gitee.com/mindspore/mindformers (releases 0.2 to 1.7):
// mindformers/tools/register/template.py, mindformers/parallel_core/transformer_config_utils.py,
// mindformers/models/utils.py (offset and recomputation), mindformers/trainer/base_trainer.py (batch
// sizes), and the configurations in configs/ and research/.
#pragma once

#include "base/edit/yaml_edit.h"
#include "kernels/frameworks/framework_private.h"

#include <cjson/cJSON.h>

// Keys outside of the description of the model.
enum mindformers_key {
    MF_DP,
    MF_TP,
    MF_PP,
    MF_CP,
    MF_EP,
    MF_SP,
    MF_MICRO_BATCHES,
    MF_INTERLEAVED_COPIES, // copies of a batch that run interleaved
    MF_BATCH,
    MF_ACCUMULATION,
    MF_GLOBAL_BATCH,
    MF_VP,
    MF_INTERLEAVE, // switch of MF_VP
    MF_SCHEDULER,
    MF_SEQ_SPLIT, // parts of a sequence in a pipeline
    MF_OFFSET,
    MF_EXPERT_TP,
    MF_FLASH,
    MF_PET_TYPE,
    MF_LORA_RANK,
    MF_LORA_MODULES,
    MF_SWAP,               // some activations go to the host
    MF_OPTIMIZER_PARALLEL, // switch of MF_OPTIMIZER_SHARDS
    MF_OPTIMIZER_SHARDS,
    MF_GRADIENT_SHARD,
    MF_RECOMPUTE,
    MF_SELECT,
    MF_OPTIMIZER_COMM, // communication that recomputation repeats
    MF_TENSOR_COMM,
    MF_SLICE_ACTIVATION,
    MF_MEMORY,
    MF_TARGET,
    MF_NAME,
    MF_DATA_STRATEGY,
    MF_PROFILE,
    MF_PROFILE_START,
    MF_PROFILE_STOP,
    MF_PROFILE_INIT,
    MF_PROFILE_RANKS,
    MF_NUM_LAYERS,
    MF_MTP,
    MF_SEQ_LENGTH,
    MF_DATA_SEQ_LENGTH,
    N_MINDFORMERS_KEYS
};

enum { MINDFORMERS_PATHS = 6 };

// Returns the paths under which a file may have the key; the list ends with NULL. The first path is
// for a key that is new in a file of the usual form, the last one for files with
// distribute_parallel_config.
const char *const *mindformers_paths(enum mindformers_key key);

// Returns whether the file has distribute_parallel_config.
bool mindformers_is_new_form(const struct plaindoc *doc);

struct mindformers_reader {
    struct framework_reader *r;
    const struct plaindoc *doc;
    const cJSON **used; // items that have a meaning
    size_t n_used, used_room;
    int64_t dp, tp, pp, cp, ep, vp;
    int64_t shards; // of the optimizer; -1: as many as dp
    bool sp;
    bool swap; // lists of recomputed layers are numbers of layers
};

// Sets *item to the value of a key; NULL: none, or null. Returns false with a fault if the file has
// different values under two names of the key.
bool mindformers_find(struct mindformers_reader *m, enum mindformers_key key,
                      const cJSON **item);

// Records that an item has a meaning. false: out of memory.
bool mindformers_use(struct mindformers_reader *m, const cJSON *item);

// Read a value if the file has the key; otherwise *value stays.
bool mindformers_whole(struct mindformers_reader *m, enum mindformers_key key, int64_t least,
                       int64_t *value);
bool mindformers_flag(struct mindformers_reader *m, enum mindformers_key key, bool *value);

// Fills the fault for the place of an item; false.
bool mindformers_fail(struct mindformers_reader *m, const cJSON *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Makes the fault the reason why the file cannot run. false: lack of memory.
bool mindformers_keep_reason(struct mindformers_reader *m);
// Records a key with its value as one that no model counts.
bool mindformers_not_modelled(struct mindformers_reader *m, const char *key, const cJSON *item);
size_t mindformers_at(const struct mindformers_reader *m, const cJSON *item); // 0 for NULL
int mindformers_line(const struct mindformers_reader *m, const cJSON *item);

// ---- families -----------------------------------------------------------------------------------

// Objects in which a file describes its model.
#define MINDFORMERS_MODEL_OBJECTS "model.model_config", "model_config"

// Returns a member of the description of the model; NULL: none, or null.
const cJSON *mindformers_member(const struct mindformers_reader *m, const char *name);

bool mindformers_is_llama(const struct mindformers_reader *m);
// Families with layer norms, and two matrices with biases in a feed-forward network.
bool mindformers_is_classic(const struct mindformers_reader *m);

// Returns whether the model may be a decoder of text. An unknown shape is a fault only if no other
// document describes the model: it becomes unknown_model of the file.
bool mindformers_check_shape(struct mindformers_reader *m);

// Records a type that nobody knows: it is read as a decoder of the Llama form. false: out of memory.
bool mindformers_name_type(struct mindformers_reader *m);

// ---- parts of the reader ------------------------------------------------------------------------

bool mindformers_read_model(struct mindformers_reader *m);
bool mindformers_read_layers(struct mindformers_reader *m); // after the degrees and the model

// Reads attention kernels, dropout and the split of experts into the training, after the degrees and the
// model.
bool mindformers_read_training(struct mindformers_reader *m);

// Records the keys that time or memory depend on and that no model counts, and ignores the harmless
// ones. After all other parts.
bool mindformers_sort_others(struct mindformers_reader *m);

bool mindformers_is(const struct plaindoc *doc);
bool mindformers_read(struct framework_reader *r, const struct plaindoc *doc);

// ---- writing ------------------------------------------------------------------------------------

struct mindformers_writer {
    const struct plaindoc *doc;
    const struct framework_settings *s;
    struct yaml_edit edit;
    struct pps_fault *fault;
    bool new_form;
};

// Returns the value of a key in the file; NULL: none, or null.
const cJSON *mindformers_now(const struct mindformers_writer *m, enum mindformers_key key);

// Sets a key under the names that the file has. Takes ownership of the value; NULL means out of
// memory.
void mindformers_put(struct mindformers_writer *m, enum mindformers_key key, cJSON *value);
void mindformers_put_flag(struct mindformers_writer *m, enum mindformers_key key, bool value);

// Fills the fault for the place of an item (NULL: the first line); false.
bool mindformers_write_fail(struct mindformers_writer *m, const cJSON *item, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));

// Offsets and recomputation.
bool mindformers_write_layers(struct mindformers_writer *m);
