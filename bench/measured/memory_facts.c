// SPDX-License-Identifier: Apache-2.0
// Maximises the likelihood of a logistic distribution of ln(true peak / predicted peak). A measured peak
// is a point of the distribution; a layout that ran has its peak below the memory of the device, and one
// that ran out of memory above it.
#include "bench/measured/memory_facts.h"

#include <math.h>
#include <string.h>

// A source of many rows counts as so many: its rows share a model, a cluster and a version.
static const double SOURCE_WEIGHT = 60;
// The fit pulls medians to 0 and scales to the usual one with the weight of one fact, so that few facts
// that merely ran do not say that everything fits. Both are close to those of all facts.
static const double USUAL_MEDIAN = 0.3, USUAL_SCALE = 0.1;
// A stack with fewer facts that limit the distribution on both sides has no group of its own.
enum { LEAST_FACTS = 20 };

static const char *stack_of(const struct memory_fact *fact)
{
    return stack_base(&fact->row->training.stack);
}

static bool is_of(const struct memory_fact *fact, const char *stack)
{
    return *stack == '\0' || strcmp(stack_of(fact), stack) == 0;
}

static bool is_from(const struct memory_fact *fact, const char *source)
{
    return strcmp(fact->row->source, source) == 0;
}

// Whether the fact limits the peak from below: one that merely ran does not.
static bool limits(const struct memory_fact *fact)
{
    return fact->row->memory > 0 || !fact->row->fits;
}

