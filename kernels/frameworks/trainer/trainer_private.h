// SPDX-License-Identifier: Apache-2.0
// What configurations of trainers say. Private to kernels/frameworks/trainer.
#pragma once

#include "kernels/frameworks/shell/shell.h"
#include "kernels/frameworks/trainer/trainer.h"

enum trainer_key {
    TRAINER_DEVICES, // of the whole training
    TRAINER_NODES,
    TRAINER_PER_NODE,
    TRAINER_TP,
    TRAINER_PP,
    TRAINER_VP,
    TRAINER_CP,
    TRAINER_EP,
    TRAINER_ETP,
    TRAINER_REPLICATE, // copies of all parameters
    TRAINER_SHARDS,    // ranks that share one copy
    TRAINER_MBS,
    TRAINER_ACCUMULATION,
    TRAINER_GBS,
    TRAINER_SEQ,
    TRAINER_RANK, // of adapters
    N_TRAINER_NUMBERS,
};

// A key of a number.
struct trainer_path {
    const char *path;
    enum trainer_key key;
};

struct trainer_dialect {
    const struct trainer_path *paths; // the last one that the file has counts
    size_t n;
    const char *others; // keys that functions of the dialect read, with blanks between them
    const struct framework_harmless *harmless;
    size_t n_harmless;
    const char *of_any_value; // as in struct framework_others
};

struct trainer {
    struct framework_reader *r;
    const struct plaindoc *doc; // as the dialect has it
    struct {
        int64_t value; // 0: not in the file
        size_t at;
    } numbers[N_TRAINER_NUMBERS];
    size_t all_at; // of what the file does not say
    int zero;      // level of ZeRO; 0: every rank has a copy of everything
    size_t zero_at;
    bool half;             // products of 16 bits with states of 32 bits
    const char *precision; // of products, fp8 or mxfp8; NULL: bf16
    bool sp;
    bool fused_loss;
    bool half_gradients;
    // In the memory of the host: a share of the optimizer state, all states, inputs of layers that are made again.
    double offload_optimizer;
    bool offload_parameters, offload_checkpoints;
    size_t offload_at;
    const char *recompute; // none, select or full
    size_t recompute_at;
    unsigned adapters; // matrices that have adapters (form.h); 0: all parameters are trained
    size_t adapters_at;
    const char *model; // its name or folder; NULL: not in the file
    size_t model_at;
};

// A launch script, and the settings of the command that starts the training.
struct trainer_script {
    struct shell_script script;
    const struct shell_command *command;
    struct plaindoc settings;
    struct trainer t;
};

void trainer_script_close(struct trainer_script *script);

// Fills the numbers of a dialect. "auto" and null are no numbers. Returns false with a fault.
bool trainer_take_numbers(struct trainer *t, const struct trainer_dialect *dialect);

// Reads a whole number; 0: there is none, or the trainer decides. Returns false with a fault.
bool trainer_whole(struct trainer *t, const char *path, int64_t *number);

// Returns whether the dialect has the path among its keys, harmless ones aside.
bool trainer_knows(const struct trainer_dialect *dialect, const char *path);

// Returns whether a configuration can only be read if the value of a path is known: not for the number of devices and
// the name of the model.
bool trainer_needs(const struct trainer_dialect *dialect, const char *path);

// Sorts the other keys into harmless ones and those that no model counts.
bool trainer_sort_others(struct trainer *t, const struct trainer_dialect *dialect);

// Returns the item at a path; NULL: none, or null.
const cJSON *trainer_get(const struct trainer *t, const char *path);
// Returns the text, or the truth value, at a path; otherwise what the file means without it.
const char *trainer_text(const struct trainer *t, const char *path);
bool trainer_is(const struct trainer *t, const char *path, bool otherwise);
size_t trainer_at(const struct trainer *t, const char *path);

// Takes the matrices with adapters from the value of a path: a list of modules, or text with all of them. Without the
// value, and with "all" or "all-linear", these are all matrices of a layer.
bool trainer_take_adapters(struct trainer *t, const char *path, const char *all);

// The same of a group with the keys rank, type and target_modules of Megatron-Bridge; rank 0: there are none. verl has
// such groups for its backend Megatron (verl/trainer/config/model/hf_model.yaml).
bool trainer_take_peft(struct trainer *t, const char *group);

// All matrices of a layer: one each for queries, keys and values, or one for them together.
extern const char trainer_single_matrices[], trainer_fused_matrices[];

// Takes the device of the optimizer state and that of parameters (none, cpu, nvme; NULL: none), of which a share of the
// state moves, from the values of paths. What is not priced is recorded. Returns false when out of memory.
bool trainer_take_offload(struct trainer *t, const char *optimizer, const char *parameters,
                          double share);
// Takes the switch that moves shards of parameters with their gradients and optimizer state. The level of ZeRO is known.
bool trainer_take_offloaded_shards(struct trainer *t, const char *path);

// Returns a number, or `otherwise` if the file does not have it.
int64_t trainer_number(const struct trainer *t, enum trainer_key key, int64_t otherwise);
void trainer_set(struct trainer *t, enum trainer_key key, int64_t value, size_t at);

// Fills the fault for a path; false.
bool trainer_fail(struct trainer *t, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Reads a DeepSpeed configuration, on top of what the trainer's arguments say. at: of the key that names it.
bool trainer_take_deepspeed(struct trainer *t, const struct plaindoc *json, size_t at);
// Reads the keys of an Accelerate configuration.
bool trainer_take_accelerate(struct trainer *t);

// Opens a file that the configuration names: YAML, or JSON. `path`: the key that names it. The caller frees the
// document with plaindoc_free().
bool trainer_open_beside(struct trainer *t, const char *path, const char *name,
                         struct plaindoc *document);

// Gives the recorded keys from `first` on the place of the key that names their file.
void trainer_move_notes(struct trainer *t, size_t first, size_t at);

// Puts the whole training.
bool trainer_put(struct trainer *t);
