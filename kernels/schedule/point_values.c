// SPDX-License-Identifier: Apache-2.0
// Converts the values of the parameters, and the documents of an experiment, to a point.
#include "kernels/schedule/documents.h"
#include "kernels/schedule/family_names.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

#include <math.h>

// The end of every step: executors compare times with it.
#define LATEST 1e300

static struct family_options options_of(const double *value)
{
    struct family_options options = {.group = 0};
    options.group = (int32_t)value[P_GROUP];
    options.descending = value[P_DESCENDING] != 0;
    options.published = value[P_COMPAT] == COMPAT_ORIG;
    options.objective = (enum family_objective)value[P_OBJECTIVE];
    options.seed = (uint64_t)value[P_SEED];
    options.budget = (int64_t)value[P_BUDGET];
    return options;
}

static const struct plan *plan_of(const double *value, const struct schedule_shared *shared)
{
    return shared != NULL && shared->n_plans > 0 ? shared->plans[(int)value[P_PLAN]] : NULL;
}

// Returns what f, b, w and pair are multiplied by.
static double unit_of(const double *value)
{
    return value[P_TIMES] == TIMES_SIZE ? value[P_BASE] * value[P_SIZE] : 1;
}

static double latency_of(const double *value)
{
    return value[P_TIMES] == TIMES_SIZE ? value[P_BASE_COMM] * value[P_SIZE] : value[P_LATENCY];
}

static struct pipeline_links links_of(const double *value)
{
    const double latency = latency_of(value);
    const bool is_free = value[P_CHANNELS] == PIPELINE_FREE;
    return (struct pipeline_links){.channels = (enum pipeline_channels)value[P_CHANNELS],
                                   .latency = is_free ? latency : 0,
                                   .occupation = is_free ? 0 : latency};
}

// Rows hold values of 15 digits.
static bool is_same(double value, double of)
{
    return fabs(value - of) <= 1e-14 * fabs(of);
}

static double ratio(double value, double of)
{
    return is_same(value, of) || of == 0 ? 1 : value / of;
}

// Parameters replace what they differ from: times and memory of all stages in proportion.
static void set_plan_costs(struct schedule_point *point, const double *value,
                           const struct schedule_means *means)
{
    const struct pipeline_links *links = &point->plan->pipeline->links;
    point->scale = (struct plan_scale){.f = ratio(value[P_F], means->f),
                                       .b = ratio(value[P_B], means->b),
                                       .w = ratio(value[P_W], means->w),
                                       .memory_b = ratio(0 - value[P_MEM_B], means->mem_b),
                                       .memory_w = ratio(0 - value[P_MEM_W], means->mem_w)};
    if ((enum pipeline_channels)value[P_CHANNELS] == links->channels &&
        is_same(value[P_LATENCY], links->latency + links->occupation)) {
        point->links = *links;
        return;
    }
    point->links = links_of(value);
    point->links.latencies = links->latencies;
    point->links.bandwidths = links->bandwidths;
}

// Sets times, memory and links of a stage of a device with `chunks` of them.
static void set_costs(struct schedule_point *point, const double *value,
                      const struct schedule_shared *shared, double chunks)
{
    const double part = value[P_PER] == PER_DEVICE ? 1 / chunks : 1,
                 time = part * unit_of(value);
    point->options = options_of(value);
    point->stage = (struct pipeline_stage){.f = value[P_F] * time,
                                           .b = value[P_B] * time,
                                           .w = value[P_W] * time,
                                           .r = value[P_F] * time,
                                           .kept_until_b = (0 - value[P_MEM_B]) * part,
                                           .kept_until_w = (0 - value[P_MEM_W]) * part};
    point->pair = value[P_PAIR] < 0 ? (double)NAN : value[P_PAIR] * time;
    point->limit = value[P_LIMIT] < 0 ? HUGE_VAL : value[P_LIMIT];
    point->links = links_of(value);
    point->plan = plan_of(value, shared);
    if (point->plan != NULL)
        set_plan_costs(point, value, &shared->means[(int)value[P_PLAN]]);
}

