// SPDX-License-Identifier: Apache-2.0
// The functions of the C library that plan training steps.
#include "engine/command/arguments.h"
#include "engine/library/errors.h"
#include "kernels/common/plan/room.h"
#include "planner/dynapipe/plan_batch.h"
#include "ppsweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)PPSWEEP_BACKWARD == (int)INSTRUCTION_B &&
                   (int)PPSWEEP_RECEIVED_GRADIENT == (int)INSTRUCTION_RGF,
               "the public kinds of instructions are those of the kernel");

// The memory of a call, used by one call after the other.
struct planner_room {
    struct plan_batch_room room;
    struct planner_room *next;
};

struct ppsweep_planner {
    struct dynaplan_request request;
    pthread_mutex_t lock; // of `idle`
    struct planner_room *idle;
};

// ---- planners -------------------------------------------------------------------------------------

static const struct pps_opt options_of_planners[] = {DYNAPLAN_OPTIONS, {NULL, 0, NULL, NULL}};

static const struct pps_command command = {
    .name = "planner",
    .summary = "",
    .usage = "OPTIONS",
    .options = options_of_planners,
    .min_words = 0,
    .max_words = 0,
};

// Reads the options. The parser of command lines is not made for several threads.
static enum pps_status open_request(struct dynaplan_request *request, int n, char **words,
                                    struct pps_error *err)
{
    static pthread_mutex_t parser = PTHREAD_MUTEX_INITIALIZER;
    struct pps_args *args;
    bool done;
    pthread_mutex_lock(&parser);
    enum pps_status status =
        pps_args_parse(&args, &command, NULL, "ppsweep", n, words, &done, err);
    pthread_mutex_unlock(&parser);
    if (status == PPS_OK &&
        (pps_arg(args, "costs") == NULL || pps_arg(args, "cluster") == NULL))
        status = pps_fail(err, PPS_E_INPUT, "a planner needs --costs and --cluster");
    if (status == PPS_OK)
        status = dynaplan_request_open(request, args, err);
    pps_args_free(args);
    return status;
}

int ppsweep_planner_open(struct ppsweep_planner **planner, const char *const *options,
                         struct ppsweep_error *error)
{
    struct pps_error err;
    int n = 1;
    *planner = NULL;
    if (options == NULL)
        return pps_library_fail(error, PPSWEEP_E_CALL, "options: must not be NULL");
    for (; options[n - 1] != NULL; n++)
        if (strcmp(options[n - 1], "--help") == 0 || strcmp(options[n - 1], "-h") == 0)
            return pps_library_fail(error, PPSWEEP_E_INPUT, "a planner has no option --help");
    struct ppsweep_planner *p = calloc(1, sizeof *p);
    const char **words = calloc((size_t)n + 1, sizeof *words);
    enum pps_status status =
        p != NULL && words != NULL ? PPS_OK : pps_fail_memory(&err, "the planner");
    if (status == PPS_OK) {
        words[0] = command.name;
        memcpy(words + 1, options, (size_t)(n - 1) * sizeof *words);
        status = open_request(&p->request, n, (char **)(uintptr_t)words, &err);
    }
    free(words);
    if (status != PPS_OK) {
        if (p != NULL)
            dynaplan_request_close(&p->request);
        free(p);
        return pps_library_error(error, &err);
    }
    pthread_mutex_init(&p->lock, NULL);
    *planner = p;
    return PPSWEEP_OK;
}

void ppsweep_planner_close(struct ppsweep_planner *planner)
{
    if (planner == NULL)
        return;
    while (planner->idle != NULL) {
        struct planner_room *room = planner->idle;
        planner->idle = room->next;
        plan_batch_room_free(&room->room);
        free(room);
    }
    pthread_mutex_destroy(&planner->lock);
    dynaplan_request_close(&planner->request);
    free(planner);
}

static struct planner_room *take_idle(struct ppsweep_planner *planner)
{
    pthread_mutex_lock(&planner->lock);
    struct planner_room *room = planner->idle;
    if (room != NULL)
        planner->idle = room->next;
    pthread_mutex_unlock(&planner->lock);
    return room != NULL ? room : calloc(1, sizeof *room);
}

static void give_back(struct ppsweep_planner *planner, struct planner_room *room)
{
    pthread_mutex_lock(&planner->lock);
    room->next = planner->idle;
    planner->idle = room;
    pthread_mutex_unlock(&planner->lock);
}

// ---- plans ----------------------------------------------------------------------------------------

