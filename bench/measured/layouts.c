// SPDX-License-Identifier: Apache-2.0
// Sums errors by source. Two layouts are compared where they share model, sequence and devices.
#include "bench/measured/layouts.h"

#include "base/math/units.h"
#include "planner/nd/profiling/order_right.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct view {
    struct measured *m;
    double seconds[ND_MEASURED], memory[ND_MEASURED]; // predicted
};

static void predict(struct view *v, struct measured *m)
{
    v->m = m;
    for (int i = 0; i < m->n; i++) {
        v->memory[i] = measured_memory(m, &m->all[i]).total;
        v->seconds[i] = nd_predict(&m->all[i], m->cache);
    }
}

static double devices(const struct nd_measurement *row)
{
    const struct nd_strategy *s = &row->point.strategy;
    return (double)s->dp * s->tp * s->cp * s->pp;
}

// Sets of one table that differ in the level of ZeRO have the names TABLE_z0 and TABLE_z1.
static size_t stem(const char *set)
{
    const char *level = strstr(set, "_z");
    return level != NULL ? (size_t)(level - set) : strlen(set);
}

static bool same_table(const struct nd_measurement *a, const struct nd_measurement *b)
{
    return stem(a->set) == stem(b->set) && strncmp(a->set, b->set, stem(a->set)) == 0 &&
           strcmp(a->model_name, b->model_name) == 0 &&
           a->point.seq_length == b->point.seq_length && devices(a) <= devices(b) &&
           devices(a) >= devices(b);
}

static double per_sequence(const struct nd_measurement *row, double seconds)
{
    return seconds / (double)row->point.gbs;
}

struct tally {
    int timed, pairs, right, tables, ran_out, facts, facts_right, peaks;
    double error, bias, left_out, slower;
    double ratios[ND_MEASURED];
};

static void add_pairs(const struct view *v, int i, struct tally *t)
{
    const struct nd_measurement *all = v->m->all;
    for (int j = 0; j < i; j++) {
        if (all[j].seconds <= 0 || !same_table(&all[i], &all[j]))
            continue;
        const double x = per_sequence(&all[i], all[i].seconds);
        const double y = per_sequence(&all[j], all[j].seconds);
        if (fmax(x, y) <= 1.02 * fmin(x, y))
            continue;
        t->pairs++;
        t->right += (x < y) == (per_sequence(&all[i], v->seconds[i]) <
                                per_sequence(&all[j], v->seconds[j]));
    }
}

// Whether the model takes the layout to fit; what is not known fits.
static bool fits(const struct view *v, int i)
{
    const double memory = v->m->all[i].hardware.memory;
    return memory <= 0 || !(v->memory[i] > memory);
}

// How much slower than the best layout of a table that one is which the model takes for the best of those that fit.
static void add_choice(const struct view *v, int begin, struct tally *t)
{
    const struct nd_measurement *all = v->m->all;
    double best = HUGE_VAL, least = HUGE_VAL;
    int rows = 0, chosen = -1;
    for (int i = 0; i < v->m->n; i++) {
        if (!same_table(&all[begin], &all[i]))
            continue;
        if (i < begin && all[i].seconds > 0)
            return; // counted with its first row
        const double predicted = per_sequence(&all[i], v->seconds[i]);
        rows += all[i].seconds > 0;
        if (all[i].seconds > 0)
            best = fmin(best, per_sequence(&all[i], all[i].seconds));
        if (fits(v, i) && predicted < least) {
            chosen = i;
            least = predicted;
        }
    }
    if (rows < 3 || chosen < 0)
        return;
    t->tables++;
    t->ran_out += !all[chosen].fits;
    if (all[chosen].seconds > 0)
        t->slower += per_sequence(&all[chosen], all[chosen].seconds) / best - 1;
}

static void add_row(const struct view *v, int i, struct tally *t)
{
    const struct nd_measurement *row = &v->m->all[i];
    if (row->seconds > 0) {
        const double error = v->seconds[i] / row->seconds - 1;
        t->timed++;
        t->error += fabs(error);
        t->bias += error;
        t->left_out += fabs(v->m->left_out[i]);
        add_pairs(v, i, t);
        add_choice(v, i, t);
    }
    if (isnan(v->memory[i]))
        return;
    if (row->memory > 0)
        t->ratios[t->peaks++] = v->memory[i] / row->memory;
    if (row->hardware.memory > 0) {
        t->facts++;
        t->facts_right += fits(v, i) == row->fits;
    }
}

static void print(FILE *o, const char *source, struct tally *t)
{
    fprintf(o, "| %s | %d | ", source, t->timed);
    if (t->timed > 0)
        fprintf(o, "%.1f %% | %+.1f %% | %.1f %%", 100 * t->error / t->timed,
                100 * t->bias / t->timed, 100 * t->left_out / t->timed);
    else
        fprintf(o, "| |");
    fprintf(o, " | ");
    if (t->pairs > 2)
        fprintf(o, "%+.2f, %d", 2.0 * t->right / t->pairs - 1, t->pairs);
    fprintf(o, " | ");
    if (t->tables > t->ran_out)
        fprintf(o, "%.1f %%, ", 100 * t->slower / (t->tables - t->ran_out));
    if (t->tables > 0)
        fprintf(o, "%d, %d", t->tables, t->ran_out);
    fprintf(o, " | ");
    if (t->facts > 0)
        fprintf(o, "%.0f %%, %d", 100.0 * t->facts_right / t->facts, t->facts);
    fprintf(o, " | ");
    qsort(t->ratios, (size_t)t->peaks, sizeof *t->ratios, measured_by_value);
    if (t->peaks > 0)
        fprintf(o, "%.2f, %d ", t->ratios[t->peaks / 2], t->peaks);
    fprintf(o, "|\n");
}

