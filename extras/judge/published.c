// SPDX-License-Identifier: Apache-2.0
// Runs the trials of the published project on several threads.
#include "extras/judge/published.h"

#include "base/system/threads.h"
#include "extras/serial/serial_learner.h"

#include <stdlib.h>

struct job {
    const struct published_request *request;
    const atomic_bool *stop;
    struct published_trial *trials;
    atomic_int next;
};

// ---- one trial ----------------------------------------------------------------------------------

struct memory {
    struct serial_greedy *greedy;
    struct serial_learner *learner;
    double *work;
};

static void take(struct memory *memory, const struct serial_problem *problem, struct room *room)
{
    memory->greedy = serial_greedy_take(problem, room);
    memory->learner = serial_learner_take(problem, room);
    memory->work = room_take(room, (size_t)problem->devices, sizeof(double));
}

static bool is_stopped(void *self)
{
    return atomic_load_explicit((const atomic_bool *)self, memory_order_relaxed);
}

// Runs one step of the policy before training, with numbers of its own.
static double reward_before(struct memory *memory, uint64_t seed)
{
    struct serial_stream own = {.seed = ~seed};
    if (serial_learner_train(memory->learner, seed, 0, &own, NULL))
        serial_learner_run(memory->learner, &own, memory->work, NULL);
    return serial_learner_reward(memory->learner);
}

static void run_trial(const struct job *job, struct memory *memory, int index)
{
    const struct published_request *request = job->request;
    struct published_trial *trial = &job->trials[index];
    struct poll poll = {.over = is_stopped, .self = (void *)(uintptr_t)job->stop};
    const uint64_t seed = request->seed + (uint64_t)(index % request->trials);
    struct serial_stream stream = {.seed = seed};
    struct serial_problem problem = request->problem;
    problem.level = request->level[index / request->trials];
    struct serial_result result =
        serial_greedy_run(memory->greedy, &problem, &stream, memory->work, NULL);
    trial->greedy = result.total;
    trial->bubble[0] = result.bubble;
    trial->reward[0] = reward_before(memory, seed);
    trial->stopped =
        !serial_learner_train(memory->learner, seed, request->episodes, &stream, &poll);
    if (trial->stopped)
        return;
    result = serial_learner_run(memory->learner, &stream, memory->work, NULL);
    trial->learned = result.total;
    trial->bubble[1] = result.bubble;
    trial->reward[1] = serial_learner_reward(memory->learner);
}

static void run_in(const struct job *job, int index)
{
    struct serial_problem problem = job->request->problem;
    struct memory memory;
    struct room room = {NULL, 0};
    problem.level = job->request->level[index / job->request->trials];
    take(&memory, &problem, &room);
    char *bytes = room.used == SIZE_MAX ? NULL : aligned_alloc(ROOM_ALIGNMENT, room.used);
    job->trials[index].out_of_memory = bytes == NULL;
    if (bytes == NULL)
        return;
    room = (struct room){bytes, 0};
    take(&memory, &problem, &room);
    run_trial(job, &memory, index);
    free(bytes);
}

// ---- all trials ---------------------------------------------------------------------------------

static void work(void *self, int thread)
{
    (void)thread;
    struct job *job = self;
    const int n = job->request->n_levels * job->request->trials;
    for (int i; (i = atomic_fetch_add(&job->next, 1)) < n;)
        run_in(job, i);
}

enum pps_status published_run(const struct published_request *request, int threads,
                              const atomic_bool *stop, struct published_trial *trials,
                              struct pps_error *err)
{
    struct job job = {.request = request, .stop = stop, .trials = trials};
    const int n = request->n_levels * request->trials;
    atomic_init(&job.next, 0);
    const enum pps_status status = pps_parallel(threads < n ? threads : n, work, &job, err);
    if (status != PPS_OK)
        return status;
    for (int i = 0; i < n; i++) {
        if (trials[i].out_of_memory)
            return pps_fail_memory(err, "the networks of %d operations",
                                   serial_operations(&request->problem));
        if (trials[i].stopped)
            return pps_fail(err, PPS_E_STOPPED, "stopped; nothing was written");
    }
    return PPS_OK;
}

enum pps_status published_quiet(const struct published_request *request,
                                struct serial_result *result, struct pps_error *err)
{
    const struct serial_problem *problem = &request->problem; // without level
    struct serial_stream stream = {.seed = request->seed};
    struct room room = {NULL, 0};
    (void)serial_greedy_take(problem, &room);
    char *memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    double *busy = calloc((size_t)problem->devices, sizeof *busy);
    enum pps_status status = PPS_OK;
    if (memory == NULL || busy == NULL) {
        status = pps_fail_memory(err, "%d operations", serial_operations(problem));
    } else {
        room = (struct room){memory, 0};
        *result =
            serial_greedy_run(serial_greedy_take(problem, &room), problem, &stream, busy, NULL);
    }
    free(memory);
    free(busy);
    return status;
}

enum pps_status published_judge(const struct published_request *request, int threads,
                                const atomic_bool *stop, struct pps_error *err)
{
    const size_t n = (size_t)request->n_levels * (size_t)request->trials;
    struct published_trial *trials = calloc(n, sizeof *trials);
    if (trials == NULL)
        return pps_fail_memory(err, "%zu trials", n);
    enum pps_status status = published_run(request, threads, stop, trials, err);
    if (status == PPS_OK)
        status = published_show(request, trials, err);
    free(trials);
    return status;
}