// The arrays of a plan that are filled.
struct arrays {
    struct ppsweep_plan *plan;
    int32_t *first, *rows, *input, *target, *sample_first, *sample, *row, *instruction_first;
    unsigned char *recompute;
    struct ppsweep_instruction *instruction;
};

static int32_t instructions_of(const struct planned_step *step)
{
    int32_t n = 0;
    for (int32_t k = 0; k < step->n; k++)
        for (int32_t d = 0; d < step->instructions[k].devices; d++)
            n += step->instructions[k].n[d];
    return n;
}

static void take(const struct planned *p, struct arrays *a, struct room *room)
{
    const size_t n = (size_t)p->figures.micro_batches, samples = (size_t)p->figures.samples,
                 lists = (size_t)p->step.n * (size_t)p->step.setup->pipeline.devices;
    a->plan = room_take(room, 1, sizeof *a->plan);
    a->first = room_take(room, (size_t)p->step.n + 1, sizeof *a->first);
    a->rows = room_take(room, n, sizeof *a->rows);
    a->input = room_take(room, n, sizeof *a->input);
    a->target = room_take(room, n, sizeof *a->target);
    a->sample_first = room_take(room, n + 1, sizeof *a->sample_first);
    a->sample = room_take(room, samples, sizeof *a->sample);
    a->row = room_take(room, samples, sizeof *a->row);
    a->recompute = room_take(room, n * (size_t)p->step.setup->pipeline.stages, 1);
    a->instruction_first = room_take(room, lists + 1, sizeof *a->instruction_first);
    a->instruction = room_take(room, (size_t)instructions_of(&p->step), sizeof *a->instruction);
}

// Writes micro-batch m of the plan, at a position of a replica.
static void put_micro_batch(const struct planned_step *step, const struct step_replica *r,
                            int32_t position, int32_t m, struct arrays *a)
{
    const int32_t own = r->answer.order[position], stages = step->setup->pipeline.stages;
    const struct split_result *split = step_divided(step->division).split;
    const struct split_group *group = &split->groups[r->group[own]];
    const int32_t begin = split->start[r->group[own]],
                  n = split->start[r->group[own] + 1] - begin, to = a->sample_first[m];
    a->rows[m] = group->rows;
    a->input[m] = group->input;
    a->target[m] = group->target;
    a->sample_first[m + 1] = to + n;
    memcpy(a->sample + to, split->order + begin, (size_t)n * sizeof *a->sample);
    memcpy(a->row + to, split->row + begin, (size_t)n * sizeof *a->row);
    memcpy(a->recompute + (int64_t)m * stages, r->answer.recompute + (int64_t)own * stages,
           (size_t)stages);
}

static void put_instructions(const struct instructions *in, int32_t list, struct arrays *a)
{
    for (int32_t d = 0; d < in->devices; d++) {
        int32_t to = a->instruction_first[list + d];
        for (int32_t k = 0; k < in->n[d]; k++) {
            const struct instruction *i = instruction_at(in, d, k);
            a->instruction[to++] = (struct ppsweep_instruction){
                i->kind,   i->micro_batch,
                i->stage,  i->peer,
                i->slots,  {i->slots > 0 ? i->slot[0] : -1, i->slots > 1 ? i->slot[1] : -1},
                i->tensors};
        }
        a->instruction_first[list + d + 1] = to;
    }
}

static void put(const struct planned *p, struct arrays *a)
{
    const struct step_figures *f = &p->figures;
    int32_t m = 0;
    a->first[0] = a->sample_first[0] = a->instruction_first[0] = 0;
    for (int32_t k = 0; k < p->step.n; k++) {
        for (int32_t i = 0; i < p->step.replicas[k].count; i++)
            put_micro_batch(&p->step, &p->step.replicas[k], i, m++, a);
        a->first[k + 1] = m;
        put_instructions(&p->step.instructions[k], k * p->step.instructions[k].devices, a);
    }
    *a->plan = (struct ppsweep_plan){.makespan_ms = f->makespan / 1000,
                                     .bound_ms = f->least / 1000,
                                     .peak_mb = f->peak,
                                     .planning_s = p->seconds,
                                     .evaluations = f->evaluations,
                                     .method = p->method,
                                     .mode = p->mode,
                                     .replicas = p->step.n,
                                     .devices = p->step.setup->pipeline.devices,
                                     .stages = p->step.setup->pipeline.stages,
                                     .micro_batches = m,
                                     .samples = (int)f->samples,
                                     .first = a->first,
                                     .rows = a->rows,
                                     .input = a->input,
                                     .target = a->target,
                                     .sample_first = a->sample_first,
                                     .sample = a->sample,
                                     .row = a->row,
                                     .recompute = a->recompute,
                                     .instruction_first = a->instruction_first,
                                     .instruction = a->instruction};
}

