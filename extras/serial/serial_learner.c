// SPDX-License-Identifier: Apache-2.0
// Proximal policy optimization of the published project.
#include "extras/serial/serial_learner.h"

#include "base/math/dense.h"
#include "base/math/detmath.h"
#include "extras/serial/serial_network.h"
#include "kernels/schedule/noise/noise.h"

#include <math.h>
#include <string.h>

enum { EPISODES_PER_UPDATE = 10, EPOCHS = 4, POLLED_STEPS = POLL_STEPS };

static const double rate = 3e-4, discount = 0.99, clip = 0.2, value_weight = 0.5;

// What is kept of a decision. The state follows from the actions and durations before it.
struct sample {
    int32_t action;
    double duration, reward;
    double log_probability; // before the update, of the softmax over all operations
    double normalised; // discounted sum of rewards, over the buffer with mean 0 and deviation 1
};

struct serial_learner {
    struct serial_problem problem;
    struct serial_environment environment;
    struct serial_network policy, value;
    size_t n_policy, n; // parameters of the policy, of both networks
    double *parameter, *gradient, *moment[2];
    double corrections[2]; // 0.9^t, 0.999^t after t updates of the parameters
    double *state, *probability;
    struct sample *sample; // [EPISODES_PER_UPDATE * operations]
    int32_t n_samples;
    double reward;
    uint64_t seed;
    uint32_t decisions;
};

struct serial_learner *serial_learner_take(const struct serial_problem *problem,
                                           struct room *room)
{
    const size_t operations = (size_t)serial_operations(problem);
    const int32_t inputs = serial_state_length(problem);
    struct serial_learner counted, *taken = room_take(room, 1, sizeof *taken);
    struct serial_learner *l = taken != NULL ? taken : &counted;
    *l = (struct serial_learner){.problem = *problem};
    serial_environment_take(&l->environment, problem, room);
    l->n_policy = serial_network_take(&l->policy, inputs, (int32_t)operations, room);
    l->n = l->n_policy + serial_network_take(&l->value, inputs, 1, room);
    l->parameter = room_take(room, l->n, sizeof(double));
    l->gradient = room_take(room, l->n, sizeof(double));
    for (int k = 0; k < 2; k++)
        l->moment[k] = room_take(room, l->n, sizeof(double));
    l->state = room_take(room, (size_t)inputs, sizeof(double));
    l->probability = room_take(room, operations, sizeof(double));
    l->sample = room_take(room, EPISODES_PER_UPDATE * operations, sizeof *l->sample);
    return taken;
}

// ---- decisions ----------------------------------------------------------------------------------

// Runs the policy. Returns the logarithm of the sum of exp(score) over all operations.
static double score_all(struct serial_learner *l, const double **score)
{
    const int32_t n = serial_operations(&l->problem);
    serial_environment_state(&l->environment, l->state);
    const double *s = *score = serial_network_run(&l->policy, l->parameter, l->state);
    double most = s[0], sum = 0;
    for (int32_t i = 1; i < n; i++)
        most = s[i] > most ? s[i] : most;
    for (int32_t i = 0; i < n; i++)
        sum += l->probability[i] = detmath_exp(s[i] - most);
    for (int32_t i = 0; i < n; i++)
        l->probability[i] /= sum;
    return most + detmath_log(sum);
}

// Draws an action from the softmax over the operations that are ready.
static int32_t sample_action(struct serial_learner *l, const double *score)
{
    const uint8_t *ready = l->environment.ready;
    const int32_t n = serial_operations(&l->problem);
    const struct noise_key key = {.kind = NOISE_OF_POLICY, .item = l->decisions++};
    double most = -(double)INFINITY, sum = 0;
    int32_t action = -1;
    for (int32_t i = 0; i < n; i++)
        most = ready[i] && score[i] > most ? score[i] : most;
    for (int32_t i = 0; i < n; i++)
        sum += ready[i] ? detmath_exp(score[i] - most) : 0;
    double left = noise_uniform(l->seed, &key, NOISE_JITTER) * sum;
    for (int32_t i = 0; i < n && (action < 0 || left >= 0); i++)
        if (ready[i]) {
            action = i;
            left -= detmath_exp(score[i] - most);
        }
    return action;
}

static void run_episode(struct serial_learner *l, struct serial_stream *stream,
                        struct sample *to)
{
    const int32_t n = serial_operations(&l->problem);
    serial_environment_start(&l->environment);
    l->reward = 0;
    for (int32_t i = 0; i < n; i++) {
        const double *score, total = score_all(l, &score);
        struct sample sample = {.action = sample_action(l, score)};
        sample.log_probability = score[sample.action] - total;
        sample.duration =
            serial_draw(&l->problem, (enum serial_type)(sample.action % SERIAL_TYPES), stream);
        sample.reward =
            serial_environment_step(&l->environment, sample.action, sample.duration);
        l->reward += sample.reward;
        to[i] = sample;
    }
}

