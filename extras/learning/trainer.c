// SPDX-License-Identifier: Apache-2.0
// Trains a policy batch by batch.
#include "extras/learning/descent.h"
#include "extras/learning/trainer_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- gains -------------------------------------------------------------------------------------

struct gain_options {
    double rate; // step size of Adam
    double
        most; // of the size of a gain, in periods: rare, large ones would decide alone otherwise
    double weight;   // of the gains
    double entropy;  // weight
    double norm;     // most of the length of a gradient
    double averaged; // steps of Adam in the average of the parameters
    int epochs;
};

struct gain_report {
    double gain, entropy; // means of the last epoch
};

enum { SUM_GAIN, SUM_ENTROPY };

static double gain_of(const struct gain_options *options,
                      const struct episode_decision *decision, int candidate)
{
    return fmax(-options->most, fmin(options->most, (double)decision->gain[candidate]));
}

static double slope(const void *self, const struct episode_decision *decision, const double *p,
                    double value, double *log_p, double *sums)
{
    const struct gain_options *options = self;
    double entropy = 0, expected = 0;
    (void)value;
    for (int i = 0; i < decision->n; i++) {
        entropy -= p[i] * log_p[i];
        expected += p[i] * gain_of(options, decision, i);
    }
    for (int i = 0; i < decision->n; i++)
        log_p[i] = p[i] * (options->entropy * (log_p[i] + entropy) -
                           options->weight * (gain_of(options, decision, i) - expected));
    sums[SUM_GAIN] += expected;
    sums[SUM_ENTROPY] += entropy;
    return 0;
}

// Divides the gains of a log by their root mean square: problems with rare, large gains would decide alone otherwise.
// Gains below a hundredth of a period count as such.
static void normalise(struct episode_log *log)
{
    double squares = 0, n = 0;
    for (int32_t k = 0; k < log->n; k++)
        for (int i = 0; i < log->decision[k].n; i++) {
            const double gain = (double)log->decision[k].gain[i];
            squares += gain * gain;
            n += i != log->decision[k].chosen;
        }
    const double size = sqrt(squares / fmax(n, 1)) + 0.01;
    for (int32_t k = 0; k < log->n; k++)
        for (int i = 0; i < log->decision[k].n; i++)
            log->decision[k].gain[i] = (float)((double)log->decision[k].gain[i] / size);
}

// Updates the state by the decisions of at most DESCENT_LOGS_MAX logs of rollouts_run. number: of the update,
// for the order of decisions. Returns false, with the state half-way, if the poll ended it.
static bool gain_update(struct descent *descent, const struct gain_options *options,
                        struct episode_log *logs, int n_logs, uint64_t seed, uint64_t number,
                        int threads, struct poll *poll, struct descent_state *state,
                        struct gain_report *report)
{
    const struct descent_loss loss = {.self = options,
                                      .slope = slope,
                                      .minibatch = DESCENT_MINIBATCH / 2,
                                      .rate = options->rate,
                                      .norm = options->norm,
                                      .averaged = options->averaged};
    double means[DESCENT_SUMS];
    for (int l = 0; l < n_logs; l++)
        normalise(&logs[l]);
    for (int epoch = 0; epoch < options->epochs; epoch++)
        if (!descent_epoch(descent, &loss, logs, n_logs, seed, number * 1000 + (uint64_t)epoch,
                           threads, poll, state, means))
            return false;
    *report = (struct gain_report){.gain = means[SUM_GAIN], .entropy = means[SUM_ENTROPY]};
    return true;
}

// ---- the trainer --------------------------------------------------------------------------------

const char *const trainer_method_names[TRAINER_METHODS] = {"rollouts", "ppo", "es"};

enum { AVERAGED = 200 }; // steps whose parameters a policy of rollouts averages

static const double guide_part =
    0.6; // of the batches of a training, in which rollouts follow the guide

