// SPDX-License-Identifier: Apache-2.0
// The reader and the writer of Megatron-LM and MindSpeed configurations. Private to megatron*.c.
#pragma once

#include "base/text/number.h"
#include "kernels/frameworks/form/form.h"
#include "kernels/frameworks/megatron/megatron.h"
#include "kernels/frameworks/megatron/megatron_keys.h"

enum { MEGATRON_MOST_LAYERS = 4096, MEGATRON_MOST_CHUNKS = 4096, MEGATRON_LIST_TEXT = 4096 };

struct megatron_value {
    bool given;       // of a flag: it is set
    int64_t number;   // of MG_NUMBER
    const char *text; // of MG_TEXT and MG_HINT; MG_LIST: the first word
    const char *name; // as the file spells it, with - for _
    size_t at;        // of the value in the text
};

// How a YAML file names its values.
enum megatron_dialect {
    MEGATRON_ARGUMENTS, // as the command line does
    MEGATRON_CORE,      // as the records of Megatron Core do
    MEGATRON_NEMO,      // as NeMo 1 does
    MEGATRON_RECORDS,   // records of Python as Megatron Bridge and NeMo 2 write them
};

struct megatron {
    struct framework_reader *r;
    enum megatron_dialect dialect;
    struct megatron_value values[N_MEGATRON_KEYS];
    size_t at;                                     // of the command, or of the document
    char digits[N_MEGATRON_KEYS][NUMBER_TEXT_CAP]; // numbers of YAML as text
    char lists[3][MEGATRON_LIST_TEXT];             // lists of YAML as text
    int n_lists;
    bool
        nodes_unknown; // --nnodes has a value that only the launch knows, such as $SLURM_NNODES
    // Derived.
    int64_t layers; // without MTP and no-operation layers
    int64_t dense;  // positions before the first layer with experts
    bool kinds;     // layers differ otherwise than by leading dense layers (megatron_kinds.c)
    int64_t dp;     // 0: unknown, as no number of devices is given
    int64_t tp, pp, cp, ep, etp, chunks;
    int64_t
        *split;    // decoder layers of [chunk][stage], MTP layers excluded; freed by the reader
    bool no_split; // the layers cannot be split as the arguments demand
    unsigned modules;        // of --recompute-modules: bits of megatron_modules
    unsigned adapters;       // matrices of --lora-target-modules (form.h)
    char other_modules[64];  // those that are no module of ours, with commas
    size_t other_modules_at; // the first of them
};

// Modules of selective recomputation, as the run document names them, too.
enum megatron_module {
    MEGATRON_CORE_ATTN,
    MEGATRON_LAYERNORM,
    MEGATRON_MOE_ACT,
    MEGATRON_MLA_UP_PROJ,
    MEGATRON_MLP,
    MEGATRON_MOE,
    MEGATRON_SHARED_EXPERTS,
    N_MEGATRON_MODULES,
};
extern const char *const megatron_modules[N_MEGATRON_MODULES];

static inline bool megatron_has(const struct megatron *m, enum megatron_key key)
{
    return m->values[key].given;
}

static inline int64_t megatron_number(const struct megatron *m, enum megatron_key key,
                                      int64_t otherwise)
{
    return m->values[key].given ? m->values[key].number : otherwise;
}

// Returns whether a text is one of up to two words.
bool megatron_is(const struct megatron *m, enum megatron_key key, const char *a, const char *b);

// Fills the fault for the value of a key: "--name: ..."; false.
bool megatron_fail(const struct megatron *m, enum megatron_key key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Returns where the value of a key is; without the key, where the command is.
static inline size_t megatron_at(const struct megatron *m, enum megatron_key key)
{
    return m->values[key].given ? m->values[key].at : m->at;
}

// Records that a run does not start because of the value of a key: "--name: ...".
void megatron_cannot_run(const struct megatron *m, enum megatron_key key, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));

// Records an argument that no model counts, with its value if it has one.
bool megatron_not_modelled(const struct megatron *m, enum megatron_key key);

// Reads one module of --recompute-modules or --lora-target-modules.
bool megatron_take_module(struct megatron *m, enum megatron_key key, const char *name, size_t n,
                          size_t at);

