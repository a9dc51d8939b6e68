// SPDX-License-Identifier: Apache-2.0
// Computes congestion in lanes for many stages: the rounds of congestion.c, one lane at a time,
// since few lanes have congestion at an event. Included once for each instruction set, after
// many.h.
//
// As in congestion.c, only regions are computed: receivers r, r + 2 ... whose rounds can affect
// each other. A change at a sender dissolves the regions around it; they are computed again
// from plain shares, with the receivers that the sender now overloads. If the rounds would
// overload a neighbouring receiver, this receiver joins the region, and the rounds start again.
// Senders whose shares do not change are not touched.

// The tasks of a class that a mark covers.
enum extent {
    NONE,
    HEAD,
    ALL,
};

// The shares of a sender during the rounds.
struct sender {
    double share[2], second[2], sync;
    uint8_t given[2], fixed[2]; // enum extent
};

// The rounds of a lane.
struct rounds {
    struct lane_state *s;
    const struct contention_lane_point *p;
    int lane;
    stages all;       // all receivers
    stages receivers; // receivers that take part
    stages senders;   // senders that have a place in `sender`
    struct sender sender[LANE_GPUS_MAX];
};

static stages beside(stages receivers)
{
    return receivers << 2 | receivers >> 2;
}

static stages senders_of(stages receivers)
{
    return receivers << 1 | receivers >> 1;
}

static double share_at(const struct rounds *w, int j, int c)
{
    return w->senders >> j & 1 ? w->sender[j].share[c]
                               : look_stage_of(w->s, w->lane, j)->share[c];
}

static double arriving(const struct rounds *w, int r)
{
    return share_at(w, r - 1, FWD) + share_at(w, r + 1, GRAD);
}

static stages overloaded(const struct rounds *w, stages receivers)
{
    stages over = 0;
    for (; receivers != 0; receivers &= receivers - 1) {
        const int r = first_stage(receivers);
        over |= (stages)(arriving(w, r) > 1 + SUM_SLACK) << r;
    }
    return over;
}

// ---- shares ---------------------------------------------------------------------------------

static unsigned present(const struct many_stage *st)
{
    return (unsigned)(count_of(st, FWD) > 0) | (unsigned)(count_of(st, GRAD) > 0) << 1 |
           (unsigned)(st->left[SYNC] < HUGE_VAL) << 2;
}

// Computes the shares of kinds that are present together: rules 1 to 3.
static void set_parts(struct lane_state *s, int lane, const struct contention_lane_point *p)
{
    static const int8_t pair[3][3] = {{3, 0, 1}, {5, 0, 2}, {6, 1, 2}};
    double(*const part)[4] = s->part[lane];
    memset(part, 0, sizeof s->part[lane]);
    for (int k = 0; k < 3; k++) {
        part[1 << k][k] = 1;
        part[7][k] = p->share_of_three[k];
    }
    s->equal[lane] = (uint8_t)(p->equal_of_three << 7);
    for (int n = 0; n < 3; n++) {
        const int kinds = pair[n][0], a = pair[n][1], b = pair[n][2];
        part[kinds][a] = p->share_of_two[a][b];
        part[kinds][b] = p->share_of_two[b][a];
        s->equal[lane] |= (uint8_t)(p->equal_of_two[a][b] << kinds);
    }
}

// Returns whether the tasks of these kinds have equal shares, and a kind has several tasks.
static bool counts_matter(const struct lane_state *s, int lane, const struct many_stage *st,
                          unsigned kinds)
{
    return s->equal[lane] >> kinds & 1 && (count_of(st, FWD) > 1 || count_of(st, GRAD) > 1);
}

// Computes the shares of kinds (bits) that are present together.
static void part_of(const struct rounds *w, const struct many_stage *st, unsigned kinds,
                    double part[3])
{
    for (int k = 0; k < 3; k++)
        part[k] = w->s->part[w->lane][kinds][k];
    if (!counts_matter(w->s, w->lane, st, kinds))
        return;
    const double count[3] = {count_of(st, FWD), count_of(st, GRAD), 1};
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
    const struct many_stage *st = look_stage_of(w->s, w->lane, j);
    struct sender *to = &w->sender[j];
    double part[3];
    part_of(w, st, present(st), part);
    for (int c = 0; c < 2; c++) {
        to->share[c] = part[c];
        to->second[c] = 0;
        to->given[c] = part[c] <= 0 ? NONE : w->p->exclusive[c] ? HEAD : ALL;
        to->fixed[c] = NONE;
    }
    to->sync = part[2];
}

// ---- a round --------------------------------------------------------------------------------

static void hold_back(struct rounds *w, int j, int c, double factor)
{
    struct sender *from = &w->sender[j];
    const bool several = count_of(look_stage_of(w->s, w->lane, j), c) > 1;
    if (from->given[c] == NONE)
        return;
    from->share[c] *= factor;
    from->second[c] *= factor;
    from->fixed[c] = from->given[c] == HEAD && several ? HEAD : ALL;
}

// Makes step 1 of a round; returns whether a share changed.
static bool limit(struct rounds *w)
{
    const stages over = overloaded(w, w->receivers);
    for (stages left = over; left != 0; left &= left - 1) {
        const int r = first_stage(left);
        const double factor = 1 / arriving(w, r);
        hold_back(w, r - 1, FWD, factor);
        hold_back(w, r + 1, GRAD, factor);
    }
    w->s->region[w->lane] |= over;
    return over != 0;
}

