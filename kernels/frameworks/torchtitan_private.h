// SPDX-License-Identifier: Apache-2.0
// What a torchtitan configuration says, for its reader and its writer. Private to torchtitan*.c.
//
// Names, defaults and meanings follow torchtitan's config/job_config.py and distributed/ at tag
// v0.2.2 (73a0e6979), and config_manager.py of v0.1.0 (f7084fc78) and of December 2024 (ba2469780)
// for older layouts.
#pragma once

#include "base/document/plain.h"
#include "kernels/frameworks/shell/shell.h"
#include "ppsweep/fault.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

// ---- keys ---------------------------------------------------------------------------------------

enum titan_key {
    TITAN_NAME,
    TITAN_FLAVOR,
    TITAN_REPLICATE,
    TITAN_SHARD,
    TITAN_RESHARD,
    TITAN_TP,
    TITAN_PP,
    TITAN_CP,
    TITAN_EP,
    TITAN_ETP,
    TITAN_SCHEDULE,
    TITAN_SCHEDULE_CSV,
    TITAN_PARTS,
    TITAN_SPLIT_POINTS,
    TITAN_LAYERS_PER_STAGE,
    TITAN_FIRST_LESS,
    TITAN_LAST_LESS,
    TITAN_MICROBATCH_SIZE,
    TITAN_MICROBATCHES,
    TITAN_LOCAL_BATCH,
    TITAN_GLOBAL_BATCH,
    TITAN_TOKENS, // of a micro-batch
    TITAN_STEP_TOKENS,
    TITAN_N_MICROBATCHES, // with TITAN_TOKENS
    TITAN_SEQ_LEN,
    TITAN_DTYPE,
    TITAN_PARAM_DTYPE,
    TITAN_COMPILE,
    TITAN_COMPONENTS,
    TITAN_CHECKPOINT_MODE,
    TITAN_CHECKPOINT_OPTION,
    TITAN_EARLY_STOP,
    TITAN_MEMORY_BUDGET,
    TITAN_SP,
    TITAN_WHOLE_LOGITS, // tensor ranks do not split the loss
    TITAN_EXPERT_OVERLAP,
    TITAN_LOSS_CHUNKS,
    TITAN_CPU_OFFLOAD,
    TITAN_CONVERTERS,
    TITAN_LORA_RANK,
    TITAN_PROFILE,
    TITAN_PROFILE_FREQ,
    TITAN_PROFILE_FOLDER,
    TITAN_PROFILE_ACTIVE,
    TITAN_PROFILE_WARMUP,
    N_TITAN_KEYS
};

// Returns the item of a key, under its name of today or an older name; NULL: not in the document.
// *path, if not NULL, is the path that the document has.
const cJSON *titan_get(const struct plaindoc *doc, enum titan_key key, const char **path);

// Returns the path at which this document has the key, or is to have it.
const char *titan_path(const struct plaindoc *doc, enum titan_key key);

// Returns whether the file has the layout until early 2025: degrees in [training] and
// [experimental].
bool titan_is_old(const struct plaindoc *doc);

// Returns whether batches are numbers of tokens, as since mid 2026.
bool titan_counts_tokens(const struct plaindoc *doc);

// Returns whether a path as "training.seq_len" belongs to one of the keys.
bool titan_knows(const char *path);

// Returns whether a key of [model] is one of torchtitan's that say nothing of the shape.
bool titan_is_model_switch(const char *key);

// Returns whether a document is a torchtitan configuration.
bool titan_is(const struct plaindoc *doc);

// ---- flavors ------------------------------------------------------------------------------------

struct titan_flavor {
    const char *model, *flavor;
    int32_t layers, dim, heads, groups, head_dim, ffn, vocab;
    int32_t experts, topk, moe_ffn, shared_ffn, dense_layers;
    int32_t q_rank, kv_rank, qk_nope, qk_rope, v_dim; // MLA if kv_rank > 0
    bool tied, qk_norm;
    bool bias;       // on attention, experts and router, and sinks of attention
    bool alternates; // every second layer has experts
};

// What is known in place of an unknown name, for the end of a message.
struct titan_hint {
    bool of_flavor; // the model is known, the flavor is not
    char text[224];
};

// Returns the flavor of a model; NULL: unknown, and the hint is filled.
const struct titan_flavor *titan_flavor(const char *model, const char *flavor,
                                        struct titan_hint *hint);

// Returns the model that a name such as llama3_8b_mxfp8 contains; NULL: none.
const char *titan_model_in(const char *name);

// ---- configurations -----------------------------------------------------------------------------

enum titan_recompute {
    TITAN_NONE,
    TITAN_FULL,
    TITAN_EVERY, // every n-th layer of a device, fully
    TITAN_OPS,   // in each layer, what is cheap
    TITAN_OTHER, // a memory budget of the compiler between none and full
};

enum { TITAN_MAX_STAGES = 4096 }; // pipeline ranks times chunks

