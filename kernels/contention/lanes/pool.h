// SPDX-License-Identifier: Apache-2.0
// The pool assigns points to lanes. Points that differ only in the shares of sets of kinds
// share a lane until one of these sets is together for the first time. Then they separate by
// the shares of the set and continue from that state. Part of instance.c, after steps,
// snapshots and jumps.

// The lanes and the jobs that wait for a lane.
struct pool {
    struct lane_state lanes;
    int gpus;
    struct lane_room *room;
    struct contention_lane_job **jobs; // the jobs of a task are neighbours
    struct lane_task task[LANES];      // n_jobs 0: the lane is empty
    int64_t first_step[LANES];         // `steps` minus first_step is the number of its events
    size_t n_jobs, next_job;           // jobs from next_job on have not begun
    int n_full;
};

// ---- tasks ----------------------------------------------------------------------------------

static const struct contention_lane_point *point_of(const struct pool *pool, uint32_t job)
{
    return &pool->jobs[job]->point;
}

// Returns the number of events of the point in a lane so far.
static int64_t events_of(const struct pool *pool, int lane)
{
    return pool->lanes.steps - pool->first_step[lane] - lane_repeats(&pool->lanes, lane);
}

static void set_known(struct pool *pool, int lane)
{
    const struct lane_task *task = &pool->task[lane];
    const bool matters =
        task->n_jobs > 1 ||
        (task->n_jobs == 1 && looks_for_period(point_of(pool, task->first_job)));
    const bool shares = matters && !point_of(pool, task->first_job)->ideal;
    mask_set(&pool->lanes.alone, lane, task->n_jobs <= 1);
    for (int set = 0; set < N_SETS; set++)
        mask_set(&pool->lanes.known[set], lane, task->known[set] || !shares);
}

static void start_looking(struct pool *pool, int lane)
{
    const struct lane_task *task = &pool->task[lane];
    const double next = task->n_jobs == 0 ? -1
                                          : start_history(&pool->room->history[lane],
                                                          point_of(pool, task->first_job),
                                                          get(&pool->lanes.to_come, lane));
    set(&pool->lanes.look_at, lane, next);
    pool->lanes.any_looks = pool->lanes.any_looks || next >= 0;
}

// Starts a task in an empty lane: from its snapshot, or (NULL) from the beginning.
static void start_task(struct pool *pool, int lane, const struct lane_task *task,
                       lane_snapshot *snapshot)
{
    const struct contention_lane_point *point = point_of(pool, task->first_job);
    pool->n_full++;
    pool->task[lane] = *task;
    set_constants(&pool->lanes.at, lane, point);
    mask_set(&pool->lanes.leaves, lane, false);
    set_known(pool, lane);
    pool->first_step[lane] = pool->lanes.steps;
    if (snapshot != NULL) {
        load_lane(&pool->lanes, lane, pool->gpus, snapshot);
        pool->first_step[lane] -= snapshot->n_events;
    } else {
        begin_lane(&pool->lanes, lane, pool->gpus, point);
    }
    start_looking(pool, lane);
}

// Returns the next job that has not begun, together with the following jobs that begin alike.
static struct lane_task next_beginning(struct pool *pool)
{
    struct lane_task task = {.first_job = (uint32_t)pool->next_job, .n_jobs = 1};
    while (++pool->next_job < pool->n_jobs &&
           contention_lanes_begin_alike(point_of(pool, task.first_job),
                                        point_of(pool, (uint32_t)pool->next_job)))
        task.n_jobs++;
    return task;
}

static bool has_more(const struct pool *pool)
{
    return pool->room->n_tasks > 0 || pool->next_job < pool->n_jobs;
}

static void empty_lane(struct pool *pool, int lane)
{
    static const struct contention_lane_point nothing = {.gpus = 0, .span = HUGE_VAL};
    pool->task[lane] = (struct lane_task){.n_jobs = 0};
    set_constants(&pool->lanes.at, lane, &nothing);
    mask_set(&pool->lanes.leaves, lane, false);
    set_known(pool, lane);
    begin_lane(&pool->lanes, lane, pool->gpus, &nothing);
    start_looking(pool, lane);
}