// With times = size and compat = orig, the least times are those of the published project.
static void set_noise(struct schedule_point *point, const double *value)
{
    struct noise *noise = &point->noise;
    noise->seed = (uint64_t)value[P_SEED];
    noise->kind = (enum noise_kind)value[P_NOISE];
    noise->level = value[P_LEVEL];
    noise->message_level = value[P_MESSAGE_LEVEL] < 0 ? noise->level : value[P_MESSAGE_LEVEL];
    noise->outlier_p = value[P_OUTLIER_P];
    noise->outlier_k = value[P_OUTLIER_K];
    noise->outlier_alpha = value[P_OUTLIER_ALPHA];
    noise->group = (enum noise_group)value[P_CORRELATION_GROUP];
    noise->rho = value[P_CORRELATION];
    noise->window = value[P_WINDOW];
    noise->straggler_p = value[P_STRAGGLER_P];
    noise->straggler_k = value[P_STRAGGLER_K];
    noise->from = value[P_STRAGGLER_FROM];
    noise->until =
        value[P_STRAGGLER_UNTIL] < 0 ? noise->from > 0 ? LATEST : 0 : value[P_STRAGGLER_UNTIL];
    noise->published_floors =
        value[P_TIMES] == TIMES_SIZE && value[P_COMPAT] == COMPAT_ORIG && noise->level > 0;
    point->slow_device =
        value[P_STRAGGLER_DEVICE] < 0 ? -1 : (int32_t)value[P_STRAGGLER_DEVICE];
    point->first = (uint32_t)value[P_FIRST];
    point->n_replicates = (uint32_t)value[P_REPLICATES];
}

// Takes the rule from a document.
static void set_policy(struct schedule_point *point, const double *value,
                       const struct schedule_shared *shared)
{
    if (point->rule != RULE_POLICY || shared == NULL || shared->n_policies == 0)
        return;
    schedule_use_policy(point, shared->policies[(int)value[P_POLICY]], &shared->widest);
}

void schedule_use_policy(struct schedule_point *point, const struct policy *policy,
                         const struct network_shape *widest)
{
    point->policy = policy;
    point->widest = widest;
    point->pull = policy->rule;
    point->rule = policy->kind == POLICY_LEARNED || policy->kind == POLICY_ROBUST ? RULE_POLICY
                                                                                  : RULE_PULL;
}

static void set_rule(struct schedule_point *point, const double *value)
{
    point->rule = (enum schedule_rule)value[P_RULE];
    point->pull = (struct pull_rule){
        .threshold = point->rule == RULE_PULL ? value[P_THRESHOLD] : 0,
        .lag = value[P_LAG] < 0 ? PULL_UNLIMITED : (int32_t)value[P_LAG],
        .ahead = PULL_UNLIMITED,
    };
}

// The order of a document, or of the plan. false: none.
static bool set_order(struct schedule_point *point, const double *value,
                      const struct schedule_shared *shared)
{
    const struct plan *plan = plan_of(value, shared);
    if (shared != NULL && shared->n_orders > 0) {
        const struct order_document *document = &shared->orders[(int)value[P_ORDER]];
        point->shape = document->shape;
        point->device_of = document->device_of;
        point->order = document->order;
        if (value[P_CHANNELS] == PIPELINE_BLOCKING && document->messages.first != NULL)
            point->messages = &document->messages;
        point->hangs = point->messages != NULL && document->hangs;
        return true;
    }
    if (plan == NULL || plan->order == NULL)
        return false;
    point->shape = plan->pipeline->shape;
    point->device_of = plan->pipeline->device_of;
    point->order = plan->order;
    return true;
}

static struct pipeline_shape shape_of(const double *value, const struct family *family)
{
    const int32_t chunks = family->chunks((int32_t)value[P_V]);
    return (struct pipeline_shape){.devices = (int32_t)value[P_P],
                                   .stages = (int32_t)value[P_P] * chunks,
                                   .micro_batches = (int32_t)value[P_M],
                                   .slices = (int32_t)value[P_SLICES],
                                   .directions = family->directions};
}

struct schedule_point schedule_point_of(const double *value, const void *shared)
{
    struct schedule_point point = {.family = schedule_family_at((int)value[P_FAMILY])};
    if (point.family != NULL)
        point.shape = shape_of(value, point.family);
    else if (!set_order(&point, value, shared))
        return point;
    set_costs(&point, value, shared, (double)point.shape.stages / point.shape.devices);
    set_noise(&point, value);
    set_rule(&point, value);
    set_policy(&point, value, shared);
    return point;
}
