// SPDX-License-Identifier: Apache-2.0
// The model against published measurements, as Markdown:
//   measured_steps docs/ndsearch-measurements.json > docs/ndsearch-measurements.md
//   measured_steps docs/ndsearch-measurements.json --check docs/ndsearch-measurements.md
// The second form writes nothing and fails where the file would come out otherwise: a change of the
// model must come with its figures.
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measured_page.h"

#include "base/math/units.h"
#include "planner/nd/profiling/calibrate.h"

enum { MOST = 256, GROUPS = 5, UNKNOWNS = 1 << ND_GEMM | 1 << ND_MEMORY | 1 << ND_LINK };

struct work {
    struct nd_measurement all[MOST];
    int n;
    struct nd_cache *cache;
    FILE *out;
};

// Sets that one fit is made of.
struct group {
    const char *title;
    const char *sets[3];
    const struct nd_measurement *in[MOST];
    int n;
    struct nd_fit fit;
    double mean_before, mean_left_out; // with the built-in efficiencies; of points left out
};

static struct group groups[GROUPS] = {
    {.title = "A100, Korthikanti et al. alone", .sets = {"korthikanti"}},
    {.title = "A100, both tables", .sets = {"korthikanti", "narayanan"}},
    {.title = "B200, dense models alone", .sets = {"b200_dense"}},
    {.title = "B200, models with experts alone", .sets = {"b200_moe"}},
    {.title = "B200, both tables", .sets = {"b200_dense", "b200_moe"}},
};

static double error_of(const struct work *w,
                       const struct nd_measurement *m,
                       const struct hardware *hardware)
{
    return nd_predict(m, hardware, w->cache) / m->seconds - 1;
}

// ---- fits ---------------------------------------------------------------------------------------

static void collect(struct work *w, struct group *g)
{
    g->n = 0;
    for (int i = 0; i < w->n; i++)
        for (int s = 0; s < 3 && g->sets[s] != NULL; s++)
            if (strcmp(w->all[i].set, g->sets[s]) == 0)
                g->in[g->n++] = &w->all[i];
}

static void fit_group(struct work *w, struct group *g)
{
    collect(w, g);
    if (g->n == 0) {
        fprintf(stderr, "measured_steps: no measurements for \"%s\"\n", g->title);
        exit(1);
    }
    nd_calibrate(g->in, g->n, UNKNOWNS, &g->in[0]->hardware, w->cache, &g->fit);
    g->mean_before = 0;
    for (int i = 0; i < g->n; i++)
        g->mean_before += fabs(error_of(w, g->in[i], &g->in[i]->hardware)) / g->n;
    g->mean_left_out = nd_left_out_error(g->in, g->n, UNKNOWNS, &g->in[0]->hardware, w->cache);
}

// All that fits were made of, device by device.
static void write_sum(const struct work *w)
{
    const struct group *devices[2] = {&groups[1], &groups[GROUPS - 1]};
    double before = 0, fitted = 0, left_out = 0;
    int n = 0;
    for (int i = 0; i < 2; i++) {
        n += devices[i]->n;
        before += devices[i]->n * devices[i]->mean_before;
        fitted += devices[i]->n * devices[i]->fit.mean_error;
        left_out += devices[i]->n * devices[i]->mean_left_out;
    }
    fprintf(
        w->out,
        "| both devices, each by its own fit | %d | %.2f %% | %.2f %% | | %.2f %% | | | |\n", n,
        100 * before / n, 100 * fitted / n, 100 * left_out / n);
}

static void write_fits(const struct work *w)
{
    fprintf(w->out, "| fit | points | built-in | fitted | worst, fitted | cross-validated | "
                    "`eg` | `em` | `el` |\n"
                    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < GROUPS; i++) {
        const struct group *g = &groups[i];
        const struct hardware *h = &g->fit.hardware;
        fprintf(w->out,
                "| %s | %d | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %.3f | %.3f | %.3f |\n",
                g->title, g->n, 100 * g->mean_before, 100 * g->fit.mean_error,
                100 * g->fit.worst_error, 100 * g->mean_left_out, h->gemm_eff, h->memory_eff,
                h->link_eff);
    }
    write_sum(w);
}

// ---- order of configurations --------------------------------------------------------------------

static double device_seconds_a_token(const struct nd_measurement *m, double seconds)
{
    const struct nd_strategy *s = &m->point.strategy;
    double devices = (double)s->dp * s->tp * s->cp * s->pp;
    return seconds * devices / ((double)m->point.gbs * (double)m->point.seq_length);
}

struct pairs {
    int n, right;
};

