// SPDX-License-Identifier: Apache-2.0
// A configuration file of a training framework as it is read, and what a changed one is to contain.
#pragma once

#include "base/document/json.h"
#include "base/document/plain.h"
#include "base/text/text_buffer.h"
#include "kernels/common/estimate/strategy.h"
#include "ppsweep/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum framework {
    FRAMEWORK_NONE,
    FRAMEWORK_MINDFORMERS,
    FRAMEWORK_MEGATRON,
    FRAMEWORK_TORCHTITAN,
    FRAMEWORK_TRAINER, // the Hugging Face Trainer, DeepSpeed, LLaMA-Factory, Accelerate
    FRAMEWORK_VERL,
    FRAMEWORK_BRIDGE, // recipes of Megatron-Bridge
    N_FRAMEWORKS
};

// A key of a file that shapes time or memory, and that no model counts.
struct framework_key {
    char name[96]; // with its value where the value matters, cut if it is longer
    int line, column;
};

struct framework_keys {
    struct framework_key *list;
    size_t n, room;
};

// A configuration file as read.
struct framework_file {
    enum framework framework;
    // {"model": {...}, "cluster": {...}, "training": {...}, "baseline": {...}}; parts without a
    // value in the file are missing. `baseline` is the strategy that the file describes: dp, tp,
    // pp, cp, ep, op, vp, mbs (numbers), sp (true or false), micro_batches, and the lists layers,
    // recompute and select_recompute ([chunk][stage], in layers, MTP layers included; a chunk may
    // have no layer). A stage is a device of the pipeline: with a placement that is not a loop, row
    // c has the layers of the c-th chunk of every device. recompute_group: layers that full
    // recomputation makes again together, of which only the input of the first is stored (1 if
    // missing). run_batch: sequences of a rank in each run of the pipeline, if a step is several runs,
    // one after the other. schedule: the name of a family of kernels/schedule/catalogue; if missing, the number
    // of chunks decides. If the number
    // of data-parallel ranks follows from the number of devices, it has dp_replicate (copies of all
    // parameters) in place of dp and op, and replica_batch (sequences of a rank) if the global batch
    // follows, too. seq_length: only without a model.
    struct plaindoc document;
    char model_name[128]; // of a model whose shape is in another file, as in the file; "": none
    struct pps_fault
        unknown_model; // the file names a model whose shape is not known; text "": none
    // Why a run with this file does not start, such as layers that the stages cannot share; text "":
    // it starts, as far as is known. Then the baseline has the degrees that are known, and no lists.
    struct pps_fault cannot_run;
    struct text_buffer ignored; // keys without a meaning for shape and strategy: "a, b, c"
    int n_ignored;
    bool
        deals_again; // numbers of layers to make again are those of a stage, dealt to its chunks
    bool only_wholly;                   // layers are made again wholly or not at all
    bool never_wholly;                  // layers are made again in part or not at all
    struct framework_keys not_modelled; // keys that change time or memory, but not the result
};

// What a reader may know beside a text. read: a file that the configuration names, by the path that it has there. Returns false if there is none.
struct framework_beside {
    bool (*read)(void *self, const char *path, struct text_buffer *text);
    void *self;
    const char *choice; // the configuration, of a file that has several; NULL: the only one
};

void framework_file_free(struct framework_file *file); // a zeroed file is allowed

// What a configuration is to contain. Values that the file has already are not touched.
struct framework_settings {
    struct nd_strategy strategy; // ep 0: no experts; op -1: as many shards as dp
    int64_t gbs, micro_batches;  // 0: not changed
    int64_t seq_length;          // 0: not changed
    int64_t run_batch;           // as in the baseline; 0: a step is one run of the pipeline
    const char
        *schedule;      // a family, as in the baseline; NULL: 1F1B, or interleaved with chunks
    int32_t num_layers; // of the model, without MTP layers; 0: not changed
    const int32_t *layers; // [chunk * pp + stage], MTP layers included; NULL: even
    // Recomputed layers, [chunk * pp + stage]. NULL: not changed, unless the list in the file does
    // not fit the number of stages and chunks.
    const int32_t *full, *select;
    unsigned modules;             // of `select`: bits of enum training_module; 0: not changed
    bool profile;                 // switch profiling on
    int profile_from, profile_to; // steps
    const int32_t *record_ranks;  // ranks that are profiled; NULL: as in the file
    int n_record_ranks;
    bool dry_run; // switch on what a dry run needs in the file
};
