// SPDX-License-Identifier: Apache-2.0
// Evaluates every stage, every chunk and every task of the order in plain loops.
#include "kernels/common/estimate/reference.h"

#include "kernels/common/estimate/stage_layers.h"
#include "kernels/common/pipeline/collectives.h"

#include <math.h>
#include <string.h>

// ---- layers -------------------------------------------------------------------------------------

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// A stage's layers over its chunks: the last `layers mod chunks` of them have one more.
static int64_t chunk_layers(int64_t layers, int32_t chunks, int32_t chunk)
{
    return layers / chunks + (chunk >= chunks - layers % chunks);
}

static int kind_of(const struct nd_estimate *e, int64_t layer)
{
    if (e->layers.model.n_kinds > 0)
        return e->layers.model.pattern[layer];
    return layer < e->n_dense ? 0 : 1;
}

void nd_reference_split(const struct nd_estimate *e, const struct nd_point *point,
                        struct nd_chunk *chunk)
{
    const struct nd_strategy *s = &point->strategy;
    int64_t begin = 0;
    for (int32_t v = 0; v < s->vp; v++)
        for (int32_t i = 0; i < s->pp; i++) {
            int64_t n = chunk_layers(nd_stage_layers(e->n_layers, s->pp, i), s->vp, v);
            struct nd_chunk *c = &chunk[v * s->pp + i];
            *c = (struct nd_chunk){.layers = {.of = {0}}};
            for (int64_t l = begin; l < begin + n; l++)
                c->layers.of[kind_of(e, l)]++;
            if (s->recompute == ND_RECOMPUTE_SELECT)
                c->select = c->layers;
            else if (s->recompute == ND_RECOMPUTE_FULL)
                c->full = c->layers;
            begin += n;
        }
}

// ---- one stage ----------------------------------------------------------------------------------

struct view {
    const struct nd_estimate *e;
    const struct nd_strategy *s;
    const struct nd_chunk *chunk;
    const struct layercost_set *set;
    int64_t micro_batches;
};

static int kinds(const struct view *w)
{
    return layercost_kinds(&w->e->layers);
}

static const struct nd_chunk *chunk_at(const struct view *w, int32_t i, int32_t v)
{
    return &w->chunk[v * w->s->pp + i];
}

static double by_mode(const double values[LAYERCOST_MODES], int32_t n, int32_t sel,
                      int32_t full)
{
    return values[LAYERCOST_NONE] * (n - sel - full) + values[LAYERCOST_SELECT] * sel +
           values[LAYERCOST_FULL] * full;
}

// Bytes that one micro-batch leaves on a chunk between its forward and its backward pass.
static double chunk_stored(const struct view *w, const struct nd_chunk *c)
{
    double sum = 0;
    for (int k = 0; k < kinds(w); k++)
        sum += by_mode(w->set->kind[k].stored, c->layers.of[k], c->select.of[k], c->full.of[k]);
    return sum;
}

// ---- order of tasks: chunk of the n-th forward or backward pass of a stage ----------------------

static int64_t first_part(const struct view *w)
{
    int64_t p = w->s->pp, m = w->micro_batches;
    return m < p ? m : p + m % p;
}

static int32_t chunk_of(const struct view *w, int64_t n)
{
    int64_t first = first_part(w), v = w->s->vp, p = w->s->pp;
    if (n < first * v)
        return (int32_t)(n / first);
    return (int32_t)((n - first * v) % (p * v) / p);
}

// DualPipe: every device has a stage and its opposite, and pp + 1 micro-batches are alive.
static bool has_two_stages(const struct view *w);

static bool has_pairs(const struct view *w)
{
    return has_two_stages(w) && w->s->pp % 2 == 0;
}

static bool has_two_stages(const struct view *w)
{
    return w->e->schedule == TRAINING_DUALPIPE && w->s->pp > 1 && w->s->vp == 1;
}