// Copies a plan to memory of its own, whose first struct is *plan.
static bool copy(const struct planned *p, const struct ppsweep_plan **plan)
{
    struct arrays arrays;
    struct room room = {NULL, 0};
    take(p, &arrays, &room);
    room = (struct room){aligned_alloc(ROOM_ALIGNMENT, room.used), 0};
    if (room.memory == NULL)
        return false;
    take(p, &arrays, &room);
    put(p, &arrays);
    *plan = arrays.plan;
    return true;
}

// Fills the lists of a batch that the caller does not give. Returns the memory.
static int32_t *fill_lists(const struct ppsweep_batch *from, struct batch *batch)
{
    const size_t n = from->n > 0 ? (size_t)from->n : 1;
    int32_t *memory = malloc(2 * n * sizeof *memory);
    if (memory == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        memory[i] = 0;
        memory[n + i] = -1;
    }
    *batch = (struct batch){
        .name = "0",
        .count = from->n,
        .input = (int32_t *)(uintptr_t)from->input,
        .target = from->target != NULL ? (int32_t *)(uintptr_t)from->target : memory + n,
        .rows = from->rows != NULL ? (int32_t *)(uintptr_t)from->rows : memory};
    return memory;
}

static bool is_valid(const struct ppsweep_batch *b, struct ppsweep_error *error)
{
    if (b->n < 0 || (b->n > 0 && b->input == NULL)) {
        pps_library_fail(error, PPSWEEP_E_INPUT, "%d samples without lengths", b->n);
        return false;
    }
    for (int i = 0; i < b->n; i++)
        if (b->input[i] < 0 || b->input[i] > SPLIT_LENGTH_MAX ||
            (b->target != NULL && (b->target[i] < 0 || b->target[i] > SPLIT_LENGTH_MAX)) ||
            (b->rows != NULL && (b->rows[i] < 1 || b->rows[i] > SPLIT_LENGTH_MAX))) {
            pps_library_fail(error, PPSWEEP_E_INPUT,
                             "sample %d: lengths are numbers from 0 to %d, rows from 1", i,
                             SPLIT_LENGTH_MAX);
            return false;
        }
    return true;
}

int ppsweep_plan_batch(struct ppsweep_planner *planner, const struct ppsweep_batch *batch,
                       const struct ppsweep_stop *stop, const struct ppsweep_plan **plan,
                       struct ppsweep_error *error)
{
    struct batch own;
    struct planned planned = {.outcome = PLANNED_NO_MEMORY};
    *plan = NULL;
    if (planner == NULL || batch == NULL)
        return pps_library_fail(error, PPSWEEP_E_CALL, "planner, batch: must not be NULL");
    if (!pps_library_size(batch->size, sizeof *batch, "ppsweep_batch", error))
        return PPSWEEP_E_CALL;
    if (!is_valid(batch, error))
        return PPSWEEP_E_INPUT;
    struct planner_room *room = take_idle(planner);
    int32_t *lists = fill_lists(batch, &own);
    if (room != NULL && lists != NULL)
        plan_batch(&planner->request, &own, false, &room->room, pps_library_stop(stop),
                   &planned);
    if (planned.outcome == PLANNED && !copy(&planned, plan))
        planned.outcome = PLANNED_NO_MEMORY;
    free(lists);
    if (room != NULL)
        give_back(planner, room);
    switch (planned.outcome) {
    case PLANNED:
        return PPSWEEP_OK;
    case PLANNED_REFUSED:
        return pps_library_fail(error, PPSWEEP_E_INPUT, "%s", planned.reason);
    case PLANNED_INFEASIBLE:
        return pps_library_fail(error, PPSWEEP_E_INFEASIBLE, "%s", planned.reason);
    case PLANNED_STOPPED:
        return pps_library_fail(error, PPSWEEP_E_STOPPED, "stopped");
    case PLANNED_NO_MEMORY:
        break;
    }
    return pps_library_fail(error, PPSWEEP_E_MACHINE, "out of memory: the plan");
}

void ppsweep_plan_close(const struct ppsweep_plan *plan)
{
    free((void *)(uintptr_t)plan);
}
