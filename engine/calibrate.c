// SPDX-License-Identifier: Apache-2.0
// Measuring a sample of a sweep.
#include "calibrate.h"

#include "machine.h"
#include "rows.h"

#include <stdlib.h>

enum { LOOK_AT_CLOCK = 1024 };

struct sample {
    double points, rows, text_bytes, data_bytes, seconds;
    struct pps_left_out left_out[PPS_MAX_REASONS];
};

// ---- counting what is left out ----------------------------------------------------------------

static enum pps_status count_rows(const struct pps_experiment *e,
                                  double seconds,
                                  struct pps_forecast *f,
                                  struct pps_error *err)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    const double start = pps_wall_seconds();
    uint64_t rows = 0;
    if (cursor == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory to count the points");
    pps_cursor_seek(cursor, &e->space, 0);
    f->exact = true;
    while (pps_cursor_next(cursor, e->n_points, f->left_out)) {
        pps_cursor_step(cursor);
        if (++rows % LOOK_AT_CLOCK == 0 && pps_wall_seconds() - start > seconds) {
            f->exact = cursor->index >= e->n_points;
            break;
        }
    }
    f->rows = (double)rows;
    free(cursor);
    return PPS_OK;
}

// ---- running a sample -------------------------------------------------------------------------

static enum pps_status run_stretch(struct pps_rowmaker *maker,
                                   struct pps_codec *codec,
                                   uint64_t first,
                                   uint64_t n,
                                   struct sample *sample,
                                   struct pps_error *err)
{
    const atomic_bool never = false;
    struct pps_rows rows;
    enum pps_status status = pps_rowmaker_make(maker, first, n, &never, &rows, err);
    if (status != PPS_OK)
        return status;
    const size_t bound = pps_codec_bound(codec, rows.n);
    unsigned char *data = malloc(bound > 0 ? bound : 1);
    if (data == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for a compressed block");
    sample->data_bytes += (double)pps_codec_block(codec, rows.text, rows.n, data, bound);
    free(data);
    sample->points += (double)n;
    sample->rows += (double)rows.rows;
    sample->text_bytes += (double)rows.n;
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        sample->left_out[r].n += rows.left_out[r].n;
    return PPS_OK;
}

// A permutation of 0 ... n-1 whose beginnings are spread evenly: steps of about 0.618 n, made
// coprime to n.
static uint64_t spread(uint64_t s, uint64_t n)
{
    uint64_t step = (uint64_t)(0.618033988749895 * (double)n) | 1;
    for (uint64_t a = n, b = step; b != 0;) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
        if (b == 0 && a != 1) {
            step += 2;
            a = n;
            b = step;
        }
    }
    return (uint64_t)((__uint128_t)s * step % n);
}

// Stretches that fill the space ever more evenly, until time is up or the space is covered.
static enum pps_status run_sample(const struct pps_experiment *e,
                                  struct pps_rowmaker *maker,
                                  struct pps_codec *codec,
                                  double seconds,
                                  struct sample *sample,
                                  struct pps_error *err)
{
    const uint64_t block = pps_block_points(e);
    const uint64_t stretch = block > 16 * PPS_BATCH ? 16 * PPS_BATCH : block;
    const uint64_t n_stretches = e->n_points / stretch + (e->n_points % stretch != 0);
    const double start = pps_wall_seconds();
    for (uint64_t s = 0; s < n_stretches; s++) {
        const uint64_t first = spread(s, n_stretches) * stretch;
        const uint64_t left = e->n_points - first;
        enum pps_status status =
            run_stretch(maker, codec, first, left < stretch ? left : stretch, sample, err);
        if (status != PPS_OK)
            return status;
        sample->seconds = pps_wall_seconds() - start;
        if (sample->seconds > seconds)
            break;
    }
    return PPS_OK;
}

static void scale(const struct pps_experiment *e,
                  const struct sample *s,
                  struct pps_forecast *f)
{
    const double n = (double)e->n_points;
    f->point_s = s->seconds / s->points;
    if (!f->exact) {
        f->rows = s->rows / s->points * n;
        for (int r = 0; r < PPS_MAX_REASONS; r++)
            f->left_out[r].n = (uint64_t)((double)s->left_out[r].n / s->points * n);
    }
    if (s->rows > 0) {
        f->text_bytes = s->text_bytes / s->rows * f->rows;
        f->data_bytes = s->data_bytes / s->rows * f->rows;
    }
    f->measured_s = s->seconds;
}

enum pps_status pps_calibrate(const struct pps_experiment *e,
                              struct pps_codec_choice choice,
                              double seconds,
                              struct pps_forecast *forecast,
                              struct pps_error *err)
{
    struct sample sample = {.points = 0};
    struct pps_rowmaker *maker = NULL;
    struct pps_codec *codec = NULL;
    *forecast = (struct pps_forecast){.exact = false};
    const double before = pps_peak_memory();
    enum pps_status status = count_rows(e, seconds / 2, forecast, err);
    if (status == PPS_OK)
        status = pps_rowmaker_open(&maker, e, 0, 0, err);
    if (status == PPS_OK)
        status = pps_codec_open(&codec, choice, err);
    if (status == PPS_OK)
        status = run_sample(e, maker, codec, seconds, &sample, err);
    if (status == PPS_OK)
        scale(e, &sample, forecast);
    forecast->worker_bytes = pps_peak_memory() - before;
    pps_codec_close(codec);
    pps_rowmaker_close(maker);
    return status;
}
