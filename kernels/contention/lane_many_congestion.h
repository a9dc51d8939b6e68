// SPDX-License-Identifier: Apache-2.0
// Receivers that hold senders back, where stages are many: the rounds of congestion.c, a lane at a
// time, since few lanes have any at an event. Included once for each instruction set, after
// lane_many.h.
//
// As there, only regions are worked out: receivers r, r + 2 ... whose rounds can concern each other.
// A change at a sender takes back the regions around it, and they are worked out anew from plain
// shares, with the receivers that it has given too much. Where the rounds would overload a receiver
// beside these, it joins them, and they start again.

// How much of a class a mark covers.
enum extent {
    NONE,
    HEAD,
    ALL,
};

// What the rounds of a lane work on.
struct rounds {
    struct lane_state *s;
    const struct contention_lane_point *p;
    int lane;
    stages all;       // receivers there are
    stages receivers; // that take part
    uint8_t given[LANE_GPUS_MAX][2], fixed[LANE_GPUS_MAX][2]; // enum extent, by sender
};

static bool overloaded(const struct lane_state *s, int lane, int r)
{
    const double sum = look_stage_of(s, lane, r - 1)->share[FWD] +
                       look_stage_of(s, lane, r + 1)->share[GRAD];
    return sum > 1 + SUM_SLACK;
}

static stages overloaded_of(const struct rounds *w, stages receivers)
{
    stages over = 0;
    for (; receivers != 0; receivers &= receivers - 1) {
        const int r = first_stage(receivers);
        over |= (stages)overloaded(w->s, w->lane, r) << r;
    }
    return over;
}

static stages beside(stages receivers)
{
    return receivers << 2 | receivers >> 2;
}

static stages senders_of(stages receivers)
{
    return receivers << 1 | receivers >> 1;
}

// ---- shares ---------------------------------------------------------------------------------

static unsigned present(const struct many_stage *st)
{
    return (unsigned)(st->count[FWD] > 0) | (unsigned)(st->count[GRAD] > 0) << 1 |
           (unsigned)(st->left[SYNC] < HUGE_VAL) << 2;
}

// The parts of kinds (bits) that are together: rules 1 to 3.
static void part_of(const struct contention_lane_point *p,
                    const struct many_stage *st,
                    unsigned kinds,
                    double part[3])
{
    static const int8_t pair[8][2] = {[3] = {0, 1}, [5] = {0, 2}, [6] = {1, 2}};
    const int a = pair[kinds][0], b = pair[kinds][1];
    bool equal = false;
    for (int k = 0; k < 3; k++)
        part[k] = kinds >> k & 1 ? 1 : 0;
    if (a != b) {
        part[a] = p->share_of_two[a][b];
        part[b] = p->share_of_two[b][a];
        equal = p->equal_of_two[a][b];
    } else if (kinds == 7) {
        for (int k = 0; k < 3; k++)
            part[k] = p->share_of_three[k];
        equal = p->equal_of_three;
    }
    if (!equal)
        return;
    const double count[3] = {st->count[0], st->count[1], 1};
    double total = 0;
    for (int k = 0; k < 3; k++)
        total += kinds >> k & 1 ? count[k] : 0;
    const double each = 1 / total;
    for (int k = 0; k < 3; k++)
        part[k] = kinds >> k & 1 ? count[k] * each : 0;
}

// Gives sender j its plain shares.
static void reset_sender(struct rounds *w, int j)
{
    struct many_stage *st = stage_of(w->s, w->lane, j);
    double part[3];
    advance_stage(w->s, w->lane, st);
    part_of(w->p, st, present(st), part);
    for (int c = 0; c < 2; c++) {
        st->share[c] = part[c];
        st->second[c] = 0;
        w->given[j][c] = part[c] <= 0 ? NONE : w->p->exclusive[c] ? HEAD : ALL;
        w->fixed[j][c] = NONE;
    }
    st->rate[SYNC] = part[2];
}

// ---- a round --------------------------------------------------------------------------------

static void hold_back(struct rounds *w, int j, int c, double factor)
{
    struct many_stage *st = stage_of(w->s, w->lane, j);
    if (w->given[j][c] == NONE)
        return;
    st->share[c] *= factor;
    st->second[c] *= factor;
    w->fixed[j][c] = w->given[j][c] == HEAD && st->count[c] > 1 ? HEAD : ALL;
}

// Step 1 of a round; whether it changed anything.
static bool limit(struct rounds *w)
{
    const stages over = overloaded_of(w, w->receivers);
    for (stages left = over; left != 0; left &= left - 1) {
        const int r = first_stage(left);
        const double sum = stage_of(w->s, w->lane, r - 1)->share[FWD] +
                           stage_of(w->s, w->lane, r + 1)->share[GRAD];
        hold_back(w, r - 1, FWD, 1 / sum);
        hold_back(w, r + 1, GRAD, 1 / sum);
    }
    w->s->region[w->lane] |= over;
    return over != 0;
}

