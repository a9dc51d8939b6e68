// SPDX-License-Identifier: Apache-2.0
// Writes configuration files of profile runs: the user's document with the degrees, layers and
// recompute of a reduced configuration, and with profiling on. Style graph: YAML; megatron: a shell
// file of variables; fsdp: TOML.
#pragma once

#include "planner/nd/profiling/profile.h"

#include "base/text/text_buffer.h"

struct cJSON;

struct nd_plan {
    enum nd_profile_style style;
    bool orig;                 // micro-batches as published: gbs / dp
    bool dense;                // no ep in names and files
    int64_t gbs;               // sequences a step
    int64_t seq_length;        // 0: unknown
    const struct cJSON *model; // the user's, which is copied; NULL: none
    const char *ending;        // of file names, with its dot; NULL: of the style
};

enum { ND_PLAN_NAME = 128 };

// "DP8_TP1_PP2_EP8_pretrain.yaml"; fsdp also has CP and FSDP. Not orig: CP, MBS and NOSP, too,
// where they are not usual, so that no two configurations of a choice have one name.
void nd_plan_name(const struct nd_plan *plan, const struct nd_profile_run *run,
                  char name[ND_PLAN_NAME]);

// Returns the micro-batches of a step of the run.
int64_t nd_plan_micro_batches(const struct nd_plan *plan, const struct nd_profile_run *run);

// The whole file.
void nd_plan_write(struct text_buffer *text, const struct nd_plan *plan,
                   const struct nd_profile_run *run);
