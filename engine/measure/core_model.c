// SPDX-License-Identifier: Apache-2.0
// Simulates events: the next worker is the one that finishes first, with the lowest number
// among equals. Workers act as in sweep_pool.c.
#include "engine/measure/core_model.h"

#include <math.h>
#include <stdlib.h>

enum doing { WAITING, FORETELLING, MAKING, PACKING, WRITING, GONE };

struct core {
    enum doing doing;
    double until;
    struct pps_task task;
};

struct model {
    const struct pps_work_schedule_plan *plan;
    const struct pps_corecosts *costs;
    struct pps_work_schedule *schedule;
    struct core *cores; // plan->threads
    double now, write_s;
    uint64_t bytes; // of blocks that wait to be written
    struct pps_coremodel *out;
};

static void set(struct model *m, struct core *core, enum doing doing, double seconds)
{
    core->doing = doing;
    core->until = m->now + seconds;
}

static void take(struct model *m, struct core *core)
{
    core->task = pps_work_schedule_take(m->schedule);
    switch (core->task.kind) {
    case PPS_TASK_END:
        set(m, core, GONE, 0);
        break;
    case PPS_TASK_WAIT:
        set(m, core, WAITING, HUGE_VAL);
        break;
    case PPS_TASK_FORETELL:
        set(m, core, FORETELLING, core->task.n * m->costs->foretell_s);
        break;
    case PPS_TASK_MAKE: {
        const double seconds = m->costs->make_s(m->costs->self, &core->task);
        m->out->made_s += seconds;
        set(m, core, MAKING, seconds);
        break;
    }
    }
}

// Lets all waiting workers ask for a task again.
static void wake(struct model *m)
{
    for (int c = 0; c < m->plan->threads; c++)
        if (m->cores[c].doing == WAITING)
            take(m, &m->cores[c]);
}

static void write_or_take(struct model *m, struct core *core)
{
    uint64_t block;
    if (!pps_work_schedule_write(m->schedule, &block)) {
        take(m, core);
        return;
    }
    const double seconds = m->costs->write_s(m->costs->self, block);
    m->write_s += seconds;
    core->task.block = block;
    set(m, core, WRITING, seconds);
}

static void foretold(struct model *m, struct core *core)
{
    struct pps_foretold foretold[PPS_MAX_FORETOLD];
    for (uint32_t i = 0; i < core->task.n; i++)
        foretold[i] = m->costs->foretold(m->costs->self, core->task.block + i);
    pps_work_schedule_foretold(m->schedule, core->task.block, core->task.n, foretold);
    wake(m);
    take(m, core);
}

static void made(struct model *m, struct core *core)
{
    if (core->task.n > 1 && !pps_work_schedule_part_made(m->schedule, core->task.block)) {
        take(m, core);
        return;
    }
    const double seconds = m->costs->pack_s(m->costs->self, core->task.block);
    m->out->made_s += seconds;
    set(m, core, PACKING, seconds);
}

static void packed(struct model *m, struct core *core)
{
    const uint64_t bytes = m->costs->bytes(m->costs->self, core->task.block);
    pps_work_schedule_made(m->schedule, core->task.block, bytes);
    m->bytes += bytes;
    if (m->bytes > m->out->most_bytes)
        m->out->most_bytes = m->bytes;
    write_or_take(m, core);
}

static void written(struct model *m, struct core *core)
{
    m->bytes -= m->costs->bytes(m->costs->self, core->task.block);
    pps_work_schedule_written(m->schedule);
    wake(m);
    write_or_take(m, core);
}

// Returns the core that finishes first, or NULL if all cores are gone.
static struct core *next_core(struct model *m)
{
    struct core *next = NULL;
    for (int c = 0; c < m->plan->threads; c++) {
        struct core *core = &m->cores[c];
        if (core->doing != GONE && (next == NULL || core->until < next->until))
            next = core;
    }
    return next;
}

static void go_on(struct model *m, struct core *core)
{
    switch (core->doing) {
    case FORETELLING:
        foretold(m, core);
        break;
    case MAKING:
        made(m, core);
        break;
    case PACKING:
        packed(m, core);
        break;
    case WRITING:
        written(m, core);
        break;
    case WAITING: // no other core is busy: the schedule is wrong
        abort();
    case GONE:
        break;
    }
}

static bool is_stopped(const atomic_bool *stop)
{
    return atomic_load_explicit(stop, memory_order_relaxed);
}

enum pps_status pps_coremodel_run(const struct pps_work_schedule_plan *plan,
                                  const struct pps_corecosts *costs, const atomic_bool *stop,
                                  struct pps_coremodel *out, struct pps_error *err)
{
    struct model m = {.plan = plan, .costs = costs, .out = out};
    struct core *core;
    *out = (struct pps_coremodel){.wall_s = 0};
    m.cores = calloc((size_t)plan->threads, sizeof *m.cores);
    enum pps_status status = pps_work_schedule_open(&m.schedule, plan, err);
    if (status == PPS_OK && m.cores == NULL)
        status = pps_fail_memory(err, "a model of cores");
    for (int c = 0; status == PPS_OK && c < plan->threads; c++)
        take(&m, &m.cores[c]);
    while (status == PPS_OK && (core = next_core(&m)) != NULL) {
        if (is_stopped(stop))
            status = pps_fail(err, PPS_E_STOPPED, "stopped");
        m.now = core->until;
        go_on(&m, core);
    }
    out->wall_s = m.now;
    out->utilisation = out->made_s / (plan->threads * fmax(m.now, 1e-12));
    out->write_share = m.write_s / fmax(m.now, 1e-12);
    pps_work_schedule_close(m.schedule);
    free(m.cores);
    return status;
}