// Rule 1: takes the shares of all tasks that are not fixed, and gives one of them all that is left.
static void
give_one(struct rounds *w, int j, unsigned kinds, const double part[3], double rest)
{
    struct many_stage *st = stage_of(w->s, w->lane, j);
    for (int c = 0; c < 2; c++) {
        if (!(kinds >> c & 1))
            continue;
        w->given[j][c] = ALL;
        st->share[c] = w->fixed[j][c] == HEAD ? st->share[c] - st->second[c] : 0;
        st->second[c] = 0;
        if (part[c] > 0) {
            st->second[c] = w->fixed[j][c] == HEAD ? rest : 0;
            st->share[c] += rest;
        }
    }
    st->rate[SYNC] = part[2] > 0 ? rest : 0;
}

// Step 2 of a round at a sender.
static void hand_out_rest(struct rounds *w, int j)
{
    struct many_stage *st = stage_of(w->s, w->lane, j);
    unsigned kinds = present(st);
    double part[3], rest = 1;
    bool tiers = false;
    for (int c = 0; c < 2; c++) {
        if (w->fixed[j][c] != NONE)
            rest -= w->fixed[j][c] == HEAD ? st->share[c] - st->second[c] : st->share[c];
        if (w->fixed[j][c] == ALL)
            kinds &= ~(1u << c);
    }
    if (kinds == 0 || rest < LEAST_REST)
        return;
    part_of(w->p, st, kinds, part);
    for (int k = 0; k < 3; k++)
        tiers = tiers || (kinds >> k & 1 && w->p->exclusive[k]);
    if (tiers) {
        give_one(w, j, kinds, part, rest);
        return;
    }
    for (int c = 0; c < 2; c++) {
        if (!(kinds >> c & 1))
            continue;
        st->share[c] = rest * part[c];
        if (part[c] > 0)
            w->given[j][c] = ALL;
    }
    if (kinds >> 2 & 1)
        st->rate[SYNC] = rest * part[2];
}

// ---- the rounds -----------------------------------------------------------------------------

// Takes in the rest of the regions of receivers that take part.
static void complete_regions(struct rounds *w)
{
    const stages region = w->s->region[w->lane];
    stages more;
    while ((more = beside(w->receivers) & region & ~w->receivers) != 0)
        w->receivers |= more;
}

// Starts from plain shares; false: the rounds have reached others, and must start again.
static bool run_rounds(struct rounds *w, int gpus)
{
    complete_regions(w);
    for (stages left = senders_of(w->receivers); left != 0; left &= left - 1)
        reset_sender(w, first_stage(left));
    w->s->region[w->lane] &= ~w->receivers;
    for (int round = 0; round < 2 * gpus; round++) {
        const stages wider =
            overloaded_of(w, beside(w->receivers) & ~w->receivers & w->all);
        w->receivers |= wider;
        if (wider != 0)
            return false;
        if (!limit(w))
            break;
        for (stages left = senders_of(w->receivers); left != 0; left &= left - 1)
            hand_out_rest(w, first_stage(left));
    }
    return true;
}

// Rates and times of a sender of which the shares have changed.
static void settle_sender(struct lane_state *s, int lane, int j)
{
    struct many_stage *st = stage_of(s, lane, j);
    const struct contention_lane_point *p = s->at.point[lane];
    const double now = get(&s->now, lane);
    double finish = HUGE_VAL, early = HUGE_VAL;
    for (int c = 0; c < 2; c++) {
        st->rate[c] = st->share[c] - st->second[c];
        if (!p->exclusive[c] && st->count[c] > 1)
            st->rate[c] = st->share[c] * (1 / st->count[c]);
    }
    st->rate[COMPUTE] = 1 - st->rate[SYNC] * p->impact[st->forwards > 0 ? FWD : GRAD];
    for (int k = 0; k < N_SLOTS; k++) {
        const double time = 1 / st->rate[k];
        finish = fmin(finish, st->left[k] * time);
        early = fmin(early, (st->left[k] - p->eps_work) * time);
    }
    set(&s->finish[j], lane, now + finish);
    set(&s->early[j], lane, now + early);
}

// The receivers that a change at sender j can concern.
static stages concerned(const struct lane_state *s, int lane, int j)
{
    const stages region = s->region[lane], one = UINT64_C(1) << j;
    const stages near = one << 1 | one >> 1 | one << 3 | one >> 3;
    stages over = 0;
    if (overloaded(s, lane, j - 1))
        over |= one >> 1;
    if (overloaded(s, lane, j + 1))
        over |= one << 1;
    return over | (near & region);
}

// Lets receivers of a lane hold senders back, given plain shares at the stages `due`.
static void congest_lane(struct lane_state *s, int lane, stages due, int gpus)
{
    struct rounds w = {.s = s, .p = s->at.point[lane], .lane = lane};
    w.all = (UINT64_C(1) << (gpus - 1)) - 2;
    for (; due != 0; due &= due - 1)
        w.receivers |= concerned(s, lane, first_stage(due));
    if (w.receivers == 0)
        return;
    while (!run_rounds(&w, gpus))
        ;
    for (stages left = senders_of(w.receivers); left != 0; left &= left - 1)
        settle_sender(s, lane, first_stage(left));
}
