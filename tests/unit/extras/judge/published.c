// SPDX-License-Identifier: Apache-2.0
// The experiment of the published project.
#include "extras/judge/published.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { TRIALS = 3, LEVELS = 2 };

static const double level[LEVELS] = {0, 0.3};

static struct published_request small_request(void)
{
    struct published_request request = {.problem = serial_defaults(),
                                        .level = level,
                                        .n_levels = LEVELS,
                                        .trials = TRIALS,
                                        .episodes = 11,
                                        .seed = 42};
    request.problem.devices = 2;
    request.problem.micro_batches = 3;
    return request;
}

// The same bits with 1, 2 and 7 threads; at level 0 both schedulers take the sum of all durations. Catches
// numbers that depend on the thread, and trials that share memory.
Test(published, threads_change_nothing)
{
    const struct published_request request = small_request();
    atomic_bool stop = false;
    struct published_trial one[LEVELS * TRIALS] = {{.greedy = 0}};
    struct pps_error err;
    cr_assert_eq(published_run(&request, 1, &stop, one, &err), PPS_OK);
    for (int threads = 2; threads <= 7; threads += 5) {
        struct published_trial again[LEVELS * TRIALS] = {{.greedy = 0}};
        cr_assert_eq(published_run(&request, threads, &stop, again, &err), PPS_OK);
        cr_assert_arr_eq(again, one, sizeof one, "%d threads", threads);
    }
    for (int i = 0; i < TRIALS; i++) {
        cr_assert_float_eq(one[i].greedy, 6 * 121.6, 1e-9);
        cr_assert_float_eq(one[i].learned, 6 * 121.6, 1e-9);
        cr_assert_neq(one[TRIALS + i].greedy, one[TRIALS + i].learned);
        cr_assert_neq(one[TRIALS + i].greedy, one[TRIALS + (i + 1) % TRIALS].greedy);
    }
}

// A stop ends the experiment without a result.
Test(published, stops)
{
    const struct published_request request = small_request();
    atomic_bool stop = true;
    struct published_trial trials[LEVELS * TRIALS] = {{.greedy = 0}};
    struct pps_error err;
    cr_assert_eq(published_run(&request, 2, &stop, trials, &err), PPS_E_STOPPED);
}
