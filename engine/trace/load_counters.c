// SPDX-License-Identifier: Apache-2.0
// Writes loads as counters.
#include "engine/trace/load_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_VALUES = 100000, // of all groups
    MOST_LOADS = 16,      // more are not written
};

static bool has_work(const struct pps_load *load, int32_t group)
{
    for (int32_t track = 0; track < load->n_tracks; track++)
        if (pps_load_has(load, group, track))
            return true;
    return false;
}

bool pps_load_counters_open(struct pps_load_counters *c,
                            const struct pps_trace_names *names,
                            const struct pps_load *load,
                            double end)
{
    *c =
        (struct pps_load_counters){.load = load,
                                   .names = names->loads != NULL ? names->loads : names->tracks,
                                   .load_of = names->load_of,
                                   .end = end,
                                   .step = 1};
    c->has = calloc(load->n_groups + 1, sizeof *c->has);
    if (c->has == NULL)
        return false;
    while (c->n < MOST_LOADS && c->names[c->n] != NULL)
        c->n++;
    for (size_t g = 0; g < load->n_groups; g++) {
        c->has[g] = has_work(load, (int32_t)g);
        c->n_groups += c->has[g];
    }
    while (c->step < PPS_LOAD_BINS &&
           (c->n_groups + 1) * (PPS_LOAD_BINS / c->step) > MOST_VALUES)
        c->step *= 2;
    snprintf(c->title, sizeof c->title, "load (mean of %.6g%s%.30s)", load->width * c->step,
             names->time_unit != NULL ? " " : "",
             names->time_unit != NULL ? names->time_unit : "");
    return true;
}

void pps_load_counters_close(struct pps_load_counters *counters)
{
    free(counters->has);
    counters->has = NULL;
}

bool pps_load_counters_has(const struct pps_load_counters *c, int32_t group)
{
    return c->has[group];
}

static void add_group(const struct pps_load_counters *c, int32_t group, int bin, double *sums)
{
    for (int32_t track = 0; track < c->load->n_tracks; track++) {
        const int l = c->load_of != NULL ? c->load_of[track] : track;
        if (l < c->n)
            sums[l] += pps_load_mean(c->load, group, track, bin, c->step, c->end);
    }
}

static void find_loads(const struct pps_load_counters *c, int32_t group, int bin, double *sums)
{
    for (int l = 0; l < c->n; l++)
        sums[l] = 0;
    if (group >= 0)
        add_group(c, group, bin, sums);
    for (int32_t g = 0; group < 0 && g < (int32_t)c->load->n_groups; g++)
        if (c->has[g])
            add_group(c, g, bin, sums);
    for (int l = 0; l < c->n; l++)
        sums[l] = round(sums[l] / (group < 0 ? c->n_groups : 1) * 1000) / 1000;
}

static void write_values(const struct pps_load_counters *c,
                         struct pps_chrome_writer *chrome,
                         int32_t process,
                         double time,
                         const double *values)
{
    pps_chrome_begin_counter(chrome, process, c->title, "", time);
    for (int l = 0; l < c->n; l++)
        pps_chrome_write_real(chrome, c->names[l], values[l]);
    pps_chrome_end_event(chrome);
}

void pps_load_counters_write(const struct pps_load_counters *c,
                             int32_t group,
                             struct pps_chrome_writer *chrome,
                             int32_t process)
{
    double values[MOST_LOADS] = {0}, last[MOST_LOADS] = {0};
    const int n_bins = pps_load_bins(c->load, c->end);
    for (int bin = 0; bin < n_bins; bin += c->step) {
        bool differs = bin == 0;
        find_loads(c, group, bin, values);
        for (int l = 0; l < c->n; l++) {
            differs = differs || values[l] != last[l];
            last[l] = values[l];
        }
        if (differs)
            write_values(c, chrome, process, c->load->begin + bin * c->load->width, values);
    }
    for (int l = 0; l < c->n; l++)
        values[l] = 0;
    write_values(c, chrome, process, c->end, values);
}