static int64_t warm_up(const struct view *w, int32_t stage)
{
    int64_t after = w->s->pp - 1 - stage, v = w->s->vp;
    if (has_two_stages(w))
        return least(w->s->pp, w->micro_batches);
    bool low = v == 1 || w->e->low_mem_vpp;
    return least((v - 1) * first_part(w) + (low ? after : 2 * after), v * w->micro_batches);
}

// Largest number of bytes that live at once, and the micro-batches that live then.
static double peak_stored(const struct view *w, int32_t stage, double *in_flight)
{
    int64_t all = w->s->vp * w->micro_batches, ahead = warm_up(w, stage);
    double live = 0, most = 0;
    *in_flight = 0;
    for (int64_t n = 0; n < all; n++) {
        live += chunk_stored(w, chunk_at(w, stage, chunk_of(w, n)));
        int64_t done = n - ahead;
        if (done > 0) {
            int32_t v = w->s->vp - 1 - chunk_of(w, done - 1);
            live -= chunk_stored(w, chunk_at(w, stage, v));
        }
        if (live > most) {
            most = live;
            *in_flight = (double)(done > 0 ? n + 1 - done : n + 1) / w->s->vp;
        }
    }
    return most;
}

// ---- memory of a stage --------------------------------------------------------------------------

static int64_t dense_shards(const struct nd_strategy *s)
{
    return s->op > 0 ? s->op : s->dp;
}

static int64_t expert_shards(const struct nd_estimate *e, const struct nd_strategy *s)
{
    int64_t replicas = (int64_t)s->dp * s->cp, op = dense_shards(s);
    int64_t share = s->ep * (e->layers.expert_tensor_parallel ? (int64_t)s->tp : 1);
    int64_t most = replicas * s->tp / share;
    if (most < 1)
        most = 1;
    int64_t shards = op == replicas ? most : least(most, op * s->tp / share);
    return shards < 1 ? 1 : shards;
}

static bool remakes(const struct view *w, int32_t stage, int kind)
{
    for (int32_t v = 0; v < w->s->vp; v++)
        if (chunk_at(w, stage, v)->full.of[kind] > 0)
            return true;
    return false;
}

static void add_parameters(const struct view *w, int32_t i, struct nd_stage *stage)
{
    const struct layercost_set *set = w->set;
    const struct modeldesc *d = &w->e->layers.model;
    const double stages = has_two_stages(w) ? 2 : 1;
    bool first = i == 0, last = i == w->s->pp - 1;
    if (has_two_stages(w))
        first = last = first || last;
    double layers = 0, experts = 0;
    for (int k = 0; k < kinds(w); k++) {
        layers += stage->layers.of[k] * set->kind[k].parameters;
        experts += stage->layers.of[k] * set->kind[k].routed;
    }
    stage->common = stages * layers;
    stage->routed = stages * experts;
    if (first)
        stage->common += set->embedding;
    if (last) {
        stage->common += (double)w->e->layers.counts.final_norm;
        if (!d->tied || !first)
            stage->common += set->head.parameters;
        stage->common += (double)w->e->mtp_depth * set->mtp_parameters;
        if (w->e->mtp_depth > 0 && !first && !d->tied)
            stage->common += set->embedding; // a copy: MTP modules embed the next tokens
    }
}

static void add_static(const struct view *w, struct nd_stage *stage)
{
    const struct nd_estimate *e = w->e;
    double dense = (double)dense_shards(w->s), expert = (double)expert_shards(e, w->s);
    double whole = stage->common + stage->routed;
    double sharded = stage->common / dense + stage->routed / expert;
    const bool stages = e->layers.stack.pipeline_whole && w->s->pp > 1;
    const bool accumulates = e->layers.stack.accumulation_whole && w->micro_batches > 1;
    const bool shares_gradients = e->zero_level >= 2 && !stages && !accumulates;
    const bool shares = e->zero_level >= 3 && !stages;
    const double copy = e->layers.fp8 && e->bytes_param >= 2 && !shares ? 1 : 0;
    const bool host = shares && e->offload_parameters;
    stage->parameters = host ? 0 : (e->bytes_param + copy) * (shares ? sharded : whole);
    stage->gradients =
        host && shares_gradients ? 0 : e->bytes_grad * (shares_gradients ? sharded : whole);
    stage->optimizer = host ? 0
                            : (1 - e->offload_optimizer) * e->bytes_optim *
                                  (e->zero_level >= 1 ? sharded : whole);
}