static double log_of_sum(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

// -ln(likelihood) of a fact.
static double surprise(const struct memory_fact *fact, double median, double scale)
{
    const struct nd_measurement *row = fact->row;
    if (row->memory > 0) {
        const double z = (log(row->memory / fact->predicted) - median) / scale;
        return z + 2 * log_of_sum(-z) + log(scale);
    }
    const double z = (log(row->hardware.memory / fact->predicted) - median) / scale;
    return log_of_sum(row->fits ? -z : z);
}

static int rows_of_source(const struct memory_facts *f, const char *stack, const char *source)
{
    int rows = 0;
    for (int i = 0; i < f->n; i++)
        rows += is_of(&f->of[i], stack) && is_from(&f->of[i], source);
    return rows;
}

// The facts of a stack that are not from `without` ("": all), with their weights.
struct chosen {
    const struct memory_fact *of[MEMORY_FACTS];
    double weights[MEMORY_FACTS];
    int n, limiting;
};

static void choose(struct chosen *c, const struct memory_facts *f, const char *stack,
                   const char *without)
{
    c->n = c->limiting = 0;
    for (int i = 0; i < f->n; i++) {
        const struct memory_fact *fact = &f->of[i];
        if (!is_of(fact, stack) || (*without != '\0' && is_from(fact, without)))
            continue;
        c->weights[c->n] = fmin(1, SOURCE_WEIGHT / rows_of_source(f, stack, fact->row->source));
        c->limiting += limits(fact);
        c->of[c->n++] = fact;
    }
}

static double cost(const struct chosen *c, double median, double scale)
{
    const double biased = median / USUAL_MEDIAN, wide = log(scale / USUAL_SCALE);
    double sum = (biased * biased + wide * wide) / 2;
    for (int i = 0; i < c->n; i++)
        sum += c->weights[i] * surprise(c->of[i], median, scale);
    return sum;
}

// Steps along the two parameters, halved while no step gains.
static void maximise(const struct chosen *c, double *median, double *scale)
{
    double best = cost(c, *median = 0, *scale = USUAL_SCALE);
    for (double step = 0.5; step > 1e-6;) {
        bool gained = false;
        for (int k = 0; k < 4; k++) {
            const double sign = k % 2 == 0 ? 1 : -1;
            const double at = *median + (k < 2 ? sign * step : 0);
            const double wide = *scale * (k < 2 ? 1 : exp(sign * step));
            const double now = cost(c, at, wide);
            if (now >= best)
                continue;
            best = now;
            *median = at;
            *scale = wide;
            gained = true;
        }
        if (!gained)
            step /= 2;
    }
}

// Fits the group of a stack. Returns whether it has facts enough.
static bool fit(const struct memory_facts *f, const char *stack, const char *without,
                struct nd_memory_group *group)
{
    static struct chosen chosen;
    choose(&chosen, f, stack, without);
    if (*stack != '\0' && chosen.limiting < LEAST_FACTS)
        return false;
    *group = (struct nd_memory_group){.stack = stack, .facts = chosen.n};
    maximise(&chosen, &group->median, &group->scale);
    return true;
}

static void collect(struct memory_facts *f, const struct measured *m)
{
    for (int i = 0; i < m->n; i++) {
        const double memory = measured_memory(m, &m->all[i]).total;
        if (!isnan(memory) && (m->all[i].memory > 0 || m->all[i].hardware.memory > 0))
            f->of[f->n++] = (struct memory_fact){&m->all[i], memory};
    }
}

static bool is_new_stack(const struct memory_facts *f, int i)
{
    for (int j = 0; j < i; j++)
        if (strcmp(stack_of(&f->of[j]), stack_of(&f->of[i])) == 0)
            return false;
    return true;
}

void memory_facts_fit(struct memory_facts *f, const struct measured *steps,
                      const struct measured *layouts)
{
    f->n = f->n_groups = 0;
    collect(f, steps);
    collect(f, layouts);
    for (int i = 0; i < f->n && f->n_groups < MEMORY_GROUPS - 1; i++)
        if (is_new_stack(f, i))
            f->n_groups += fit(f, stack_of(&f->of[i]), "", &f->groups[f->n_groups]);
    f->n_groups += fit(f, "", "", &f->groups[f->n_groups]);
}

bool memory_facts_differ(const struct memory_facts *f)
{
    int n;
    const struct nd_memory_group *kept = nd_memory_groups(&n);
    if (n != f->n_groups)
        return true;
    for (int i = 0; i < n; i++)
        if (strcmp(kept[i].stack, f->groups[i].stack) != 0 ||
            kept[i].facts != f->groups[i].facts ||
            fabs(kept[i].median - f->groups[i].median) > 6e-4 ||
            fabs(kept[i].scale - f->groups[i].scale) > 6e-4)
            return true;
    return false;
}

void memory_facts_write_groups(FILE *o, const struct memory_facts *f)
{
    fprintf(o, "// Made by measured_steps --memory.\n// clang-format off\n");
    for (int i = 0; i < f->n_groups; i++)
        fprintf(o, "{\"%s\", %d, %.3f, %.3f},\n", f->groups[i].stack, f->groups[i].facts,
                f->groups[i].median, f->groups[i].scale);
    fprintf(o, "// clang-format on\n");
}

// ---- the page -----------------------------------------------------------------------------------

static void write_stacks(FILE *o)
{
    int n;
    const struct nd_memory_group *groups = nd_memory_groups(&n);
    fprintf(o, "| stack | facts | true / predicted peak, median | four of five between |\n"
               "| --- | --- | --- | --- |\n");
    for (int i = 0; i < n; i++) {
        const double width = groups[i].scale * log(9); // from one tenth to nine tenths
        fprintf(o, "| %s | %d | %.2f | %.2f and %.2f |\n",
                *groups[i].stack != '\0' ? groups[i].stack : "all", groups[i].facts,
                exp(groups[i].median), exp(groups[i].median - width),
                exp(groups[i].median + width));
    }
}

enum { BINS = 5 };

// Layouts by the probability of fitting that the model said.
struct said {
    int layouts[BINS], ran[BINS];
    double sum[BINS];
};

static void add(struct said *said, const struct memory_fact *fact,
                const struct nd_memory_group *group)
{
    const struct nd_measurement *row = fact->row;
    if (row->hardware.memory <= 0)
        return;
    const double p = nd_fit_probability(group, fact->predicted, row->hardware.memory);
    const int bin = (int)fmin(BINS - 1, p * BINS);
    said->layouts[bin]++;
    said->ran[bin] += row->fits;
    said->sum[bin] += p;
}

static bool is_like(const struct memory_fact *a, const struct memory_fact *b)
{
    return is_of(a, stack_of(b)) && is_from(a, b->row->source);
}

// Adds all facts with the source and the stack of fact i, by a fit that saw none of this source. A later
// fact of them adds nothing.
static void add_source(struct said *said, const struct memory_facts *f, int i)
{
    struct nd_memory_group group;
    for (int j = 0; j < i; j++)
        if (is_like(&f->of[j], &f->of[i]))
            return;
    if (!fit(f, stack_of(&f->of[i]), f->of[i].row->source, &group))
        fit(f, "", f->of[i].row->source, &group);
    for (int j = i; j < f->n; j++)
        if (is_like(&f->of[j], &f->of[i]))
            add(said, &f->of[j], &group);
}

void memory_facts_write(FILE *o, const struct memory_facts *f)
{
    struct said said = {0};
    write_stacks(o);
    for (int i = 0; i < f->n; i++)
        add_source(&said, f, i);
    fprintf(
        o,
        "\n| said, source left out | layouts | mean said | ran |\n| --- | --- | --- | --- |\n");
    for (int k = 0; k < BINS; k++)
        if (said.layouts[k] > 0)
            fprintf(o, "| %d to %d %% | %d | %.0f %% | %.0f %% |\n", 100 * k / BINS,
                    100 * (k + 1) / BINS, said.layouts[k], 100 * said.sum[k] / said.layouts[k],
                    100.0 * said.ran[k] / said.layouts[k]);
}