// ---- updates ------------------------------------------------------------------------------------

static void find_returns(struct serial_learner *l)
{
    const int32_t n = serial_operations(&l->problem);
    double mean = 0, squares = 0, sum = 0;
    for (int32_t i = l->n_samples - 1; i >= 0; i--) {
        sum = l->sample[i].reward + (i % n == n - 1 ? 0 : discount * sum);
        l->sample[i].normalised = sum;
        mean += sum;
    }
    mean /= l->n_samples;
    for (int32_t i = 0; i < l->n_samples; i++)
        squares += (l->sample[i].normalised - mean) * (l->sample[i].normalised - mean);
    const double deviation = sqrt(squares / (l->n_samples - 1)) + 1e-8;
    for (int32_t i = 0; i < l->n_samples; i++)
        l->sample[i].normalised = (l->sample[i].normalised - mean) / deviation;
}

// Adds the gradient of the loss of one decision:
// -min(r A, clamp(r) A) + value_weight (V - R)^2 with A = R - V, of which V is not a constant.
static void add_sample(struct serial_learner *l, const struct sample *sample)
{
    const int32_t n = serial_operations(&l->problem);
    const double *score, total = score_all(l, &score);
    const double value = *serial_network_run(&l->value, l->parameter + l->n_policy, l->state),
                 advantage = sample->normalised - value,
                 ratio = detmath_exp(score[sample->action] - total - sample->log_probability),
                 clamped = fmin(fmax(ratio, 1 - clip), 1 + clip);
    const bool free = ratio * advantage <= clamped * advantage;
    const double dlog = free ? -ratio * advantage / l->n_samples : 0;
    for (int32_t i = 0; i < n && free; i++)
        l->probability[i] = dlog * ((i == sample->action) - l->probability[i]);
    if (free)
        serial_network_gradient(&l->policy, l->parameter, l->state, l->probability,
                                l->gradient);
    const double dvalue =
        ((free ? ratio : clamped) - 2 * value_weight * advantage) / l->n_samples;
    serial_network_gradient(&l->value, l->parameter + l->n_policy, l->state, &dvalue,
                            l->gradient + l->n_policy);
}

static void change_parameters(struct serial_learner *l)
{
    l->corrections[0] *= 0.9;
    l->corrections[1] *= 0.999;
    const double step = rate * sqrt(1 - l->corrections[1]) / (1 - l->corrections[0]);
    dense_fastest()->adam((int)l->n, l->gradient, 1, step, l->moment[0], l->moment[1],
                          l->parameter);
}

// Returns false if the poll ended the update.
static bool update(struct serial_learner *l, struct poll *poll)
{
    const int32_t n = serial_operations(&l->problem);
    find_returns(l);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        memset(l->gradient, 0, l->n * sizeof *l->gradient);
        for (int32_t i = 0; i < l->n_samples; i++) {
            const struct sample *sample = &l->sample[i];
            if (i % n == 0)
                serial_environment_start(&l->environment);
            add_sample(l, sample);
            serial_environment_step(&l->environment, sample->action, sample->duration);
            if (poll_over_after(poll, POLLED_STEPS))
                return false;
        }
        change_parameters(l);
    }
    l->n_samples = 0;
    return true;
}

// ---- the learner --------------------------------------------------------------------------------

bool serial_learner_train(struct serial_learner *l, uint64_t seed, int32_t episodes,
                          struct serial_stream *stream, struct poll *poll)
{
    serial_network_start(&l->policy, seed, 0, l->parameter);
    serial_network_start(&l->value, seed, 1, l->parameter + l->n_policy);
    for (int k = 0; k < 2; k++) {
        memset(l->moment[k], 0, l->n * sizeof(double));
        l->corrections[k] = 1;
    }
    l->seed = seed;
    l->decisions = 0;
    l->n_samples = 0;
    for (int32_t episode = 0; episode < episodes; episode++) {
        run_episode(l, stream, l->sample + l->n_samples);
        l->n_samples += serial_operations(&l->problem);
        if (poll_over_after(poll, POLLED_STEPS) ||
            (episode % EPISODES_PER_UPDATE == 0 && !update(l, poll)))
            return false;
    }
    return true;
}

struct serial_result serial_learner_run(struct serial_learner *l, struct serial_stream *stream,
                                        double *work, int32_t *order)
{
    run_episode(l, stream, l->sample);
    l->n_samples = 0;
    memcpy(work, l->environment.load, (size_t)l->problem.devices * sizeof *work);
    for (int32_t i = 0; i < serial_operations(&l->problem) && order != NULL; i++)
        order[i] = l->sample[i].action;
    return serial_result_of(&l->problem, l->environment.clock, work);
}

double serial_learner_reward(const struct serial_learner *l)
{
    return l->reward;
}

const double *serial_learner_parameters(const struct serial_learner *l, size_t *n)
{
    *n = l->n;
    return l->parameter;
}