// Returns whether a key is one of these two.
static inline bool megatron_lists_modules(enum megatron_key key)
{
    return key == MG_RECOMPUTE_MODULES || key == MG_LORA_MODULES;
}

// Reads one value of a key from n bytes of text. name: as the file spells it, or $ and the name of a
// variable.
bool megatron_take(struct megatron *m, enum megatron_key key, const char *name,
                   const char *text, size_t n, size_t at);

// From values to the run document.
bool megatron_read_values(struct megatron *m);
bool megatron_read_degrees(struct megatron *m); // devices and degrees (megatron_degrees.c)
bool megatron_read_split(struct megatron *m);   // layers per stage (megatron_layers.c)
// Recomputed layers and modules (megatron_recompute.c); mtp: modules of [chunk][stage].
bool megatron_read_recompute(const struct megatron *m, const int64_t *mtp);
bool megatron_read_model(struct megatron *m); // the shape (megatron_model.c)
bool megatron_read_training(
    struct megatron *m); // batches, sharding, kernels (megatron_training.c)
bool megatron_read_bytes(const struct megatron *m); // precision and bytes (megatron_bytes.c)
bool megatron_read_stack(const struct megatron *m); // overlap, dispatch (megatron_stack.c)

// Returns the layers of a chunk if n layers of a device are dealt to its chunks in turn.
static inline int64_t megatron_dealt(int64_t n, int64_t chunk, int64_t chunks)
{
    return n > chunk ? (n - chunk + chunks - 1) / chunks : 0;
}

// Returns whether the kernel of attention writes no scores.
bool megatron_has_flash(const struct megatron *m);

// Returns whether the file recomputes parts of layers.
bool megatron_is_partly(const struct megatron *m);

// Returns the modules that are made again as bits; 0: none, or those that the stack recomputes without a list.
unsigned megatron_modules_of(const struct megatron *m);

// Collects the arguments of a script, which stays the owner of their text.
struct shell_script;
bool megatron_collect(struct megatron *m, const struct shell_script *script);
bool megatron_collect_yaml(struct megatron *m, const struct plaindoc *document);

// Words by which configurations are recognised; lists end with NULL.
extern const char *const megatron_shapes[], *const megatron_degrees[];
// Returns whether the n bytes of a name are one of these, with - for _.
bool megatron_is_one_of(const char *name, size_t n, const char *const *names);

// Reads an item of YAML as the value of a key.
bool megatron_take_item(struct megatron *m, const struct plaindoc *document,
                        enum megatron_key key, const char *name, const cJSON *item);

// Records an item that is not evaluated, or refuses it. path: with the names of its maps.
bool megatron_take_other_item(struct megatron *m, const struct plaindoc *document,
                              const char *path, const cJSON *item);

// Collects the values of a file of NeMo 1, or of records of Python.
bool megatron_collect_nemo(struct megatron *m, const struct plaindoc *document);
bool megatron_collect_records(struct megatron *m, const struct plaindoc *document);

// What an argument means that is not in megatron_arguments (megatron_others.c).
enum megatron_meaning {
    MEGATRON_NO_EFFECT,    // on shape, time and memory
    MEGATRON_CHANGES_TIME, // or memory, as far as is known here
    MEGATRON_CHANGES_SHAPE,
};
// name: with - for _. value: NULL if it has none, or none that is known.
enum megatron_meaning megatron_meaning_of(const char *name, const char *value);

// Removes recorded keys that concern what the training does not have, such as options of experts of a
// dense model.
void megatron_forget_unused(const struct megatron *m);

// Positions without a layer (--noop-layers) in a range.
int64_t megatron_noop_between(const struct megatron *m, int64_t from, int64_t to);

// Reads --moe-layer-freq: N, or a list such as ([0]*3+[1]*58). Stores whether each of n layers has
// experts. false: not of this form.
bool megatron_read_frequency(const char *text, bool *experts, int64_t n);

// Takes the number of layers from --hybrid-layer-pattern, if there is one.
bool megatron_pattern_layers(struct megatron *m);

// Puts the table of kinds of a model with m->kinds. experts: for each layer; window: 0: none.
bool megatron_put_kinds(const struct megatron *m, const bool *experts, int64_t window);

bool megatron_write_script(struct framework_writer *w, const struct plaindoc *document);
bool megatron_write_yaml(struct framework_writer *w, const struct plaindoc *document);