// Starts the next task in an empty lane, if there is a task.
static void refill_lane(struct pool *pool, int lane)
{
    struct lane_room *room = pool->room;
    if (room->n_tasks > 0) {
        const struct lane_task *task = &room->task[--room->n_tasks];
        const uint32_t from = task->snapshot;
        start_task(pool, lane, task, snapshot_at(room, pool->gpus, from));
        if (room->n_tasks == 0 || room->task[room->n_tasks - 1].snapshot != from)
            room->n_snapshots = from; // no other task starts from this snapshot or a later one
    } else if (pool->next_job < pool->n_jobs) {
        const struct lane_task task = next_beginning(pool);
        start_task(pool, lane, &task, NULL);
    }
}

static void refill_lanes(struct pool *pool)
{
    for (int lane = 0; lane < LANES && has_more(pool); lane++)
        if (pool->task[lane].n_jobs == 0)
            refill_lane(pool, lane);
}

// ---- forks ----------------------------------------------------------------------------------

// Returns whether two points have equal shares of a set of kinds.
static bool same_shares(const struct contention_lane_point *a,
                        const struct contention_lane_point *b, enum set set)
{
    static const int kinds[][2] =
        {[FWD_GRAD] = {0, 1}, [FWD_SYNC] = {0, 2}, [GRAD_SYNC] = {1, 2}};
    if (set == ALL_THREE)
        return contention_lanes_share_alike(a, b);
    const int x = kinds[set][0], y = kinds[set][1];
    return a->share_of_two[x][y] == b->share_of_two[x][y] &&
           a->share_of_two[y][x] == b->share_of_two[y][x] &&
           a->equal_of_two[x][y] == b->equal_of_two[x][y];
}

static bool go_together(const struct pool *pool, const bool meets[N_SETS], uint32_t a,
                        uint32_t b)
{
    for (int set = 0; set < N_SETS; set++)
        if (meets[set] && !same_shares(point_of(pool, a), point_of(pool, b), (enum set)set))
            return false;
    return true;
}

// Removes the first job of *task and the jobs that continue with it; the other jobs stay in
// *task.
static struct lane_task split(struct pool *pool, struct lane_task *task,
                              const bool meets[N_SETS])
{
    struct lane_task part = *task;
    const uint32_t end = task->first_job + task->n_jobs;
    uint32_t last = task->first_job;
    for (uint32_t job = task->first_job + 1; job < end; job++) {
        if (!go_together(pool, meets, task->first_job, job))
            continue;
        struct contention_lane_job *const other = pool->jobs[++last];
        pool->jobs[last] = pool->jobs[job];
        pool->jobs[job] = other;
    }
    part.n_jobs = last + 1 - task->first_job;
    task->first_job += part.n_jobs;
    task->n_jobs -= part.n_jobs;
    return part;
}

// Separates the jobs of a lane in which kinds meet for the first time. The lane continues with
// the first jobs; the others wait.
static void fork_lane(struct pool *pool, int lane)
{
    struct lane_room *room = pool->room;
    struct lane_task rest = pool->task[lane];
    bool meets[N_SETS];
    for (int set = 0; set < N_SETS; set++) {
        meets[set] = mask_get(pool->lanes.meets[set], lane);
        rest.known[set] |= meets[set];
    }
    pool->task[lane] = split(pool, &rest, meets);
    set_known(pool, lane);
    start_looking(pool, lane);
    if (rest.n_jobs == 0)
        return;
    rest.snapshot = room->n_snapshots++;
    lane_snapshot *const snapshot = snapshot_at(room, pool->gpus, rest.snapshot);
    save_lane(&pool->lanes, lane, pool->gpus, snapshot);
    snapshot->n_events = events_of(pool, lane);
    while (rest.n_jobs > 0)
        room->task[room->n_tasks++] = split(pool, &rest, meets);
}

