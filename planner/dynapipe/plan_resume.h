// SPDX-License-Identifier: Apache-2.0
// Remembers the batches whose plans are written, so that an interrupted command goes on with --resume.
#pragma once

#include "base/resume/record_log.h"
#include "planner/dynapipe/plan_batch.h"

// A zeroed one remembers nothing.
struct plan_resume {
    bool is_open;
    bool is_empty; // no plan is written
    struct pps_record_log log;
    const char *next; // record of the interrupted command; NULL: there is no other
    size_t n;
};

// Opens FOLDER/plans.resume of the command with these options. mode: of the plans.
PPS_MUST_CHECK enum pps_status plan_resume_open(struct plan_resume *resume, const char *folder,
                                                const struct pps_args *args,
                                                const struct pps_opt *options,
                                                enum plan_mode mode, struct pps_error *err);

// Returns whether the interrupted command planned this batch and its file is there, fills what it found, except the plan
// itself, and reads the text of the file. Batches are asked for in the order of their numbers; *planned is valid until the
// end.
bool plan_resume_find(struct plan_resume *resume, const struct batch *batch, const char *path,
                      struct planned *planned, struct text_buffer *text);

// Remembers a batch whose plan is written.
PPS_MUST_CHECK enum pps_status plan_resume_add(struct plan_resume *resume,
                                               const struct batch *batch,
                                               const struct planned *planned,
                                               struct pps_error *err);

// Closes the file, and removes it if all plans are written, or none.
PPS_MUST_CHECK enum pps_status plan_resume_close(struct plan_resume *resume, bool is_complete,
                                                 struct pps_error *err);
