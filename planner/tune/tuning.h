// SPDX-License-Identifier: Apache-2.0
// What `ppsweep tune` knows: the training of the user, and better ones, each as the file that starts it.
#pragma once

#include "engine/command/progress_kind.h"
#include "planner/check/checked.h"
#include "planner/nd/input/program_input.h"
#include "planner/nd/profiling/left_out.h"
#include "planner/shared/plan_baseline.h"

// What is searched, in this order. Each link starts from the best training of the links before.
enum tune_link {
    TUNE_RECOMPUTE, // what is made again
    TUNE_SPLIT,     // layers of the stages, and what is made again
    TUNE_STRATEGY,  // degrees, chunks, sizes of micro-batches
    TUNE_SCHEDULE,  // order and placement of the pipeline
    TUNE_LINKS,
    TUNE_MINE = TUNE_LINKS, // nothing
};

enum { TUNE_ANSWERS_MOST = 10 }; // that are shown and written

extern const char *const tune_link_names[TUNE_LINKS];

// A training that a link found.
struct tune_answer {
    int id; // in the order of finding
    enum tune_link link;
    struct text_buffer text; // of its file
    double seconds, peak;    // of the file, read back: s and bytes
    struct nd_strategy strategy;
    const char *schedule;
    double bound; // s: no split of this strategy in this order takes less; 0: nothing is proven
    char change[200]; // what differs from the training of the user, or from nothing
    bool safe;        // fits with the probability that was asked for
    bool opened;
    struct plan_written written; // if opened: what is shown or written
    char *path;                  // of the written file; NULL: none
};

// What a link has done.
struct tune_result {
    bool run, ended; // ended: by a signal or the time limit
    int tried;       // files that were read back
    int best;        // id of the fastest answer so far; -1: the training of the user, or none
};

// The fastest answer in other circumstances.
struct tune_what_if {
    int row;        // -1: none
    double seconds; // its step there
    double first;   // that of the first answer
};

#define TUNE_NOISE 0.1 // standard deviation of fluctuating times

struct tuning {
    struct nd_input input;
    const struct pps_args *args;
    struct poll poll;
    const char *folder; // of -o; NULL: none
    uint64_t threads;
    bool keep[TUNE_LINKS];
    double fit;            // probability of fitting that the first answer has, if any has it
    double memory;         // bytes that a device has
    double safe;           // the largest predicted peak that fits with this probability
    double limit;          // of peaks that the search allows now: safe, then memory
    struct plan_mine mine; // may be missing
    const struct nd_left_out_group *group;
    struct tune_answer
        *answers; // those that fit, in the order of finding until they are sorted
    int n, room;
    struct configuration now; // the best training so far; no parts: none
    double now_seconds;       // HUGE_VAL: none, or it does not fit
    int now_answer;           // its id; -1: the training of the user
    struct tune_result results[TUNE_LINKS];
    int refused;                        // trainings that the framework cannot express or start
    char why[256];                      // the first reason
    struct tune_what_if network, noise; // twice the rate across nodes; times that fluctuate
    double noisy_mine; // s: the mean step of the training of the user with times that fluctuate
    double more_memory; // s: the step of the first answer with one GiB more; 0: not searched
    enum pps_progress_kind progress;
    bool line_shown; // of the progress
    double shown;    // when
};

// Writes a configuration as a file, reads it back, and keeps it as an answer if it can run, fits, and is none of
// the answers. bound: as in tune_answer.
PPS_MUST_CHECK enum pps_status tune_add(struct tuning *tuning, enum tune_link link,
                                        const struct configuration *configuration, double bound,
                                        struct pps_error *err);

// Tries lists of modules to make again in all layers of a training, where the framework lets a file choose them.
PPS_MUST_CHECK enum pps_status tune_try_modules(struct tuning *tuning, enum tune_link link,
                                                const struct configuration *like,
                                                struct pps_error *err);

// Sorts the answers, safe ones first and of these the fastest, and removes those that are slower than `mine`, too
// many, or neither safe nor faster than all that are.
void tune_sort(struct tuning *tuning);

// Returns the answer with this id; NULL: none.
const struct tune_answer *tune_answer_of(const struct tuning *tuning, int id);

// Reads the answer back again, for its report and its files.
PPS_MUST_CHECK enum pps_status tune_open_answer(struct tuning *tuning,
                                                struct tune_answer *answer,
                                                struct pps_error *err);

// Prices the answers in other circumstances. All of them are open.
PPS_MUST_CHECK enum pps_status tune_price_answers(struct tuning *tuning, struct pps_error *err);

// Searches layers and recomputation of the first answer for devices with one GiB more.
PPS_MUST_CHECK enum pps_status tune_price_memory(struct tuning *tuning, struct pps_error *err);

void tune_free_answers(struct tuning *tuning);

// Sets the limits of the memory.
void tune_open_limits(struct tuning *tuning);

// Searches trainings that are faster and fit with less probability. The best one stays the best safe one.
PPS_MUST_CHECK enum pps_status tune_search_risky(struct tuning *tuning, struct pps_error *err);

// Runs all links that are searched.
PPS_MUST_CHECK enum pps_status tune_run_links(struct tuning *tuning, struct pps_error *err);

// Makes a training the best so far. answer: its id; -1: the training of the user.
PPS_MUST_CHECK enum pps_status tune_take(struct tuning *tuning, int answer, double seconds,
                                         const struct configuration *configuration,
                                         struct pps_error *err);

// Returns whether a signal or the time limit ends the search.
static inline bool tune_ended(const struct tuning *tuning)
{
    return tuning->poll.over(tuning->poll.self);
}

// Returns whether the training of the user can run and fits in memory.
static inline bool tune_has_mine(const struct tuning *tuning)
{
    return tuning->mine.has && plan_mine_fits(&tuning->mine);
}

// Shows the progress of a link, if it is due; and removes the line at the end.
void tune_progress_show(struct tuning *tuning, enum tune_link link);
void tune_progress_end(struct tuning *tuning);

void tune_print(const struct tuning *tuning);

PPS_MUST_CHECK enum pps_status tune_print_json(const struct tuning *tuning,
                                               struct pps_error *err);

// Return the training of the user, and an answer that is opened, as check reports trainings. The tuning owns
// everything in them.
struct checked tune_checked_mine(const struct tuning *tuning);
struct checked tune_checked(const struct tuning *tuning, const struct tune_answer *answer);

// Checks the names of the files before the work.
PPS_MUST_CHECK enum pps_status tune_check_folder(const struct tuning *tuning,
                                                 struct pps_error *err);

// Writes a folder for each answer, sets its path, and prints the folders.
PPS_MUST_CHECK enum pps_status tune_write_folders(struct tuning *tuning, struct pps_error *err);
