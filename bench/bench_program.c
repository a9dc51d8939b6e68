// SPDX-License-Identifier: Apache-2.0
// Speed of the solver of the pipeline program: time to the proven optimum of programs of the size
// that is asked for in practice, nodes, and the optimum; 1F1B of growing size; the closed form of
// 1F1B against the executor. One JSON line a measurement, CPU time, the least of several runs.
// Not a test: a slow machine is no failure, a wrong optimum is.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system/machine.h"
#include "kernels/common/interleaved/one_f_one_b.h"
#include "kernels/common/interleaved/timed_order.h"
#include "kernels/common/search/solve.h"

#define RUNS 7

// ---- programs -----------------------------------------------------------------------------------

static const struct nd_figures small_layers = {415, 415, 672, 30,   30,   142,  493,
                                               493, 673, 869, 2111, 6704, 2377, 7986};
static const struct nd_figures large_layers = {400, 400, 765, 30,    30,   30,   479,
                                               479, 765, 866, 10691, 3383, 2382, 8675};

struct instance {
    const char *name;
    int32_t stages, chunks, micro_batches, layers[2];
    double layer_ratio, backward_ratio, head_ratio, full_growth;
    const struct nd_figures *memory;
    double budgets[3];
    bool low_mem, allow_select;
    double hop;
    double optimum; // as other solvers found it; 0: not known
};

// The first seven programs are the programs of the golden files (tests/golden/ndsearch), in
// published bounds.
static const struct instance instances[] = {
    {"dsv3_p16_m64",
     16,
     1,
     64,
     {3, 59},
     .397,
     1.839,
     1.5,
     1,
     &large_layers,
     {51913, 52914, 46621},
     true,
     false,
     0,
     1132.662249},
    {"moe_p8_m64",
     8,
     1,
     64,
     {3, 59},
     .3,
     2,
     1.5,
     1,
     &small_layers,
     {23296, 27623, 22014},
     true,
     false,
     0,
     2101.6},
    {"dsv3_p4_m60",
     4,
     1,
     60,
     {3, 59},
     .71,
     1.627,
     1.5,
     .71,
     &small_layers,
     {48592, 52919, 47310},
     true,
     false,
     0,
     2889.06881},
    {"moe_p4_m16",
     4,
     1,
     16,
     {3, 24},
     .33,
     2,
     1.5,
     1,
     &small_layers,
     {26296, 30623, 25014},
     true,
     false,
     0,
     394.96},
    {"select_p4",
     4,
     1,
     8,
     {2, 22},
     .4,
     2,
     1.5,
     1,
     &small_layers,
     {20296, 24623, 19014},
     true,
     true,
     0,
     219},
    {"moe_p4_v2_low",
     4,
     2,
     8,
     {2, 22},
     .4,
     1.8,
     1.2,
     .9,
     &small_layers,
     {33296, 37623, 32014},
     true,
     false,
     0,
     163.52},
    {"moe_p4_v2",
     4,
     2,
     8,
     {2, 22},
     .4,
     1.8,
     1.2,
     .9,
     &small_layers,
     {33296, 37623, 32014},
     false,
     false,
     0,
     0},
    {"p8_v2",
     8,
     2,
     32,
     {3, 45},
     .4,
     1.8,
     1.2,
     .9,
     &small_layers,
     {33296, 37623, 32014},
     false,
     false,
     0,
     0},
    {"p8_v2_dense",
     8,
     2,
     32,
     {0, 64},
     1,
     2,
     1.5,
     1,
     &small_layers,
     {42000, 46000, 40000},
     false,
     false,
     0,
     0},
    {"p4_v3",
     4,
     3,
     16,
     {3, 33},
     .4,
     1.8,
     1.2,
     .9,
     &small_layers,
     {33296, 37623, 32014},
     false,
     false,
     0,
     0},
    {"p16_m64_hop",
     16,
     1,
     64,
     {3, 59},
     .397,
     1.839,
     1.5,
     1,
     &large_layers,
     {51913, 52914, 46621},
     true,
     false,
     0.05,
     0},
};

static struct nd_program program_of(const struct instance *i)
{
    struct nd_program p;
    nd_program_default(&p);
    p.stages = i->stages;
    p.chunks = i->chunks;
    p.micro_batches = i->micro_batches;
    p.layers[0] = i->layers[0];
    p.layers[1] = i->layers[1];
    p.layer_ratio = i->layer_ratio;
    p.backward_ratio = i->backward_ratio;
    p.head_ratio = i->head_ratio;
    p.full_growth = i->full_growth;
    p.memory = *i->memory;
    p.budget_first = i->budgets[0];
    p.budget_middle = i->budgets[1];
    p.budget_last = i->budgets[2];
    p.low_mem = i->low_mem;
    p.allow_select = i->allow_select;
    p.hop = i->hop;
    return p;
}