// Level 3 of ZeRO: parameters of a layer in use and of one fetched in advance, bytes.
static double gathered(const struct view *w, const struct nd_stage *stage)
{
    const struct layercost_set *set = w->set;
    double largest = 0;
    for (int k = 0; k < kinds(w); k++)
        if (stage->layers.of[k] > 0)
            largest = fmax(largest, set->kind[k].parameters + set->kind[k].routed);
    return 2 * w->e->bytes_param * largest;
}

static void add_transient(const struct view *w, int32_t i, struct nd_stage *stage)
{
    const struct layercost_set *set = w->set;
    bool last = i == w->s->pp - 1 || (has_two_stages(w) && i == 0);
    double again = 0, shapes = 0, buffers = 0;
    if (nd_layers_all(&stage->layers) > 0)
        shapes += set->attention_matrices;
    for (int k = 0; k < kinds(w); k++) {
        if (remakes(w, i, k))
            again = fmax(again, set->kind[k].working);
        if (stage->layers.of[k] == 0)
            continue;
        shapes += set->kind[k].matrices;
        buffers = fmax(buffers, set->kind[k].buffers);
    }
    if (last)
        shapes += set->head.parameters;
    stage->transient = again + buffers;
    if (last)
        stage->transient += (double)(1 + w->e->mtp_depth) * set->head.logits;
    if (w->e->dummy_wgrad)
        stage->transient += 2 * shapes;
    const bool whole = w->e->layers.stack.pipeline_whole && w->s->pp > 1;
    if (w->e->zero_level >= 3 && !whole && dense_shards(w->s) > 1)
        stage->transient += gathered(w, stage);
}

// ---- time of a stage ----------------------------------------------------------------------------

static void add_times(const struct view *w, int32_t i, struct nd_stage *stage)
{
    const struct layercost_set *set = w->set;
    for (int32_t v = 0; v < w->s->vp; v++) {
        const struct nd_chunk *c = chunk_at(w, i, v);
        double forward = 0, backward = 0;
        for (int k = 0; k < kinds(w); k++) {
            const struct layercost *cost = &set->kind[k];
            forward += c->layers.of[k] * cost->forward;
            backward +=
                by_mode(cost->backward, c->layers.of[k], c->select.of[k], c->full.of[k]);
        }
        stage->forward += forward;
        stage->backward += backward;
    }
    if (i < w->s->pp - 1)
        return;
    double mtp = (double)w->e->mtp_depth;
    stage->forward += (1 + mtp) * set->head.forward + mtp * set->mtp_forward;
    stage->backward +=
        (1 + mtp) * set->head.backward + mtp * (set->mtp_forward + set->mtp_weights);
}

static void describe_stage(const struct view *w, int32_t i, struct nd_stage *stage)
{
    memset(stage, 0, sizeof *stage);
    for (int32_t v = 0; v < w->s->vp; v++)
        for (int k = 0; k < kinds(w); k++)
            stage->layers.of[k] += chunk_at(w, i, v)->layers.of[k];
    add_parameters(w, i, stage);
    add_static(w, stage);
    stage->activations = peak_stored(w, i, &stage->in_flight);
    add_transient(w, i, stage);
    stage->reserve = w->e->reserve +
                     w->e->layers.stack.fragmentation * (stage->activations + stage->transient);
    stage->total = stage->parameters + stage->gradients + stage->optimizer +
                   stage->activations + stage->transient + stage->reserve;
    add_times(w, i, stage);
}

