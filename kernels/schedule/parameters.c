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

#define COUNT(name_, symbol_, summary_, fallback_, min_, max_, work_)                          \
    {                                                                                          \
        .name = name_, .symbol = symbol_, .unit = "", .summary = summary_,                     \
        .kind = PPS_INTEGER, .fallback = fallback_, .min = min_, .max = max_,                  \
        .changes_work = work_                                                                  \
    }
#define TIME(name_, summary_, fallback_)                                                       \
    {                                                                                          \
        .name = name_, .unit = "time", .summary = summary_, .kind = PPS_REAL,                  \
        .fallback = fallback_, .min = 0, .max = LARGEST                                        \
    }
#define MEMORY(name_, summary_, fallback_, min_, max_)                                         \
    {                                                                                          \
        .name = name_, .unit = "memory", .summary = summary_, .kind = PPS_REAL,                \
        .fallback = fallback_, .min = min_, .max = max_                                        \
    }
#define SHARE(name_, summary_)                                                                 \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_REAL, .max = 1             \
    }
#define FACTOR(name_, summary_, fallback_, min_, max_)                                         \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_REAL,                      \
        .fallback = fallback_, .min = min_, .max = max_                                        \
    }
#define CHOICE(name_, summary_, names_, last_)                                                 \
    {                                                                                          \
        .name = name_, .unit = "", .summary = summary_, .kind = PPS_CHOICE, .max = last_,      \
        .names = names_                                                                        \
    }

