// SPDX-License-Identifier: Apache-2.0
// The files of a training: the policy, its learning curve as a table and pictures, and the state that
// --resume continues from.
#pragma once

#include "base/resume/record_log.h"
#include "base/text/status.h"
#include "base/write/gate.h"
#include "extras/learning/trainer.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { LEARN_PATH = 4096, LEARN_COMMAND = 2048 };

struct learning {
    const char *policy;   // path
    const char *problems; // path of the distribution; NULL: the default one
    struct pps_gate gate; // of the policy and of the learning curve
    bool resume;
    struct trainer_options options;
    struct trainer *trainer;
    char state[LEARN_PATH]; // POLICY.state
    struct pps_record_log log;
    char stem[LEARN_PATH]; // of the curve and its pictures: POLICY without .json, and -curve
    char resume_command[LEARN_COMMAND];
    const atomic_bool *stop;
};

// Sets the paths that follow from `policy`. Returns PPS_E_INPUT if the path is too long.
PPS_MUST_CHECK enum pps_status learn_set_paths(struct learning *learning,
                                               struct pps_error *err);

// Returns PPS_E_INPUT if the policy or a file of its learning curve may not be written.
PPS_MUST_CHECK enum pps_status learn_check_files(const struct learning *learning,
                                                 struct pps_error *err);

// Opens the state: a new one, or, with `resume`, that of a stopped training, if there is one, which the
// trainer then continues. Returns PPS_E_INPUT if the state belongs to other options. The caller closes the
// log in every case.
PPS_MUST_CHECK enum pps_status learn_begin(struct learning *learning, struct pps_error *err);

// Writes the state. The file has the old or the new state.
PPS_MUST_CHECK enum pps_status learn_save(struct learning *learning, struct pps_error *err);

// Returns whether the policy says that a training with these options and this version made it.
bool learn_is_complete(const struct learning *learning);

// Returns whether validation shows a gain over the guide: the interval excludes 0.
bool learn_has_gain(const struct learning *learning);

// Writes the policy: with the best parameters, or, if validation shows no gain, the guide.
PPS_MUST_CHECK enum pps_status learn_write_policy(const struct learning *learning,
                                                  struct pps_error *err);

// Writes the curve as CSV, and draws it if gnuplot is there.
PPS_MUST_CHECK enum pps_status learn_write_curve(const struct learning *learning,
                                                 struct pps_error *err);