// ---- the whole ------------------------------------------------------------------------------

// Returns whether no task is active or waits.
static bool all_done(const struct lane_state *s, int lane, int gpus)
{
    for (int j = 0; j < gpus; j++)
        if (lane_has_tasks(s, lane, j))
            return false;
    return true;
}

static void end_task(struct pool *pool, int lane, int gpus)
{
    const struct lane_task *task = &pool->task[lane];
    const struct lane_state *s = &pool->lanes;
    const bool done = !mask_get(s->leaves, lane) && all_done(s, lane, gpus);
    for (uint32_t k = 0; k < task->n_jobs; k++) {
        struct contention_lane_job *job = pool->jobs[task->first_job + k];
        job->status = done ? LANE_DONE : LANE_LEFT;
        job->total_time = lane_time(s, lane);
        if (s->watch != 0)
            take_watch(s, lane, gpus, &job->watched);
        job->n_events = events_of(pool, lane) - 1; // the last step had no event
    }
}

// Handles kinds that meet for the first time in lanes with one point, where several points
// would separate.
static void go_on_alone(struct pool *pool, mask lanes)
{
    struct lane_state *s = &pool->lanes;
    for (int set = 0; set < N_SETS; set++)
        s->known[set] = mask_or(s->known[set], mask_and(s->meets[set], lanes));
    for (; mask_any(lanes); mask_set(&lanes, mask_first(lanes), false))
        forget_looks(&pool->room->history[mask_first(lanes)]);
}

// Makes the looks that are due after a step. Returns the forks that separate points.
static mask look_at_lanes(struct pool *pool, mask looks, mask forks, int gpus)
{
    const mask alone = mask_and(forks, pool->lanes.alone);
    if (mask_any(alone))
        go_on_alone(pool, alone);
    for (; mask_any(looks); mask_set(&looks, mask_first(looks), false)) {
        const int lane = mask_first(looks);
        const double next = look(&pool->lanes, lane, gpus, pool->room);
        set(&pool->lanes.look_at, lane, next);
    }
    return mask_less(forks, alone);
}

static void fork_lanes(struct pool *pool, mask forks)
{
    if (!mask_any(forks))
        return;
    for (; mask_any(forks); mask_set(&forks, mask_first(forks), false))
        fork_lane(pool, mask_first(forks));
    refill_lanes(pool);
}

static void end_lanes(struct pool *pool, mask ended, int gpus)
{
    for (; mask_any(ended); mask_set(&ended, mask_first(ended), false)) {
        const int lane = mask_first(ended);
        if (pool->task[lane].n_jobs == 0)
            continue;
        end_task(pool, lane, gpus);
        pool->n_full--;
        if (!has_more(pool))
            empty_lane(pool, lane);
        refill_lane(pool, lane);
    }
}

static bool run_pool(struct pool *pool, const atomic_bool *stop, int gpus)
{
    pool->room->n_tasks = pool->room->n_snapshots = 0;
    for (int lane = 0; lane < LANES; lane++)
        empty_lane(pool, lane);
    refill_lanes(pool);
    while (pool->n_full > 0) {
        const struct news news = go_on_with(&pool->lanes, gpus);
        fork_lanes(pool, look_at_lanes(pool, news.looks, news.forks, gpus));
        end_lanes(pool, news.ended, gpus);
        if (pool->lanes.steps % POLL_STEPS == 0 && stop != NULL &&
            atomic_load_explicit(stop, memory_order_relaxed))
            return false;
    }
    return true;
}

static bool run_lanes(struct contention_lane_job **jobs, size_t n, void *room,
                      const atomic_bool *stop)
{
    struct pool pool;
    if (n == 0)
        return true;
    memset(&pool, 0, sizeof pool);
    pool.jobs = jobs;
    pool.n_jobs = n;
    pool.room = room;
    pool.gpus = jobs[0]->point.gpus;
    pool.lanes.watch = jobs[0]->watch;
    return run_pool(&pool, stop, pool.gpus);
}