// ---- the whole ----------------------------------------------------------------------------------

static void worst_stage(const struct nd_stage *stage, int32_t n, struct nd_memory *memory)
{
    int32_t worst = 0;
    for (int32_t i = 1; i < n; i++)
        if (stage[i].total > stage[worst].total)
            worst = i;
    const struct nd_stage *s = &stage[worst];
    *memory = (struct nd_memory){s->parameters, s->gradients, s->optimizer, s->activations,
                                 s->transient,  s->reserve,   s->total,     worst};
}

// Exchanges of kind k of the longest stage in one micro-batch: forward, backward, and forward again
// where layers are made again.
static double exchanged(const struct view *w, int32_t i, int which)
{
    double sum = 0;
    for (int32_t v = 0; v < w->s->vp; v++) {
        const struct nd_chunk *c = chunk_at(w, i, v);
        double each = 0, again = 0;
        for (int k = 0; k < kinds(w); k++) {
            const struct layercost_parts *p = &w->set->kind[k].parts;
            const struct layercost_parts *a = &w->set->kind[k].select_again;
            each += (which == 0   ? p->tp
                     : which == 1 ? p->ep
                                  : p->cp) *
                    (2 * c->layers.of[k] + c->full.of[k]);
            again += (which == 0 ? a->tp : which == 1 ? a->ep : 0) * c->select.of[k];
        }
        sum += each;
        sum += again;
    }
    return sum;
}

// The exchange of gradients or parameters between replicas of which `shards` share a state.
static double gather_time(const struct view *w, double bytes, int64_t shards, int64_t stride)
{
    return hardware_gather(&w->e->layers.hardware, shards, stride, bytes);
}

// The exchange of `parameters` that one micro-batch causes; the last one of a step ends with what is
// exchanged once. Levels 2 and 3 of ZeRO shard within groups of `shards` devices.
static double exchange_time(const struct view *w, double parameters, int64_t ranks,
                            int64_t shards, int64_t stride, bool once)
{
    const int zero = w->e->zero_level;
    int64_t group = zero >= 2 ? shards : ranks;
    double gather = gather_time(w, w->e->bytes_param * parameters, group, stride);
    double scatter = gather_time(w, w->e->bytes_grad * parameters, group, stride);
    if (zero >= 2 && shards < ranks) {
        double shard = w->e->bytes_grad * parameters / (double)shards;
        scatter += 2 * gather_time(w, shard, ranks / shards, stride * shards);
    }
    // PyTorch keeps parameters of a stage whole during a step with a pipeline, and may keep gradients
    // whole until the last micro-batch: then both are exchanged once.
    const struct stack *stack = &w->e->layers.stack;
    const bool piped = stack->pipeline_whole && w->s->pp > 1;
    const bool late = piped || (stack->accumulation_whole && w->micro_batches > 1);
    const bool gathers_often = zero >= 3 && !piped, scatters_often = zero >= 2 && !late;
    if (gathers_often && w->e->offload_parameters) { // shards come from the host and go back
        const struct hardware *hw = &w->e->layers.hardware;
        gather += hardware_host(hw, w->e->bytes_param * parameters / (double)shards);
        scatter += hardware_host(hw, w->e->bytes_grad * parameters / (double)shards);
    }
    if (once)
        return (gathers_often ? 0 : w->e->trained * gather) + (scatters_often ? 0 : scatter);
    return (scatters_often ? scatter : 0) + (gathers_often ? 2 * gather : 0);
}