static struct trainer_options defaults_of(enum trainer_method method)
{
    static const struct {
        double beta, rate;
        int width;
        int32_t problems, batches_per_validation;
    } of[] = {
        [TRAINER_ROLLOUTS] = {3, 1e-3, 32, 64, 20},
        [TRAINER_PPO] = {5, 1e-3, 64, 32, 10},
        [TRAINER_EVOLUTION] = {2, 1e-3, 16, 16, 5},
    };
    return (struct trainer_options){
        .method = method,
        .space = problem_default(),
        .shape = {FEATURES_CANDIDATE, FEATURES_STATE, {of[method].width, of[method].width}},
        .guide = {0.5, 0, PULL_UNLIMITED},
        .beta = of[method].beta,
        .rate = of[method].rate,
        .entropy = 0.002,
        .problems = of[method].problems,
        .validation = 128,
        .batches_per_validation = of[method].batches_per_validation};
}

struct trainer_options trainer_default(enum trainer_method method, int64_t episodes)
{
    struct trainer_options options = defaults_of(method);
    const int32_t batch = trainer_episodes(&options);
    options.batches = (episodes + batch - 1) / batch;
    return options;
}

int32_t trainer_episodes(const struct trainer_options *options)
{
    return options->problems * EXECUTOR_LANES *
           (options->method == TRAINER_EVOLUTION ? EVOLUTION_MEMBERS : 1);
}

const char *trainer_misfit(const struct trainer_options *o)
{
    const char *misfit = problem_misfit(&o->space);
    if (misfit != NULL)
        return misfit;
    for (int k = 0; k < 2; k++)
        if (o->shape.width[k] < 8 || o->shape.width[k] > NETWORK_WIDTH_MAX ||
            o->shape.width[k] % 8 != 0)
            return "widths must be multiples of 8, at most 256";
    if (!(o->rate > 0 && o->rate <= 1))
        return "the learning rate must be above 0 and at most 1";
    if (o->problems < 1 || o->problems > TRAINER_PROBLEMS_MAX || o->batches < 1)
        return "the number of episodes must be at least 1";
    if (o->batches > TRAINER_NUMBERS_MAX / o->problems)
        return "the number of episodes must be at most 2^30";
    return NULL;
}

// ---- memory -------------------------------------------------------------------------------------

static void take_rollouts(struct trainer *t, struct room *room)
{
    const struct trainer_options *o = &t->options;
    const bool counting = room->memory == NULL;
    t->rollouts = room_take(room, (size_t)t->threads, sizeof(void *));
    for (int k = 0; k < t->threads; k++) {
        struct rollouts *taken =
            rollouts_take(counting ? NULL : t->episode[k], &o->space, &o->shape, room);
        if (!counting)
            t->rollouts[k] = taken;
    }
}

static void take_logs(struct trainer *t, struct room *room)
{
    const struct trainer_options *o = &t->options;
    const int32_t logs = o->method == TRAINER_EVOLUTION ? 0 : o->problems,
                  decisions = o->method == TRAINER_PPO ? EPISODE_DECISIONS : ROLLOUTS_OF_STEP;
    const bool counting = room->memory == NULL;
    t->logs = room_take(room, (size_t)logs, sizeof *t->logs);
    for (int32_t k = 0; k < logs; k++) {
        struct episode_log unused;
        episode_log_take(counting ? &unused : &t->logs[k], EXECUTOR_LANES * decisions, room);
    }
}

static void take(struct trainer *t, struct room *room)
{
    const struct trainer_options *o = &t->options;
    const int32_t tasks = trainer_episodes(o) / EXECUTOR_LANES,
                  most = tasks > o->validation ? tasks : o->validation;
    const bool counting = room->memory == NULL;
    t->episode = room_take(room, (size_t)t->threads, sizeof(void *));
    for (int k = 0; k < t->threads; k++) {
        struct episode *taken = episode_take(&o->space, &o->shape, room);
        if (!counting)
            t->episode[k] = taken;
    }
    if (o->method == TRAINER_ROLLOUTS)
        take_rollouts(t, room);
    take_logs(t, room);
    t->result = room_take(room, (size_t)most, sizeof *t->result);
    t->descent = descent_take(&o->shape, t->threads, room);
    descent_state_take(&t->state, &o->shape, room);
    descent_state_take(&t->before, &o->shape, room);
    t->best = room_take(room, (size_t)t->state.n, sizeof *t->best);
    for (int k = 0; k < 2 && o->method == TRAINER_EVOLUTION; k++)
        t->members[k] = room_take(room, EVOLUTION_MEMBERS * (size_t)t->state.n, sizeof(double));
    t->curve = room_take(room, (size_t)o->batches, sizeof *t->curve);
}