// Pairs that differ by more than a tenth. Of one model by what a token costs; of all by the time of
// a step.
static struct pairs rank(const struct work *w, const struct hardware *hardware, bool same_model)
{
    const struct group *g = &groups[GROUPS - 1];
    struct pairs pairs = {0, 0};
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < i; j++) {
            const struct nd_measurement *a = g->in[i], *b = g->in[j];
            if (same_model && strcmp(a->model_name, b->model_name) != 0)
                continue;
            double x = a->seconds, y = b->seconds;
            double p = nd_predict(a, hardware, w->cache), q = nd_predict(b, hardware, w->cache);
            if (same_model) {
                x = device_seconds_a_token(a, x);
                y = device_seconds_a_token(b, y);
                p = device_seconds_a_token(a, p);
                q = device_seconds_a_token(b, q);
            }
            if (fmax(x, y) <= 1.1 * fmin(x, y))
                continue;
            pairs.n++;
            pairs.right += (x < y) == (p < q);
        }
    return pairs;
}

static void write_ranks(const struct work *w)
{
    const struct group *g = &groups[GROUPS - 1];
    const struct hardware *sets[2] = {&g->in[0]->hardware, &g->fit.hardware};
    static const char *const names[2] = {"built-in", "fitted"};
    fprintf(w->out, "| efficiencies | pairs | right | pairs of one model | right |\n"
                    "| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < 2; i++) {
        struct pairs all = rank(w, sets[i], false), model = rank(w, sets[i], true);
        fprintf(w->out, "| %s | %d | %.1f %% | %d | %.1f %% |\n", names[i], all.n,
                100.0 * all.right / all.n, model.n, 100.0 * model.right / model.n);
    }
}

// ---- points -------------------------------------------------------------------------------------

static const char *const modes[] = {"none", "select", "full"};

static void write_strategy(const struct work *w, const struct nd_measurement *m)
{
    const struct nd_strategy *s = &m->point.strategy;
    char mbs[16];
    snprintf(mbs, sizeof mbs, s->mbs > 0 ? "%d" : "best", s->mbs);
    fprintf(w->out, "| %s | %d/%d/%d/%d/%d | %d | %s | %lld | %lld | %s | %s ", m->model_name,
            s->dp, s->tp, s->cp, s->pp, s->ep, s->vp, mbs, (long long)m->point.seq_length,
            (long long)m->point.gbs, modes[s->recompute], s->sp ? "yes" : "no");
}

// The largest group that the set is in.
static const struct group *group_of(const char *set)
{
    const struct group *found = NULL;
    for (int i = 0; i < GROUPS; i++)
        for (int s = 0; s < 3 && groups[i].sets[s] != NULL; s++)
            if (strcmp(groups[i].sets[s], set) == 0)
                found = &groups[i];
    return found;
}

static void write_set(const struct work *w, const char *set, const struct hardware *fitted)
{
    double sum[2] = {0, 0};
    int n = 0;
    fprintf(
        w->out,
        "| model | dp/tp/cp/pp/ep | vp | mbs | seq | gbs | recompute | sp | measured, s | "
        "built-in, s | error | fitted, s | error |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < w->n; i++) {
        const struct nd_measurement *m = &w->all[i];
        if (strcmp(m->set, set) != 0)
            continue;
        const struct hardware *two[2] = {&m->hardware, fitted != NULL ? fitted : &m->hardware};
        write_strategy(w, m);
        fprintf(w->out, "| %.4f ", m->seconds);
        for (int k = 0; k < 2; k++) {
            double error = error_of(w, m, two[k]);
            sum[k] += fabs(error);
            if (k == 0 || fitted != NULL)
                fprintf(w->out, "| %.4f | %+.1f %% ", (1 + error) * m->seconds, 100 * error);
            else
                fprintf(w->out, "| | ");
        }
        fprintf(w->out, "|\n");
        n++;
    }
    fprintf(w->out, "\nMean absolute error: %.2f %% built-in", 100 * sum[0] / n);
    if (fitted != NULL)
        fprintf(w->out, ", %.2f %% fitted", 100 * sum[1] / n);
    fprintf(w->out, ".\n");
}

// ---- memory -------------------------------------------------------------------------------------

static double memory_of(const struct work *w, const struct nd_measurement *m, bool buffers)
{
    struct cluster cluster = {.node_devices = m->hardware.node, .hardware = m->hardware};
    struct training training = m->training;
    struct nd_estimate e;
    struct nd_memory memory;
    training.dummy_wgrad = buffers;
    nd_estimate_open(&e, &m->model, &cluster, &training, 0);
    memset(w->cache, 0, nd_cache_bytes());
    nd_estimate(&e, w->cache, &m->point, &memory, NULL);
    return memory.total;
}