static void exchange_times(const struct view *w, double common, double routed,
                           struct nd_time *time)
{
    const struct nd_strategy *s = w->s;
    const struct stack *stack = &w->e->layers.stack;
    const int64_t etp = w->e->layers.expert_tensor_parallel ? s->tp : 1;
    int64_t ranks = (int64_t)s->dp * s->cp, experts = ranks * s->tp / (s->ep * etp);
    if (experts < 1)
        experts = 1;
    double parts[2], late = 0;
    if (w->e->zero_level == 1) {
        late = gather_time(w, w->e->bytes_param * common, ranks, s->tp);
        if (routed > 0)
            late += gather_time(w, w->e->bytes_param * routed, experts, s->ep * etp);
        late *= w->e->trained * stack->gather_exposed;
    }
    for (int once = 0; once < 2; once++) {
        parts[once] = exchange_time(w, common, ranks, dense_shards(s), s->tp, once);
        if (routed > 0)
            parts[once] +=
                exchange_time(w, routed, experts, expert_shards(w->e, s), s->ep * etp, once);
    }
    for (int64_t m = 0; m < w->micro_batches; m++) {
        time->dp += parts[0];
        time->dp_exposed +=
            fmax(stack->zero_exposed * parts[0], parts[0] - stack->zero_hidden * time->stage);
    }
    time->dp += parts[1];
    const double rest = parts[1] - late;
    time->dp_exposed +=
        late + fmax(stack->dp_exposed * rest, rest - stack->dp_hidden * time->stage);
}

// The time of the optimizer: the device reads and writes at the rate of its memory, the host at that of the link, over
// which gradients come and parameters go.
static double update_time(const struct view *w, double updated)
{
    const struct nd_estimate *e = w->e;
    const bool piped = e->layers.stack.pipeline_whole && w->s->pp > 1;
    const bool host = e->offload_parameters && e->zero_level >= 3 && !piped;
    const double by_host = (host ? 1 : e->offload_optimizer) * updated;
    double bytes = 2 * e->bytes_optim + e->bytes_grad + e->bytes_param;
    if (!host)
        bytes += e->bytes_grad + e->bytes_param;
    return hardware_stream(&e->layers.hardware,
                           (updated - by_host) * (2 * e->bytes_optim + e->bytes_grad)) +
           hardware_host(&e->layers.hardware, by_host * bytes);
}

static double boundary_time(const struct view *w)
{
    if (w->s->pp == 1)
        return 0;
    int64_t apart = (int64_t)w->s->dp * w->s->tp * w->s->cp;
    bool across = apart >= w->e->layers.hardware.node;
    return across ? w->set->p2p_inter : w->set->p2p_intra;
}

static double weights_of(const struct view *w, const struct nd_stage *stage, int32_t i)
{
    const struct layercost_set *set = w->set;
    const double mtp = (double)w->e->mtp_depth;
    double sum = 0;
    for (int k = 0; k < kinds(w); k++)
        sum += stage->layers.of[k] * set->kind[k].weights;
    if (i == w->s->pp - 1)
        sum += (1 + mtp) * set->head.weights + mtp * set->mtp_weights;
    return sum;
}

// Bubbles of schedules that split the backward pass: tables of the two papers, summed over the other
// stages (model.md).
static double split_bubble(const struct view *w, const struct nd_stage *stage, int32_t longest)
{
    double forward = 0, backward = 0, weights = 0;
    for (int32_t i = 0; i < w->s->pp; i++) {
        const bool pair = has_pairs(w) && (i == longest || i == w->s->pp - 1 - longest);
        const double others = pair ? 0.5 : i == longest ? 0 : 1;
        forward += others * stage[i].forward;
        backward += others * stage[i].backward;
        weights += others * weights_of(w, &stage[i], i);
    }
    if (!has_two_stages(w))
        return fmax(0, forward + backward - 2 * weights);
    return (0.5 * w->s->pp - 1) / (w->s->pp - 1.0) *
           fmax(0, forward + 2 * backward - 3 * weights);
}

// The time of one micro-batch on a device. With DualPipe a device has two opposite stages, and half
// of the micro-batches go through each.
static double lasts(const struct view *w, const struct nd_stage *stage, int32_t i)
{
    const double own = stage[i].forward + stage[i].backward;
    const struct nd_stage *other = &stage[w->s->pp - 1 - i];
    return has_pairs(w) ? (own + other->forward + other->backward) / 2 : own;
}