// Solves over and over for a while, ten seconds a time at most.
static bool measure(const char *name, const struct nd_program *p, double optimum)
{
    const struct nd_effort effort = {.max_seconds = 10, .seconds = pps_wall_seconds};
    struct nd_solution solution;
    double least = HUGE_VAL;
    for (int run = 0; run < RUNS && (run == 0 || least < 1); run++) {
        const double start = pps_cpu_seconds();
        if (nd_solve(p, &effort, &solution) != ND_DONE)
            return false;
        least = fmin(least, pps_cpu_seconds() - start);
        if (run + 1 < RUNS && least < 1)
            nd_solution_free(&solution);
    }
    const bool right =
        optimum == 0 || fabs(solution.objective - optimum) <= 1e-6 * solution.objective;
    printf("{\"name\":\"program\",\"case\":\"%s\",\"stages\":%d,\"chunks\":%d,"
           "\"micro_batches\":%d,\"layers\":%d,\"status\":\"%s\",\"ms\":%.3f,\"nodes\":%llu,"
           "\"objective\":%.9g,\"gap\":%.3g,\"optimum\":\"%s\"}\n",
           name, p->stages, p->chunks, p->micro_batches, p->layers[0] + p->layers[1],
           nd_status_name(solution.status), 1e3 * least, (unsigned long long)solution.nodes,
           solution.objective, solution.gap,
           optimum == 0 ? "not known elsewhere"
           : right      ? "agrees"
                        : "differs");
    nd_solution_free(&solution);
    return right;
}

// 1F1B with as many layers a stage as in the first case.
static bool grow(int32_t stages)
{
    struct nd_program p = program_of(&instances[0]);
    char name[32];
    p.stages = stages;
    p.micro_batches = 4 * stages;
    p.layers[1] = 4 * stages - 5;
    p.budget_first += 765.0 * (stages - 16); // more in flight
    p.budget_middle += 765.0 * (stages - 16);
    snprintf(name, sizeof name, "growth_p%d", stages);
    return measure(name, &p, 0);
}

// ---- values -------------------------------------------------------------------------------------

static bool compare(int32_t stages, int32_t m)
{
    enum { TIMES = 2000 };
    const struct orders_shape shape = {stages, 1, m, 1, ORDERS_LOW, 0};
    double *durations = malloc(2 * (size_t)stages * sizeof *durations);
    double closed = HUGE_VAL, executed = HUGE_VAL, of_closed = 0, of_order = 0;
    struct timed_order timed;
    bool done = timed_order_build(&timed, &shape, false, NULL) && durations != NULL;
    for (int32_t i = 0; done && i < 2 * stages; i++)
        durations[i] = i < stages ? 1 + i % 3 : 2 + i % 3;
    for (int run = 0; done && run < RUNS; run++) {
        const double start = pps_cpu_seconds();
        of_closed = of_order = 0;
        for (int k = 0; k < TIMES; k++) {
            durations[k % stages] = 1 + (k + 1) * 0.001;
            of_closed += onefb_makespan(stages, m, durations, durations + stages);
        }
        for (int32_t i = 0; i < stages; i++)
            durations[i] = 1 + i % 3;
        const double middle = pps_cpu_seconds();
        for (int k = 0; k < TIMES; k++) {
            durations[k % stages] = 1 + (k + 1) * 0.001;
            (void)timed_order_set(&timed, durations, durations + stages);
            of_order += timed_order_run(&timed, NULL);
        }
        closed = fmin(closed, middle - start);
        executed = fmin(executed, pps_cpu_seconds() - middle);
        for (int32_t i = 0; i < stages; i++)
            durations[i] = 1 + i % 3;
    }
    done = done && fabs(of_closed - of_order) <= 1e-12 * of_order;
    printf("{\"name\":\"makespan\",\"stages\":%d,\"micro_batches\":%d,\"closed_ns\":%.0f,"
           "\"executor_ns\":%.0f,\"executor_ns_per_operation\":%.2f,\"results\":\"%s\"}\n",
           stages, m, 1e9 * closed / TIMES, 1e9 * executed / TIMES,
           1e9 * executed / TIMES / (2.0 * stages * m), done ? "agree" : "differ");
    timed_order_free(&timed);
    free(durations);
    return done;
}

int main(void)
{
    bool right = true;
    for (size_t k = 0; k < sizeof instances / sizeof *instances; k++) {
        const struct nd_program p = program_of(&instances[k]);
        right = measure(instances[k].name, &p, instances[k].optimum) && right;
    }
    for (int32_t stages = 8; stages <= 64; stages *= 2)
        right = grow(stages) && right;
    for (int32_t m = 16; m <= 256; m *= 4)
        right = compare(16, m) && right;
    return right ? 0 : 1;
}
