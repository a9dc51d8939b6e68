// SPDX-License-Identifier: Apache-2.0
// ppsweep schedule learn: trains a policy for the operations of devices.
#include "extras/commands.h"

#include "base/document/json.h"
#include "base/text/say.h"
#include "engine/command/signals.h"
#include "extras/learn/learn.h"
#include "extras/learning/problem_json.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64, SAVE_S = 10 };

static const struct pps_opt options[] = {
    {"output", 'o', "POLICY", "write the policy to this JSON file"},
    {"problems", 0, "FILE",
     "JSON file with the ranges of training problems: model.md, Learning"},
    {"seed", 0, "N", "seed of weights, problems and exploration (1)"},
    {"trainer", 0, "NAME", "rollouts, ppo, or es: evolution of a simple policy (rollouts)"},
    {"episodes", 0, "N",
     "training steps of a pipeline, in batches of 512 (153600); ppo: 256; es: 2048"},
    {"width", 0, "N", "units of each hidden layer, a multiple of 8 (32; ppo: 64; es: 16)"},
    {"resume", 0, NULL, "continue a training that was stopped, if there is one"},
    {"time-limit", 't', "TIME", "stop after TIME, as in 90s, 5m, 1h30m; --resume continues"},
    {"threads", 'j', "N", "worker threads (all CPUs this process may use)"},
    {"force", 0, NULL, "overwrite POLICY, and start again if it has a state"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "The command trains networks that choose the next operation of a device. It starts from the\n"
    "rule PULL and keeps the networks with the best validation. If validation shows no gain,\n"
    "POLICY is PULL.\n"
    "\n"
    "  rollouts   take another operation in one decision, run the step to the end with the same\n"
    "             fluctuating times, and prefer operations that gain on average\n"
    "  ppo        proximal policy optimisation: explore, and compare each step with PULL\n"
    "  es         search the weights of the last layer and the threshold and lag of PULL, by the\n"
    "             cross-entropy method\n"
    "\n"
    "POLICY.state keeps the state of the training until the end. After an interruption, --resume\n"
    "gives the same bits as a training without one, with any number of threads. The learning\n"
    "curve is written to NAME-curve.csv, .png and .svg.\n"
    "\n"
    "  ppsweep schedule learn -o policy.json --seed 1\n"
    "  ppsweep schedule judge policy.json\n";

// ---- progress -----------------------------------------------------------------------------------

struct clock {
    double start, saved; // seconds
    int64_t first;       // batches at the start
    bool line;           // stderr is a terminal
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_over(void *self)
{
    const atomic_bool *stop = self;
    return atomic_load(stop);
}

static void show_batch(const struct learning *learning, const struct clock *clock,
                       const struct trainer_batch *batch)
{
    const int64_t batches = learning->options.batches;
    const double passed = seconds() - clock->start,
                 left = passed / (double)(batch->batch - clock->first) *
                        (double)(batches - batch->batch);
    if (clock->line)
        fprintf(stderr, "\r\033[K%5.1f %%  batch %lld of %lld, %+.2f %% of PULL, %.0f s left",
                100.0 * (double)batch->batch / (double)batches, (long long)batch->batch,
                (long long)batches, batch->mean, left);
    if (batch->validation.replicates == 0)
        return;
    if (clock->line)
        fputs("\r\033[K", stderr);
    printf("%9lld episodes  validation %+.3f +- %.3f %%  won %.0f %%, lost %.0f %%\n",
           (long long)batch->batch * trainer_episodes(&learning->options),
           batch->validation.mean, batch->validation.half_width, 100 * batch->validation.won,
           100 * batch->validation.lost);
    fflush(stdout);
}

// ---- the training -------------------------------------------------------------------------------

static enum pps_status stopped(struct learning *learning, struct pps_error *err)
{
    const enum pps_status status = learn_save(learning, err);
    if (status != PPS_OK)
        return status;
    return pps_fail(err, PPS_E_STOPPED, "stopped after %lld of %lld batches; to continue: %s",
                    (long long)trainer_batches(learning->trainer),
                    (long long)learning->options.batches, learning->resume_command);
}

static enum pps_status run_batches(struct learning *learning, struct pps_error *err)
{
    struct clock clock = {.start = seconds(),
                          .first = trainer_batches(learning->trainer),
                          .line = isatty(STDERR_FILENO) != 0};
    struct poll poll = {.over = is_over, .self = (void *)(uintptr_t)learning->stop};
    clock.saved = clock.start;
    while (trainer_batches(learning->trainer) < learning->options.batches) {
        struct trainer_batch batch;
        const bool done = trainer_run(learning->trainer, &poll, &batch);
        if (!done && clock.line)
            fputs("\r\033[K", stderr);
        if (!done)
            return stopped(learning, err);
        show_batch(learning, &clock, &batch);
        if (seconds() - clock.saved > SAVE_S) {
            const enum pps_status status = learn_save(learning, err);
            if (status != PPS_OK)
                return status;
            clock.saved = seconds();
        }
    }
    return PPS_OK;
}

static enum pps_status finish(struct learning *learning, struct pps_error *err)
{
    enum pps_status status = learn_write_policy(learning, err);
    if (status == PPS_OK)
        status = learn_write_curve(learning, err);
    if (status == PPS_E_STOPPED)
        return stopped(learning, err);
    if (status == PPS_OK)
        status = pps_record_log_remove(&learning->log, err);
    if (status != PPS_OK)
        return status;
    if (!learn_has_gain(learning))
        pps_say(
            stderr,
            "the networks are not faster than PULL on the validation problems: %s contains PULL",
            learning->policy);
    return PPS_OK;
}

static enum pps_status train(struct learning *learning, int threads, struct pps_error *err)
{
    learning->trainer = trainer_new(&learning->options, threads);
    if (learning->trainer == NULL)
        return pps_fail_memory(err, "the training");
    enum pps_status status = learn_begin(learning, err);
    if (status == PPS_OK)
        status = run_batches(learning, err);
    if (status == PPS_OK)
        status = finish(learning, err);
    if (status == PPS_E_MACHINE && access(learning->state, F_OK) == 0) {
        const size_t n = strlen(err->text);
        snprintf(err->text + n, sizeof err->text - n, "; to continue: %s",
                 learning->resume_command);
    }
    pps_record_log_close(&learning->log);
    trainer_free(learning->trainer);
    return status;
}

// ---- options ------------------------------------------------------------------------------------

static enum pps_status read_problems(struct learning *learning, struct pps_error *err)
{
    struct pps_json json;
    struct pps_fault fault;
    enum pps_status status = pps_json_load(&json, learning->problems, err);
    if (status != PPS_OK)
        return status;
    if (!problem_space_read(json.root, &learning->options.space, &fault))
        status = plan_fail_document(&json, &fault, err);
    pps_json_free(&json);
    return status;
}

static enum pps_status read_trainer(const struct pps_args *args, enum trainer_method *method,
                                    struct pps_error *err)
{
    const char *name = pps_arg(args, "trainer");
    for (int k = 0; k < TRAINER_METHODS; k++)
        if (name == NULL || strcmp(name, trainer_method_names[k]) == 0) {
            *method = (enum trainer_method)k;
            return PPS_OK;
        }
    return pps_fail(err, PPS_E_INPUT, "--trainer %s: expected rollouts, ppo or es", name);
}

static enum pps_status read_numbers(struct learning *learning, const struct pps_args *args,
                                    struct pps_error *err)
{
    uint64_t seed = 1, episodes = 153600, width = 0;
    enum trainer_method method = TRAINER_ROLLOUTS;
    enum pps_status status = read_trainer(args, &method, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "seed", 0, (UINT64_C(1) << 31) - 1, &seed, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "episodes", 1, 1 << 30, &episodes, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "width", 8, NETWORK_WIDTH_MAX, &width, err);
    if (status != PPS_OK)
        return status;
    learning->options = trainer_default(method, (int64_t)episodes);
    learning->options.seed = seed;
    for (int k = 0; k < 2 && width > 0; k++)
        learning->options.shape.width[k] = (int)width;
    return PPS_OK;
}

// A training that was stopped while it wrote its files has left both POLICY and the state. One that has ended
// has left only POLICY, which `resume` leaves as it is. Where a training goes on, its files are its own.
static enum pps_status check_policy(struct learning *learning, bool *complete,
                                    struct pps_error *err)
{
    const bool goes_on = learning->resume && access(learning->state, F_OK) == 0;
    *complete =
        learning->resume && !goes_on && !learning->gate.force && learn_is_complete(learning);
    if (*complete) {
        pps_say(stderr, "%s is complete", learning->policy);
        return PPS_OK;
    }
    learning->gate.force = learning->gate.force || goes_on;
    return learn_check_files(learning, err);
}

static enum pps_status read_options(struct learning *learning, const struct pps_args *args,
                                    struct pps_error *err)
{
    learning->policy = pps_arg(args, "output");
    learning->problems = pps_arg(args, "problems");
    learning->gate = *pps_arg_gate(args);
    learning->gate.maker.name = NULL; // a training of hours is never replaced without --force
    learning->resume = pps_arg(args, "resume") != NULL;
    if (learning->policy == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--output POLICY is missing: where to write the policy");
    enum pps_status status = read_numbers(learning, args, err);
    if (status == PPS_OK && learning->problems != NULL)
        status = read_problems(learning, err);
    const char *misfit = trainer_misfit(&learning->options);
    if (status == PPS_OK && misfit != NULL)
        status = pps_fail(err, PPS_E_INPUT, "%s", misfit);
    if (status == PPS_OK)
        status = learn_set_paths(learning, err);
    return status;
}

static enum pps_status learn_main(const struct pps_args *args, struct pps_error *err)
{
    struct learning learning = {.policy = NULL};
    uint64_t threads = 1;
    double limit_s = 0;
    enum pps_status status = read_options(&learning, args, err);
    if (status == PPS_OK)
        status = plan_arg_threads(args, THREADS_MAX, &threads, err);
    if (status == PPS_OK)
        status = pps_arg_duration(args, "time-limit", &limit_s, err);
    if (status != PPS_OK)
        return status;
    pps_arg_line_resume(args, learning.resume_command, sizeof learning.resume_command);
    bool complete = false;
    status = check_policy(&learning, &complete, err);
    if (status != PPS_OK || complete)
        return status;
    learning.stop = pps_signals_install();
    if (limit_s > 0)
        pps_signals_alarm(limit_s);
    return train(&learning, (int)threads, err);
}

const struct pps_command schedule_learn_command = {
    .name = "schedule learn",
    .summary = "train a policy that chooses operations while a step runs",
    .usage = "[options] -o POLICY",
    .details = details,
    .options = options,
    .max_words = 0,
    .main = learn_main,
};