static void write_source(FILE *o, const struct view *v, const char *source)
{
    static struct tally t;
    memset(&t, 0, sizeof t);
    for (int i = 0; i < v->m->n; i++)
        if (source == NULL || strcmp(v->m->all[i].source, source) == 0)
            add_row(v, i, &t);
    print(o, source != NULL ? source : "all", &t);
}

void layouts_write(FILE *o, struct measured *m)
{
    static struct view v;
    predict(&v, m);
    fprintf(o,
            "| source | steps | error | bias | source left out | Kendall, pairs | first choice "
            "slower, tables, ran out | memory right, facts | memory, peaks |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < m->n; i++)
        if (measured_new_source(m, i))
            write_source(o, &v, m->all[i].source);
    write_source(o, &v, NULL);
}

// ---- the order of two rows ----------------------------------------------------------------------

struct order {
    int pairs, right;
};

// Adds the pairs of row i whose predicted times differ by `least` to `most` of the shorter one. Measured times that
// differ by less than 0.5 % have no order.
static void add_order(const struct view *v, int i, double least, double most, struct order *o)
{
    const struct nd_measurement *all = v->m->all;
    for (int j = 0; j < i; j++) {
        if (all[j].seconds <= 0 || all[i].seconds <= 0 || !same_table(&all[i], &all[j]))
            continue;
        const double a = per_sequence(&all[i], v->seconds[i]);
        const double b = per_sequence(&all[j], v->seconds[j]);
        const double x = per_sequence(&all[i], all[i].seconds);
        const double y = per_sequence(&all[j], all[j].seconds);
        const double apart = fmax(a, b) / fmin(a, b) - 1;
        if (apart < least || apart >= most || fmax(x, y) <= 1.005 * fmin(x, y))
            continue;
        o->pairs++;
        o->right += (a < b) == (x < y);
    }
}

// The order of all pairs of an entry of the table that reports print.
static struct order order_of(const struct view *v, int entry)
{
    int n;
    const struct nd_order_right *table = nd_order_right_all(&n);
    struct order order = {0, 0};
    for (int i = 0; i < v->m->n; i++)
        add_order(v, i, entry > 0 ? table[entry - 1].below : 0, table[entry].below, &order);
    return order;
}

void layouts_write_order(FILE *o, struct measured *m)
{
    int n;
    const struct nd_order_right *table = nd_order_right_all(&n);
    static struct view v;
    predict(&v, m);
    fprintf(o, "| predicted times differ by | pairs | in this order when measured |\n"
               "| --- | --- | --- |\n");
    for (int k = 0; k < n; k++) {
        const struct order order = order_of(&v, k);
        const double least = k > 0 ? 100 * table[k - 1].below : 0;
        if (k + 1 < n)
            fprintf(o, "| %.0f to %.0f %%", least, 100 * table[k].below);
        else
            fprintf(o, "| more than %.0f %%", least);
        fprintf(o, " | %d | %.0f %% |\n", order.pairs, 100.0 * order.right / order.pairs);
    }
}

bool layouts_order_differs(struct measured *m)
{
    int n;
    const struct nd_order_right *table = nd_order_right_all(&n);
    static struct view v;
    predict(&v, m);
    for (int k = 0; k < n; k++) {
        const struct order order = order_of(&v, k);
        if (order.pairs != table[k].pairs || order.right != table[k].right) {
            fprintf(stderr, "pairs %d of entry %d: %d right\n", order.pairs, k, order.right);
            return true;
        }
    }
    return false;
}

void layouts_write_rows(FILE *o, struct measured *m)
{
    static struct view v;
    predict(&v, m);
    fprintf(o,
            "source\tset\tmodel\tdp\ttp\tcp\tpp\tep\tvp\tmbs\tseq\tgbs\trecompute\tsp\tfits\t"
            "measured_s\tpredicted_s\tmeasured_gib\tpredicted_gib\tdevice_gib\tstack\n");
    for (int i = 0; i < m->n; i++) {
        const struct nd_measurement *row = &m->all[i];
        const struct nd_strategy *s = &row->point.strategy;
        fprintf(o,
                "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%lld\t%lld\t%d\t%d\t%d\t%.6g\t%.6g\t"
                "%.4g\t%.4g\t%.4g\t%s\n",
                row->source, row->set, row->model_name, s->dp, s->tp, s->cp, s->pp, s->ep,
                s->vp, s->mbs, (long long)row->point.seq_length, (long long)row->point.gbs,
                (int)s->recompute, s->sp, row->fits, row->seconds, v.seconds[i],
                units_to_gib(row->memory), units_to_gib(v.memory[i]),
                units_to_gib(row->hardware.memory), stack_base(&row->training.stack));
    }
}
