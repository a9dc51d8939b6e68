// SPDX-License-Identifier: Apache-2.0
// Declares the parameters of the kernel.
#include "kernels/schedule/family_names.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

static const char *const channel_names[] = {[PIPELINE_FREE] = "free",
                                            [PIPELINE_LINKS] = "link",
                                            [PIPELINE_CARDS] = "card",
                                            [PIPELINE_BLOCKING] = "blocking",
                                            NULL};
static const char *const per_names[] = {[PER_DEVICE] = "device", [PER_CHUNK] = "chunk", NULL};
static const char *const objective_names[] =
    {[FAMILY_MAKESPAN] = "makespan", [FAMILY_SPAN] = "span", NULL};
static const char *const compat_names[] =
    {[COMPAT_NONE] = "none", [COMPAT_ORIG] = "orig", NULL};
static const char *const limit_names[] = {"none", NULL};
static const char *const pair_names[] = {"sum", NULL};
static const char *const times_names[] = {[TIMES_GIVEN] = "given", [TIMES_SIZE] = "size", NULL};
static const char *const noise_names[] =
    {[NOISE_NORMAL] = "normal", [NOISE_LOGNORMAL] = "lognormal", [NOISE_GAMMA] = "gamma", NULL};
static const char *const message_level_names[] = {"level", NULL};
static const char *const correlation_groups[] = {[NOISE_ALONE] = "none",
                                                 [NOISE_DEVICE] = "device",
                                                 [NOISE_MICRO_BATCH] = "micro_batch",
                                                 [NOISE_WINDOW] = "window",
                                                 NULL};
static const char *const straggler_names[] = {"none", NULL};
static const char *const until_names[] = {"end", NULL};
static const char *const rule_names[] = {[RULE_STATIC] = "static",
                                         [RULE_PULL] = "pull",
                                         [RULE_W_FLOATS] = "w_floats",
                                         [RULE_POLICY] = "policy",
                                         NULL};
static const char *const lag_names[] = {"unlimited", NULL};

// Sums of these are finite.
#define LARGEST 1e100