struct titan_schedule {
    const char *name;
    bool one_part; // per rank
    bool
        v_shape; // two parts per rank; the second ones come back from the last rank to the first
    bool needs_csv;     // the class has no order of its own
    bool rounds;        // micro-batches run in rounds of equal size
    const char *family; // of kernels/schedule/catalogue; NULL: by the number of chunks
};

struct titan_config {
    const struct titan_flavor *flavor; // NULL: no [model], or an unknown one
    struct titan_flavor own;           // with `has_shape`: name and layers only
    bool has_shape; // [model] has the shape, as nd -o writes it without a file of the user
    struct pps_fault unknown;    // the unknown model or flavor; text "": none
    struct pps_fault cannot_run; // as in framework_file
    int32_t replicate, shard;    // shard 0: the remaining devices
    int32_t tp, pp, cp, ep, etp;
    int64_t local_batch, global_batch; // global_batch 0: local_batch times data-parallel ranks
    int64_t seq_len;
    bool sp;
    int32_t mbs;                    // sequences a micro-batch
    int32_t vp;                     // chunks a stage
    bool v_shape;                   // as in titan_schedule
    struct titan_schedule schedule; // with a pipeline
    bool reshard;                   // parameters are sharded again after a forward pass
    bool fused_loss;
    int32_t loss_chunks;
    bool offload;                                // shards wait in the memory of the host
    double bytes_param, bytes_grad, bytes_optim; // per parameter; 0: mixed precision
    enum titan_recompute recompute;
    int32_t every; // of TITAN_EVERY; 0: each layer
    // Layers of each part, in the order of the model, pp * vp of them; NULL: unknown model, or stages
    // that cannot run.
    int32_t *layers;
};

struct titan_source {
    const struct plaindoc *doc;
    struct pps_fault *fault;
    bool
        recent; // of 2026, where configurations are Python: selective recomputation is that of operations
};

// Fills the fault with the place of an item (NULL: the start of the text); false.
bool titan_fail(const struct titan_source *s, const cJSON *item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Read a whole number of at least `min`, or text, of a key that may be missing. Return false with a
// fault.
bool titan_whole(const struct titan_source *s, enum titan_key key, int64_t min, int64_t *value);
bool titan_text(const struct titan_source *s, enum titan_key key, const char **value);

// Reads and checks a configuration. The caller frees it with titan_config_free(), also after a
// fault.
bool titan_config_read(struct titan_config *c, const struct titan_source *s);
void titan_config_free(struct titan_config *c);

// Returns the schedule whose order a family has; NULL: torchtitan has none. family NULL: 1F1B, or
// interleaved 1F1B without `one_part`.
const struct titan_schedule *titan_schedule_of(const char *family, bool one_part);

// Reads the schedule of the pipeline. Returns false with a fault.
bool titan_read_schedule(const struct titan_source *s, struct titan_schedule *schedule);

// Fills vp, v_shape and layers; the rest of the configuration is known.
bool titan_read_stages(struct titan_config *c, const struct titan_source *s);

// Returns the part of the model that a stage has as a chunk, from 0.
int32_t titan_part(const struct titan_config *c, int32_t chunk, int32_t stage);

// ---- launch lines -------------------------------------------------------------------------------

// A script, and the settings of the command that starts torchtitan.
struct titan_script {
    struct shell_script script;
    struct plaindoc settings;
};

// Returns whether a text is a script that starts torchtitan.
bool titan_is_script(const struct plaindoc *document);
bool titan_open_script(struct titan_script *t, const struct plaindoc *document,
                       struct pps_fault *fault);
void titan_close_script(struct titan_script *t);

// Returns whether a command names a configuration of Python, as since early 2026.
bool titan_is_recent(const struct plaindoc *settings);

// Returns the devices that a command starts; 0: not known.
double titan_devices(const struct plaindoc *settings);

// ---- numbers of products and other keys ---------------------------------------------------------

struct titan_precision {
    const char *word; // of the training; NULL: bf16
    bool any;         // some products have 8 bits
    // The word holds for experts, which have most products. Where it does not hold for the linear
    // layers: the key that says so.
    const char *of_linear; // NULL: it holds for them, too
};

// Finds which products the converters of the model and the sections of 8-bit products change. Without
// a list of converters, which may be an argument of the command, the sections decide.
struct titan_precision titan_precision_of(const struct plaindoc *doc, bool has_experts);

// Records the keys that time or memory depend on and that no model counts, and ignores the harmless
// ones. Returns false with a fault if memory runs out.
struct framework_reader;
bool titan_read_settings(struct framework_reader *r, const struct titan_source *source);

bool titan_sort_others(struct framework_reader *r, const struct titan_source *s,
                       const struct titan_config *c, const struct titan_precision *precision);

// ---- layers -------------------------------------------------------------------------------------

// Returns the fully recomputed layers of a chunk of a stage. The layers must be known.
int32_t titan_recomputed(const struct titan_config *c, int32_t chunk, int32_t stage);

// Stores the layers per part as torchtitan spreads them: the first and last part have fewer.
// Returns false if torchtitan refuses this number of parts.
bool titan_spread(int32_t *layers, int32_t parts, int32_t n_layers, int32_t first,
                  int32_t last);