struct trainer *trainer_new(const struct trainer_options *options, int threads)
{
    struct trainer *t = calloc(1, sizeof *t);
    struct room room = {NULL, 0};
    if (t == NULL)
        return NULL;
    t->options = *options;
    t->threads = threads;
    take(t, &room);
    t->bytes = room.used;
    t->memory = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    if (t->memory == NULL) {
        free(t);
        return NULL;
    }
    room = (struct room){t->memory, 0};
    take(t, &room);
    const size_t n = (size_t)t->state.n * sizeof(double);
    network_start(&options->shape, options->seed, options->beta, t->state.parameter);
    if (options->method == TRAINER_ROLLOUTS)
        network_clear_value(&options->shape, t->state.parameter);
    memset(t->state.first, 0, n);
    memset(t->state.second, 0, n);
    t->guide = t->best_guide = options->guide;
    if (options->method == TRAINER_EVOLUTION)
        evolution_start(&options->shape, &options->guide, t->state.parameter, t->state.first,
                        t->state.second);
    memcpy(t->best, t->state.parameter, n);
    memcpy(t->state.average, t->state.parameter, n);
    t->best_value = (struct trainer_value){.mean = HUGE_VAL, .limited = HUGE_VAL};
    return t;
}

void trainer_free(struct trainer *trainer)
{
    if (trainer == NULL)
        return;
    free(trainer->memory);
    free(trainer);
}

size_t trainer_bytes(const struct trainer *trainer)
{
    return trainer->bytes;
}

int64_t trainer_batches(const struct trainer *trainer)
{
    return trainer->done;
}

static void copy_state(struct descent_state *to, const struct descent_state *from)
{
    const size_t n = (size_t)from->n * sizeof(double);
    to->steps = from->steps;
    memcpy(to->parameter, from->parameter, n);
    memcpy(to->first, from->first, n);
    memcpy(to->second, from->second, n);
    memcpy(to->average, from->average, n);
}

// ---- values -------------------------------------------------------------------------------------

static double mean_of(const struct trainer *t, int32_t n)
{
    double sum = 0;
    for (int32_t k = 0; k < n; k++)
        sum += trainer_difference(&t->result[k]);
    return sum / n;
}

// The replicates of a problem are alike: the interval is that of the means of the problems.
static struct trainer_value value_of(const struct trainer *t, int32_t n)
{
    const double mean = mean_of(t, n);
    double squares = 0, won = 0, lost = 0, limited = 0;
    for (int32_t k = 0; k < n; k++) {
        const double difference = trainer_difference(&t->result[k]), rest = difference - mean;
        limited += fmax(-TRAINER_LIMIT, fmin(TRAINER_LIMIT, difference)) / n;
        squares += rest * rest;
        for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
            won += t->result[k].makespan[lane] < t->result[k].guide[lane];
            lost += t->result[k].makespan[lane] > t->result[k].guide[lane];
        }
    }
    const int64_t replicates = (int64_t)n * EXECUTOR_LANES;
    return (struct trainer_value){.mean = mean,
                                  .limited = limited,
                                  .half_width =
                                      n > 1 ? 1.96 * sqrt(squares / (n - 1) / n) : HUGE_VAL,
                                  .won = won / (double)replicates,
                                  .lost = lost / (double)replicates,
                                  .replicates = replicates};
}

// ---- batches ------------------------------------------------------------------------------------

// The parameters of the policy, without exploration.
static const double *policy_of(const struct trainer *t)
{
    return t->options.method == TRAINER_ROLLOUTS ? t->state.average : t->state.parameter;
}

static struct episode_rule rule_of(const struct trainer *t, const double *parameters)
{
    return (struct episode_rule){.parameters = parameters,
                                 .guide = t->guide,
                                 .baseline = t->options.guide,
                                 .lambda = 0.95};
}

