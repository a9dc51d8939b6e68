// SPDX-License-Identifier: Apache-2.0
// Reads strategies that users write, any number of them, each under its name:
//
//   by_hand:
//     offset: [[0, 1, 0, -1], [0, 0, 0, 0]]   # one list per chunk of a stage; 0: the even split
//     recompute: true                         # all layers; false or absent: none
//     select_recompute: [[1, 0, 0, 0], [0, 0, 0, 0]]
//     select_comm_recompute: false
//     interleave_num: 2                       # chunks of a stage; also pp_interleave_num
//     show: true
//     file_name: by_hand.svg
//
// layout: "Et*3|(tt|)*29t*35L", Megatron-LM's --pipeline-model-parallel-layout, may stand for offset and interleave_num;
// its layers m count as body layers.
//
// With one chunk a list of numbers, one per stage, may stand for the list of lists. A document without names, which
// is one strategy, is also allowed. `pipeline_interleave: false` is another way to write one chunk.
#pragma once

#include "kernels/balance/model/strategy.h"
#include "ppsweep/fault.h"

struct cJSON;

enum { BALANCE_FILE_NAME = 256 };

// Pictures of strategies that are not of the file, and what stands before the name of an entry's
// picture beside the strategy that was found. Entries may not have these names.
#define BALANCE_RESULT_PICTURE    "result.svg"
#define BALANCE_NAIVE_NO_PICTURE  "result_naive_no_recomp.svg"
#define BALANCE_NAIVE_ALL_PICTURE "result_naive_all_recomp.svg"
#define BALANCE_AUTO_PREFIX       "Auto_"
#define BALANCE_COMPARISON_PREFIX "Comparison_"

struct balance_manual_entry {
    const char *name; // in the document; "manual" if it is one strategy
    char file_name
        [BALANCE_FILE_NAME]; // of its picture, without a folder; if absent, the name with .svg
    bool show;               // the user wants to see the picture
    struct balance_strategy strategy; // has no layers if the entry is wrong
    struct pps_fault fault;           // the text of a right entry is empty
};

struct balance_manual {
    struct balance_manual_entry *entries; // in the order of the document
    int32_t n;
};

// Reads a document for a number of stages; `chunks` counts where an entry does not set them. A wrong entry has its
// fault, and the others are read. Returns false with a fault if the document has no entry; an empty fault->text means
// out of memory. The caller frees the entries with balance_manual_free; their names belong to the document.
bool balance_manual_read(const struct cJSON *root, const struct balance_layers *layers,
                         int32_t stages, int32_t chunks, struct balance_manual *manual,
                         struct pps_fault *fault);
void balance_manual_free(struct balance_manual *manual); // a zeroed struct is allowed

// Finds keys without a meaning, for warnings. Returns their number, at most `most`.
int balance_manual_doubts(const struct cJSON *root, struct pps_fault *list, int most);