static void whole_step(const struct view *w, const struct nd_point *point,
                       const struct nd_stage *stage, struct nd_time *time)
{
    const struct nd_estimate *e = w->e;
    const struct nd_strategy *s = w->s;
    double m = (double)w->micro_batches, sum = 0;
    int32_t longest = 0;
    memset(time, 0, sizeof *time);
    for (int32_t i = 0; i < s->pp; i++) {
        const double length = lasts(w, stage, i);
        sum += stage[i].forward + stage[i].backward;
        if (nd_is_longer(length, time->stage)) {
            time->stage = length;
            longest = i;
        }
    }
    time->pipe = m * time->stage;
    time->bubble = (sum - time->stage) / s->vp;
    if (s->vp == 1 && (e->schedule == TRAINING_ZERO_BUBBLE || e->schedule == TRAINING_DUALPIPE))
        time->bubble = split_bubble(w, stage, longest);
    time->p2p = 2 * (double)(s->pp - 1) * boundary_time(w);
    for (int32_t v = 0; v < s->vp; v++)
        time->p2p += m * e->layers.stack.pp_exposed * boundary_time(w);

    double etp = e->layers.expert_tensor_parallel ? s->tp : 1;
    double common = e->common_parameters / ((double)s->pp * s->tp);
    double routed = e->routed_parameters / ((double)s->pp * s->ep * etp);
    if (has_two_stages(w)) {
        common *= 2;
        routed *= 2;
    }
    exchange_times(w, common, routed, time);
    double updated = common + routed;
    if (e->zero_level >= 1)
        updated = common / (double)dense_shards(s) + routed / (double)expert_shards(e, s);
    time->optimizer = update_time(w, updated);
    time->step = time->pipe + time->bubble + time->p2p + time->dp_exposed + time->optimizer;

    const bool pairs = has_pairs(w);
    const int32_t opposite = s->pp - 1 - longest;
    for (int k = 0; k < 3; k++)
        time->exchange[k] = pairs
                                ? m / 2 * (exchanged(w, longest, k) + exchanged(w, opposite, k))
                                : m * exchanged(w, longest, k);
    double mtp = (double)e->mtp_depth;
    const struct layercost_head *head = &w->set->head;
    if (longest == s->pp - 1 || (pairs && longest == 0))
        time->head = (pairs ? 0.5 : 1) * m *
                     ((1 + mtp) * (head->forward + head->backward) +
                      mtp * (2 * w->set->mtp_forward + w->set->mtp_weights));
    double devices = (double)s->dp * s->tp * s->cp * s->pp, seq = (double)point->seq_length;
    double tokens = (double)point->gbs * seq;
    time->tokens_per_s = tokens / time->step;
    double offered = time->step * devices * e->layers.hardware.peak;
    time->mfu = nd_token_flops(e, seq) * tokens / offered;
    time->hfu = nd_made_flops(e, s->recompute, seq) * tokens / offered;
}

void nd_reference(const struct nd_estimate *e, const struct nd_point *point,
                  const struct nd_chunk *chunk, struct nd_stage *stage,
                  struct nd_memory *memory, struct nd_time *time)
{
    const struct nd_strategy *s = &point->strategy;
    struct layercost_shape shape = {s->tp, s->cp, s->ep, s->mbs, point->seq_length, s->sp};
    struct layercost_set set;
    layercost_of(&e->layers, &shape, &set);
    int64_t micro_batches = nd_micro_batches(point);
    struct view w = {e, s, chunk, &set, micro_batches < 1 ? 1 : micro_batches};
    for (int32_t i = 0; i < s->pp; i++)
        describe_stage(&w, i, &stage[i]);
    if (memory != NULL)
        worst_stage(stage, s->pp, memory);
    if (time != NULL)
        whole_step(&w, point, stage, time);
}