// Runs the episodes of a batch: PPO explores, rollouts measure gains over the guide in the first part of a
// training, over the policy itself afterwards.
static bool run_episodes(struct trainer *t, struct poll *poll, struct trainer_batch *batch)
{
    const bool measure = t->options.method == TRAINER_ROLLOUTS,
               by_guide = (double)t->done < guide_part * (double)t->options.batches;
    struct trainer_job job = {.trainer = t,
                              .rule = rule_of(t, !measure   ? t->state.parameter
                                                 : by_guide ? NULL
                                                            : t->state.average),
                              .first = (uint64_t)t->done * (uint64_t)t->options.problems,
                              .n = t->options.problems,
                              .measure = measure,
                              .stop = {.poll = poll}};
    job.rule.explore = !measure;
    if (!trainer_run_job(&job))
        return false;
    batch->mean = mean_of(t, t->options.problems);
    return true;
}

// What remains of rates that fall linearly to a tenth.
static double rest_of(const struct trainer *t)
{
    return 1 - 0.9 * (double)t->done / (double)t->options.batches;
}

static bool improve_by_ppo(struct trainer *t, struct poll *poll, struct trainer_batch *batch)
{
    const struct trainer_options *o = &t->options;
    const struct ppo_options options = {.rate = o->rate * rest_of(t),
                                        .clip = 0.2,
                                        .value_clip = 2,
                                        .entropy = o->entropy * rest_of(t),
                                        .value = 0.05,
                                        .norm = 0.5,
                                        .kl = 0.02,
                                        .epochs = 4};
    struct ppo_report report;
    if (!ppo_update(t->descent, &options, t->logs, o->problems, o->seed, (uint64_t)t->done,
                    t->threads, poll, &t->state, &report))
        return false;
    batch->kl = report.kl;
    batch->entropy = report.entropy;
    batch->clipped = report.clipped;
    return true;
}

static bool improve_by_gains(struct trainer *t, struct poll *poll, struct trainer_batch *batch)
{
    const struct trainer_options *o = &t->options;
    const struct gain_options options = {.rate = o->rate * rest_of(t),
                                         .most = 3,
                                         .weight = 2,
                                         .entropy = o->entropy,
                                         .norm = 0.5,
                                         .averaged = AVERAGED,
                                         .epochs = 2};
    struct gain_report report;
    if (!gain_update(t->descent, &options, t->logs, o->problems, o->seed, (uint64_t)t->done,
                     t->threads, poll, &t->state, &report))
        return false;
    batch->gain = report.gain;
    batch->entropy = report.entropy;
    return true;
}

static bool validate(struct trainer *t, struct poll *poll, struct trainer_batch *batch)
{
    const struct trainer_options *o = &t->options;
    if ((t->done + 1) % o->batches_per_validation != 0 && t->done + 1 != o->batches)
        return true;
    struct trainer_job job = {.trainer = t,
                              .rule = rule_of(t, policy_of(t)),
                              .first = TRAINER_NUMBERS_MAX,
                              .n = o->validation,
                              .stop = {.poll = poll}};
    if (!trainer_run_job(&job))
        return false;
    batch->validation = value_of(t, o->validation);
    return true;
}

static bool run_batch(struct trainer *t, struct poll *poll, struct trainer_batch *batch)
{
    if (t->options.method == TRAINER_EVOLUTION)
        return trainer_evolve(t, poll, batch);
    return run_episodes(t, poll, batch) &&
           (t->options.method == TRAINER_PPO ? improve_by_ppo(t, poll, batch)
                                             : improve_by_gains(t, poll, batch));
}

bool trainer_run(struct trainer *t, struct poll *poll, struct trainer_batch *batch)
{
    *batch = (struct trainer_batch){.batch = t->done + 1};
    const struct pull_rule guide = t->guide;
    copy_state(&t->before, &t->state);
    if (!run_batch(t, poll, batch) || !validate(t, poll, batch)) {
        copy_state(&t->state, &t->before);
        t->guide = guide;
        return false;
    }
    if (batch->validation.replicates > 0 && batch->validation.limited < t->best_value.limited) {
        t->best_value = batch->validation;
        t->best_guide = t->guide;
        memcpy(t->best, policy_of(t), (size_t)t->state.n * sizeof *t->best);
    }
    t->curve[t->done++] = *batch;
    return true;
}

const double *trainer_best(const struct trainer *trainer, struct trainer_value *value)
{
    if (value != NULL)
        *value = trainer->best_value;
    return trainer->best;
}

struct pull_rule trainer_best_guide(const struct trainer *trainer)
{
    return trainer->best_guide;
}

const struct trainer_batch *trainer_curve(const struct trainer *trainer)
{
    return trainer->curve;
}