// Applies rule 1: takes the shares of all tasks that are not fixed, and gives the whole rest to
// one of these tasks.
static void give_one(struct sender *to, unsigned kinds, const double part[3], double rest)
{
    for (int c = 0; c < 2; c++) {
        if (!(kinds >> c & 1))
            continue;
        const bool head = to->fixed[c] == HEAD;
        const double kept = head ? to->share[c] - to->second[c] : 0;
        const double more = part[c] > 0 ? rest : 0;
        to->given[c] = ALL;
        to->second[c] = head ? more : 0;
        to->share[c] = kept + more;
    }
    to->sync = part[2] > 0 ? rest : 0;
}

// Applies rules 2 and 3.
static void give_each(struct sender *to, unsigned kinds, const double part[3], double rest)
{
    for (int c = 0; c < 2; c++) {
        if (!(kinds >> c & 1))
            continue;
        to->share[c] = rest * part[c];
        to->given[c] = part[c] > 0 ? ALL : to->given[c];
    }
    to->sync = kinds >> 2 & 1 ? rest * part[2] : to->sync;
}

// Makes step 2 of a round at a sender.
static void hand_out_rest(struct rounds *w, int j)
{
    const struct many_stage *st = look_stage_of(w->s, w->lane, j);
    struct sender *from = &w->sender[j];
    unsigned kinds = present(st);
    double part[3], rest = 1;
    for (int c = 0; c < 2; c++) {
        if (from->fixed[c] != NONE)
            rest -= from->share[c] - (from->fixed[c] == HEAD ? from->second[c] : 0);
        if (from->fixed[c] == ALL)
            kinds &= ~(1u << c);
    }
    if (kinds == 0 || rest < LEAST_REST)
        return;
    part_of(w, st, kinds, part);
    const bool tiers = (kinds & 1 && w->p->exclusive[0]) || (kinds & 2 && w->p->exclusive[1]) ||
                       (kinds & 4 && w->p->exclusive[2]);
    if (tiers)
        give_one(from, kinds, part, rest);
    else
        give_each(from, kinds, part, rest);
}

// ---- the rounds -----------------------------------------------------------------------------

// Takes in the rest of the regions of receivers receivers that take part.
static void complete_regions(struct rounds *w)
{
    const stages region = w->s->region[w->lane];
    stages more;
    while ((more = beside(w->receivers) & region & ~w->receivers) != 0)
        w->receivers |= more;
}

// Makes the rounds from plain shares; false: they have reached other receivers, and must start
// again.
static bool run_rounds(struct rounds *w, int gpus)
{
    complete_regions(w);
    w->senders = senders_of(w->receivers);
    for (stages left = w->senders; left != 0; left &= left - 1)
        reset_sender(w, first_stage(left));
    w->s->region[w->lane] &= ~w->receivers;
    for (int round = 0; round < 2 * gpus; round++) {
        const stages wider = overloaded(w, beside(w->receivers) & ~w->receivers & w->all);
        w->receivers |= wider;
        if (wider != 0)
            return false;
        if (!limit(w))
            break;
        for (stages left = w->senders; left != 0; left &= left - 1)
            hand_out_rest(w, first_stage(left));
    }
    return true;
}

// ---- afterwards -----------------------------------------------------------------------------

// Sets the rates and times of a stage of a lane, whose work left is up to date.
static void settle_stage(struct lane_state *s, int lane, int j)
{
    struct many_stage *st = stage_of(s, lane, j);
    const struct contention_lane_point *p = s->at.point[lane];
    const double now = get(&s->now, lane);
    double finish = HUGE_VAL, early = HUGE_VAL;
    for (int c = 0; c < 2; c++) {
        const int n = p->exclusive[c] ? 1 : count_of(st, c);
        st->rate[c] = (st->share[c] - st->second[c]) * part_of_one(n);
    }
    for (int k = 0; k < N_SLOTS; k++) {
        const double time = 1 / (k == COMPUTE ? compute_rate_of(p, st) : st->rate[k]);
        const double ends = st->left[k] * time, comes = (st->left[k] - p->eps_work) * time;
        finish = ends < finish ? ends : finish;
        early = comes < early ? comes : early;
    }
    set(&s->finish[j], lane, now + finish);
    set(&s->early[j], lane, now + early);
}

// Stores the shares of a sender if they have changed.
VEC_INLINE void set_sender(struct lane_state *s, int lane, int j, const struct sender *from)
{
    struct many_stage *st = stage_of(s, lane, j);
    bool same = st->rate[SYNC] == from->sync;
    for (int c = 0; c < 2; c++) // one branch, not five: the processor predicts it badly
        same &= (st->share[c] == from->share[c]) & (st->second[c] == from->second[c]);
    if (same)
        return;
    advance_stage(s->at.point[lane], st, get(&s->now, lane));
    for (int c = 0; c < 2; c++) {
        st->share[c] = from->share[c];
        st->second[c] = from->second[c];
    }
    st->rate[SYNC] = from->sync;
    settle_stage(s, lane, j);
}