// A row: name, symbol, unit, summary, kind; then what is not 0.
const struct pps_param schedule_params[N_PARAMS] = {
    [P_PLAN] = {"plan", NULL, "", "the plan, if the experiment names several", PPS_CHOICE,
                .max = 0x1p20, .changes_work = true},
    [P_ORDER] = {"order", NULL, "", "the order, if the experiment names several", PPS_CHOICE,
                 .max = 0x1p20},
    [P_FAMILY] = {"family", NULL, "",
                  "the schedule, or its class in PyTorch; order: that of a document",
                  PPS_CHOICE, .fallback = FAMILY_NAME_DEFAULT, .max = FAMILY_NAMES - 1,
                  .names = schedule_family_names, .aliases = schedule_family_aliases},
    [P_P] = {"p", "P", "", "devices of the pipeline", PPS_INTEGER, .fallback = 4, .min = 1,
             .max = SCHEDULE_DEVICES_MAX, .changes_work = true},
    [P_M] = {"m", "M", "", "micro-batches of a step", PPS_INTEGER, .fallback = 8, .min = 1,
             .max = 1 << 20, .changes_work = true},
    [P_V] = {"v", NULL, "", "chunks (stages) per device; 1: as the family needs", PPS_INTEGER,
             .fallback = 1, .min = 1, .max = SCHEDULE_CHUNKS_MAX},
    [P_SLICES] = {"slices", "Q", "", "parts of a micro-batch along the sequence (seq_1f1b)",
                  PPS_INTEGER, .fallback = 1, .min = 1, .max = 1024},
    [P_GROUP] = {"group", NULL, "",
                 "micro-batches of a group (" FAMILIES_WITH_GROUP
                 "); 0: p, and equal groups of "
                 "interleaved",
                 PPS_INTEGER, .max = 1 << 20},
    [P_DESCENDING] = {"descending", NULL, "",
                      FAMILIES_WITH_DESCENDING ": backwards from the last micro-batch",
                      PPS_BOOLEAN, .max = 1},
    [P_F] = {"f", NULL, "time", "forward of a micro-batch", PPS_REAL, .fallback = 1,
             .max = LARGEST},
    [P_B] = {"b", NULL, "time", "backward of the input of a micro-batch", PPS_REAL,
             .fallback = 1.5, .max = LARGEST},
    [P_W] = {"w", NULL, "time", "backward of the weights of a micro-batch", PPS_REAL,
             .fallback = 0.3, .max = LARGEST},
    [P_PAIR] = {"pair", NULL, "time", "a forward that overlaps a full backward; sum: f + b + w",
                PPS_REAL, .fallback = -1, .max = LARGEST, .names = pair_names},
    [P_LATENCY] = {"latency", NULL, "time", "a message between two devices", PPS_REAL,
                   .max = LARGEST},
    [P_CHANNELS] =
        {"channels", NULL, "",
         "what a message occupies for latency: nothing, its link, the sender's card, or "
         "both devices, which wait for each other",
         PPS_CHOICE, .max = PIPELINE_BLOCKING, .names = channel_names},
    [P_MEM_F] = {"mem_f", NULL, "memory", "memory that a forward takes at its start", PPS_REAL,
                 .fallback = 1, .max = LARGEST},
    [P_MEM_B] = {"mem_b", NULL, "memory", "change of memory at the end of b", PPS_REAL,
                 .min = -LARGEST},
    [P_MEM_W] = {"mem_w", NULL, "memory", "change of memory at the end of w", PPS_REAL,
                 .fallback = -1, .min = -LARGEST},
    [P_LIMIT] = {"limit", NULL, "memory", "memory of each device", PPS_REAL, .fallback = -1,
                 .max = LARGEST, .names = limit_names},
    [P_PER] = {"per", NULL, "",
               "times and memory are those of a micro-batch on all chunks of a device, or on "
               "one chunk",
               PPS_CHOICE, .max = PER_CHUNK, .names = per_names},
    [P_OBJECTIVE] = {"objective", NULL, "", "what searches minimise", PPS_CHOICE,
                     .max = FAMILY_SPAN, .names = objective_names},
    [P_BUDGET] = {"budget", NULL, "", "evaluations of a search", PPS_INTEGER, .fallback = 40000,
                  .min = 1, .max = 1e12},
    [P_SEED] = {"seed", NULL, "", "seed of searches and of noise", PPS_INTEGER, .fallback = 42,
                .max = 0x1p52},
    [P_COMPAT] = {"compat", NULL, "",
                  "none, or orig: " FAMILIES_WITH_PUBLISHED " exactly as published", PPS_CHOICE,
                  .max = COMPAT_ORIG, .names = compat_names},
    [P_TIMES] =
        {"times", NULL, "",
         "what f, b, w and pair are: times (given), or multiples of base * size (size), "
         "where a message takes base_comm * size",
         PPS_CHOICE, .max = TIMES_SIZE, .names = times_names},
    [P_SIZE] = {"size", NULL, "", "times = size: samples of a micro-batch", PPS_REAL,
                .fallback = 32, .max = 1e12},
    [P_BASE] = {"base", NULL, "time", "times = size: time of a sample in an operation",
                PPS_REAL, .fallback = 1, .max = 1e50},
    [P_BASE_COMM] = {"base_comm", NULL, "time", "times = size: time of a sample in a message",
                     PPS_REAL, .fallback = 0.5, .max = 1e50},
    [P_NOISE] = {"noise", NULL, "", "distribution of times with level > 0", PPS_CHOICE,
                 .max = NOISE_GAMMA, .names = noise_names},
    [P_LEVEL] = {"level", NULL, "",
                 "standard deviation of the time of an operation by its nominal time", PPS_REAL,
                 .max = 1, .max_open = true},
    [P_MESSAGE_LEVEL] = {"message_level", NULL, "", "the same for messages; level: as level",
                         PPS_REAL, .fallback = -1, .max = 1, .max_open = true,
                         .names = message_level_names},
    [P_OUTLIER_P] = {"outlier_p", NULL, "", "probability that a message is an outlier",
                     PPS_REAL, .max = 1},
    [P_OUTLIER_K] = {"outlier_k", NULL, "", "time of an outlier by the nominal time", PPS_REAL,
                     .fallback = 20, .max = 1e9},
    [P_OUTLIER_ALPHA] = {"outlier_alpha", NULL, "",
                         "Pareto exponent of the time of an outlier; 0: outlier_k", PPS_REAL,
                         .max = 1e9},
    [P_CORRELATION] = {"correlation", NULL, "",
                       "correlation of operations of a correlation_group", PPS_REAL, .max = 1},
    [P_CORRELATION_GROUP] =
        {"correlation_group", NULL, "",
         "operations of a device, of a micro-batch, or of a device in the same window of "
         "time",
         PPS_CHOICE, .max = NOISE_WINDOW, .names = correlation_groups},
    [P_WINDOW] = {"window", NULL, "time", "length of a window of time", PPS_REAL,
                  .max = LARGEST},
    [P_STRAGGLER_P] = {"straggler_p", NULL, "",
                       "probability that a device is slow in a replicate", PPS_REAL, .max = 1},
    [P_STRAGGLER_K] = {"straggler_k", NULL, "",
                       "time of an operation of a slow device by its time", PPS_REAL,
                       .fallback = 2, .min = 1e-9, .max = 1e9},
    [P_STRAGGLER_DEVICE] = {"straggler_device", NULL, "",
                            "a device that is slow in every replicate", PPS_REAL,
                            .fallback = -1, .max = SCHEDULE_DEVICES_MAX - 1,
                            .names = straggler_names},
    [P_STRAGGLER_FROM] = {"straggler_from", NULL, "time", "devices are slow from this time on",
                          PPS_REAL, .max = LARGEST},
    [P_STRAGGLER_UNTIL] = {"straggler_until", NULL, "time", "devices are slow until this time",
                           PPS_REAL, .fallback = -1, .max = LARGEST, .names = until_names},
    [P_REPLICATES] = {"replicates", NULL, "",
                      "steps with other times, for mean and its interval", PPS_INTEGER,
                      .fallback = 1000, .min = 2, .max = SCHEDULE_REPLICATES_MAX},
    [P_FIRST] = {"first", NULL, "", "number of the first replicate; trace shows this replicate",
                 PPS_INTEGER, .max = 0xf0000000},
    [P_RULE] =
        {"rule", NULL, "",
         "who decides during the step: static (the order), pull, w_floats, or the policy "
         "of a document",
         PPS_CHOICE, .max = RULE_POLICY, .names = rule_names},
    [P_POLICY] = {"policy", NULL, "", "the policy, if the experiment names several", PPS_CHOICE,
                  .max = 0x1p20},
    [P_THRESHOLD] = {"threshold", NULL, "",
                     "pull: a W runs early if the wait is at least threshold * w", PPS_REAL,
                     .fallback = 0.5, .max = 1e9},
    [P_LAG] = {"lag", NULL, "",
               "pull, w_floats: most W's that may be late when an F or B is ready", PPS_REAL,
               .max = 1e9, .names = lag_names},
};
