// SPDX-License-Identifier: Apache-2.0
// Writes the user's configuration file of a framework with another strategy: with the split of a
// pipeline, as a reduced run to profile, or as a dry run.
#pragma once

#include "base/text/status.h"
#include "base/text/text_buffer.h"
#include "kernels/configuration/configuration.h"
#include "planner/nd/profiling/profile.h"
#include "planner/shared/document_read.h"

// Appends the file of the document with the settings. Returns PPS_E_INPUT if the framework cannot
// express them, with the place in the user's file.
PPS_MUST_CHECK enum pps_status nd_configuration_write(struct text_buffer *text,
                                                      const struct plan_document *document,
                                                      const struct framework_settings *settings,
                                                      struct pps_error *err);

// The same with the strategy, the layers, the recompute and the order of a configuration.
PPS_MUST_CHECK enum pps_status nd_configuration_of(struct text_buffer *text,
                                                   const struct plan_document *document,
                                                   const struct configuration *configuration,
                                                   struct pps_error *err);

// The same for a reduced run to profile: its degrees and layers, even recompute lists, and profiling
// switched on. micro_batches: of the run. mtp_depth: MTP layers of the user's model.
PPS_MUST_CHECK enum pps_status nd_configuration_profile(
    struct text_buffer *text, const struct plan_document *document,
    const struct nd_profile_run *run, enum nd_profile_style style, int64_t micro_batches,
    int64_t mtp_depth, struct pps_error *err);

// Returns the extension of the user's file with its dot: ".yaml".
const char *nd_configuration_ending(const struct plan_document *document);