static void write_memory(const struct work *w)
{
    double sum[2] = {0, 0};
    int n = 0;
    fprintf(
        w->out,
        "| model | dp/tp/cp/pp/ep | seq | measured, GiB | model, GiB | error | with buffers, "
        "GiB | error |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < w->n; i++) {
        const struct nd_measurement *m = &w->all[i];
        const struct nd_strategy *s = &m->point.strategy;
        if (m->memory == 0)
            continue;
        fprintf(w->out, "| %s | %d/%d/%d/%d/%d | %lld | %.2f ", m->model_name, s->dp, s->tp,
                s->cp, s->pp, s->ep, (long long)m->point.seq_length, units_to_gib(m->memory));
        for (int k = 0; k < 2; k++) {
            double bytes = memory_of(w, m, k == 1), error = bytes / m->memory - 1;
            sum[k] += fabs(error);
            fprintf(w->out, "| %.2f | %+.1f %% ", units_to_gib(bytes), 100 * error);
        }
        fprintf(w->out, "|\n");
        n++;
    }
    fprintf(w->out, "\nMean absolute error: %.2f %%, with buffers %.2f %%.\n", 100 * sum[0] / n,
            100 * sum[1] / n);
}

// ---- the page -----------------------------------------------------------------------------------

static void write_devices(const struct work *w)
{
    int n;
    const struct hardware *all = hardware_all(&n);
    fprintf(w->out,
            "| device | `eg` | `ea` | `em` | `el` | measured steps here | efficiencies |\n"
            "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < n; i++) {
        const struct hardware *h = &all[i];
        int points = 0;
        for (int k = 0; k < w->n; k++)
            points += strcmp(w->all[k].hardware.name, h->name) == 0;
        fprintf(w->out, "| %s | %.2f | %.2f | %.2f | %.2f | %d | %s |\n", h->name, h->gemm_eff,
                h->attention_eff, h->memory_eff, h->link_eff, points,
                points == 0     ? "inherited from the nearest device, not measured"
                : h->calibrated ? "calibrated on published steps"
                                : "not calibrated");
    }
}

static const char *device_of(const struct work *w, const char *set)
{
    int i = 0;
    while (i < w->n - 1 && strcmp(w->all[i].set, set) != 0)
        i++;
    return w->all[i].hardware.name;
}

static void write_page(struct work *w, const cJSON *document)
{
    const cJSON *set;
    FILE *o = w->out;
    fputs(page_begin, o);
    write_fits(w);
    fputs(page_devices, o);
    write_devices(w);
    fputs(page_order, o);
    write_ranks(w);
    cJSON_ArrayForEach(set, cJSON_GetObjectItemCaseSensitive(document, "sets"))
    {
        const char *name = cJSON_GetObjectItemCaseSensitive(set, "name")->valuestring;
        const struct group *g = group_of(name);
        bool held = strcmp(name, "b200_long") == 0;
        fprintf(o, "\n## %s, %s\n\n%s. %s\n\n", name, device_of(w, name),
                cJSON_GetObjectItemCaseSensitive(set, "source")->valuestring,
                g != NULL ? "Fitted: all tables of this device together."
                : held    ? "In no fit: *fitted* are the efficiencies of the other B200 tables."
                          : "In no fit.");
        write_set(w, name,
                  g != NULL ? &g->fit.hardware
                  : held    ? &groups[GROUPS - 1].fit.hardware
                            : NULL);
    }
    fputs(page_memory, o);
    write_memory(w);
}

static char *slurp(const char *path)
{
    enum { ROOM = 1 << 20 };
    FILE *file = fopen(path, "r");
    char *text = calloc(1, ROOM);
    if (file == NULL || text == NULL) {
        fprintf(stderr, "measured_steps: cannot read %s\n", path);
        exit(1);
    }
    if (fread(text, 1, ROOM - 1, file) == ROOM - 1) {
        fprintf(stderr, "measured_steps: %s is too large\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static int check(const char *path, const char *made)
{
    char *kept = slurp(path);
    int differ = strcmp(kept, made) != 0;
    if (differ)
        fprintf(stderr,
                "measured_steps: %s differs from the output of the model; write it again\n",
                path);
    free(kept);
    return differ;
}

int main(int argc, char **argv)
{
    static struct work w;
    struct pps_fault fault;
    bool checking = argc == 4 && strcmp(argv[2], "--check") == 0;
    if (argc != 2 && !checking) {
        fprintf(stderr, "usage: measured_steps MEASUREMENTS [--check PAGE]\n");
        return 2;
    }
    char *text = slurp(argv[1]), *page = NULL;
    size_t size = 0;
    cJSON *document = cJSON_Parse(text);
    w.cache = aligned_alloc(64, (nd_cache_bytes() + 63) / 64 * 64);
    w.out = checking ? open_memstream(&page, &size) : stdout;
    if (document == NULL || w.cache == NULL || w.out == NULL)
        return 1;
    memset(w.cache, 0, nd_cache_bytes());
    if (!nd_measurements_read(w.all, MOST, &w.n, document, &fault)) {
        fprintf(stderr, "%s: %s\n", argv[1], fault.text);
        return 2;
    }
    for (int i = 0; i < GROUPS; i++)
        fit_group(&w, &groups[i]);
    write_page(&w, document);
    int status = checking ? fclose(w.out) != 0 || check(argv[3], page) : fflush(stdout) != 0;
    free(page);
    free(text);
    free(w.cache);
    cJSON_Delete(document);
    return status;
}