const struct pps_param schedule_params[N_PARAMS] = {
    [P_PLAN] = {.name = "plan",
                .unit = "",
                .summary = "the plan, if the experiment names several",
                .kind = PPS_CHOICE,
                .max = 0x1p20,
                .changes_work = true},
    [P_ORDER] = {.name = "order",
                 .unit = "",
                 .summary = "the order, if the experiment names several",
                 .kind = PPS_CHOICE,
                 .max = 0x1p20},
    [P_FAMILY] = {.name = "family",
                  .unit = "",
                  .summary = "the schedule, or its class in PyTorch; order: that of a document",
                  .kind = PPS_CHOICE,
                  .fallback = FAMILY_NAME_DEFAULT,
                  .max = FAMILY_NAMES - 1,
                  .names = schedule_family_names,
                  .aliases = schedule_family_aliases},
    [P_P] = COUNT("p", "P", "devices of the pipeline", 4, 1, SCHEDULE_DEVICES_MAX, true),
    [P_M] = COUNT("m", "M", "micro-batches of a step", 8, 1, 1 << 20, true),
    [P_V] = COUNT("v",
                  NULL,
                  "chunks (stages) per device; 1: as the family needs",
                  1,
                  1,
                  SCHEDULE_CHUNKS_MAX,
                  false),
    [P_SLICES] = COUNT("slices",
                       "Q",
                       "parts of a micro-batch along the sequence (seq_1f1b)",
                       1,
                       1,
                       1024,
                       false),
    [P_GROUP] =
        COUNT("group",
              NULL,
              "micro-batches of a group (" FAMILIES_WITH_GROUP "); 0: p, and equal groups of "
              "interleaved",
              0,
              0,
              1 << 20,
              false),
    [P_DESCENDING] = {.name = "descending",
                      .unit = "",
                      .summary =
                          FAMILIES_WITH_DESCENDING ": backwards from the last micro-batch",
                      .kind = PPS_BOOLEAN,
                      .max = 1},
    [P_F] = TIME("f", "forward of a micro-batch", 1),
    [P_B] = TIME("b", "backward of the input of a micro-batch", 1.5),
    [P_W] = TIME("w", "backward of the weights of a micro-batch", 0.3),
    [P_PAIR] = {.name = "pair",
                .unit = "time",
                .summary = "a forward that overlaps a full backward; sum: f + b + w",
                .kind = PPS_REAL,
                .fallback = -1,
                .max = LARGEST,
                .names = pair_names},
    [P_LATENCY] = TIME("latency", "a message between two devices", 0),
    [P_CHANNELS] = CHOICE("channels",
                          "what a message occupies for latency: nothing, its link, the "
                          "sender's card, or both devices, which wait for each other",
                          channel_names,
                          PIPELINE_BLOCKING),
    [P_MEM_F] = MEMORY("mem_f", "memory that a forward takes at its start", 1, 0, LARGEST),
    [P_MEM_B] = MEMORY("mem_b", "change of memory at the end of b", 0, -LARGEST, 0),
    [P_MEM_W] = MEMORY("mem_w", "change of memory at the end of w", -1, -LARGEST, 0),
    [P_LIMIT] = {.name = "limit",
                 .unit = "memory",
                 .summary = "memory of each device",
                 .kind = PPS_REAL,
                 .fallback = -1,
                 .max = LARGEST,
                 .names = limit_names},
    [P_PER] = CHOICE("per",
                     "times and memory are those of a micro-batch on all chunks of a device, "
                     "or on one chunk",
                     per_names,
                     PER_CHUNK),
    [P_OBJECTIVE] = CHOICE("objective", "what searches minimise", objective_names, FAMILY_SPAN),
    [P_BUDGET] = COUNT("budget", NULL, "evaluations of a search", 20000, 1, 1e12, false),
    [P_SEED] = COUNT("seed", NULL, "seed of searches and of noise", 42, 0, 0x1p52, false),
    [P_COMPAT] = CHOICE("compat",
                        "none, or orig: " FAMILIES_WITH_PUBLISHED " exactly as published",
                        compat_names,
                        COMPAT_ORIG),
    [P_TIMES] = CHOICE("times",
                       "what f, b, w and pair are: times (given), or multiples of base * size "
                       "(size), where a message takes base_comm * size",
                       times_names,
                       TIMES_SIZE),
    [P_SIZE] = FACTOR("size", "times = size: samples of a micro-batch", 32, 0, 1e12),
    [P_BASE] = {.name = "base",
                .unit = "time",
                .summary = "times = size: time of a sample in an operation",
                .kind = PPS_REAL,
                .fallback = 1,
                .max = 1e50},
    [P_BASE_COMM] = {.name = "base_comm",
                     .unit = "time",
                     .summary = "times = size: time of a sample in a message",
                     .kind = PPS_REAL,
                     .fallback = 0.5,
                     .max = 1e50},
    [P_NOISE] =
        CHOICE("noise", "distribution of times with level > 0", noise_names, NOISE_GAMMA),
    [P_LEVEL] = {.name = "level",
                 .unit = "",
                 .summary =
                     "standard deviation of the time of an operation by its nominal time",
                 .kind = PPS_REAL,
                 .max = 1,
                 .max_open = true},
    [P_MESSAGE_LEVEL] = {.name = "message_level",
                         .unit = "",
                         .summary = "the same for messages; level: as level",
                         .kind = PPS_REAL,
                         .fallback = -1,
                         .max = 1,
                         .max_open = true,
                         .names = message_level_names},
    [P_OUTLIER_P] = SHARE("outlier_p", "probability that a message is an outlier"),
    [P_OUTLIER_K] = FACTOR("outlier_k", "time of an outlier by the nominal time", 20, 0, 1e9),
    [P_OUTLIER_ALPHA] = FACTOR("outlier_alpha",
                               "Pareto exponent of the time of an outlier; 0: outlier_k",
                               0,
                               0,
                               1e9),
    [P_CORRELATION] = SHARE("correlation", "correlation of operations of a correlation_group"),
    [P_CORRELATION_GROUP] =
        CHOICE("correlation_group",
               "operations of a device, of a micro-batch, or of a device in the same window of "
               "time",
               correlation_groups,
               NOISE_WINDOW),
    [P_WINDOW] = TIME("window", "length of a window of time", 0),
    [P_STRAGGLER_P] = SHARE("straggler_p", "probability that a device is slow in a replicate"),
    [P_STRAGGLER_K] = FACTOR("straggler_k",
                             "time of an operation of a slow device by its time",
                             2,
                             1e-9,
                             1e9),
    [P_STRAGGLER_DEVICE] = {.name = "straggler_device",
                            .unit = "",
                            .summary = "a device that is slow in every replicate",
                            .kind = PPS_REAL,
                            .fallback = -1,
                            .max = SCHEDULE_DEVICES_MAX - 1,
                            .names = straggler_names},
    [P_STRAGGLER_FROM] = TIME("straggler_from", "devices are slow from this time on", 0),
    [P_STRAGGLER_UNTIL] = {.name = "straggler_until",
                           .unit = "time",
                           .summary = "devices are slow until this time",
                           .kind = PPS_REAL,
                           .fallback = -1,
                           .max = LARGEST,
                           .names = until_names},
    [P_REPLICATES] = COUNT("replicates",
                           NULL,
                           "steps with other times, for mean and its interval",
                           1000,
                           2,
                           SCHEDULE_REPLICATES_MAX,
                           false),
    [P_FIRST] = COUNT("first",
                      NULL,
                      "number of the first replicate; trace shows this replicate",
                      0,
                      0,
                      0xf0000000,
                      false),
    [P_RULE] = CHOICE("rule",
                      "who decides during the step: static (the order), pull, w_floats, or the "
                      "policy of a document",
                      rule_names,
                      RULE_POLICY),
    [P_POLICY] = {.name = "policy",
                  .unit = "",
                  .summary = "the policy, if the experiment names several",
                  .kind = PPS_CHOICE,
                  .max = 0x1p20},
    [P_THRESHOLD] = FACTOR("threshold",
                           "pull: a W runs early if the wait is at least threshold * w",
                           0.5,
                           0,
                           1e9),
    [P_LAG] = {.name = "lag",
               .unit = "",
               .summary = "pull, w_floats: most W's that may be late when an F or B is ready",
               .kind = PPS_REAL,
               .fallback = 0,
               .max = 1e9,
               .names = lag_names},
};
