// SPDX-License-Identifier: Apache-2.0
// Reads the logs of one training.
#include "planner/measure/measured.h"

#include "planner/profiles/log_file.h"

#include <math.h>

// The time of a step from tokens a second of one device.
static double seconds_of_tokens(const struct measured *m, double tokens)
{
    const struct configuration *c = &m->training.mine.plan.configuration;
    const double step = (double)c->training.gbs * (double)c->model.seq_length;
    return tokens > 0 ? step / (tokens * (double)c->cluster.world_size) : 0;
}

static void take_figures(struct measured *m, struct log_file *log)
{
    double seconds = log_steps_median(&log->seconds);
    if (seconds <= 0)
        seconds = seconds_of_tokens(m, log_steps_median(&log->tokens));
    for (size_t k = 0; k < log->n_peaks; k++)
        m->peak = fmax(m->peak,
                       fmax(log->peaks[k].used_mb, log->peaks[k].held_mb) * (double)(1 << 20));
    if (log->failure == LOG_NO_MEMORY)
        m->end = MEASURED_RAN_OUT;
    else if (seconds > 0 && m->end == MEASURED_UNKNOWN)
        m->end = MEASURED_RAN;
    m->seconds = fmax(m->seconds, seconds);
}

enum pps_status measured_take_log(struct measured *measured, const char *path,
                                  struct pps_error *err)
{
    struct run_files files;
    enum pps_status status = run_files_list(&files, path, err);
    if (status != PPS_OK)
        return status;
    for (size_t i = 0; i < files.n && status == PPS_OK; i++) {
        struct log_file log;
        status = log_file_read(&log, files.paths[i], run_file_rank(&files, i), err);
        if (status == PPS_OK) {
            take_figures(measured, &log);
            log_file_free(&log);
        }
    }
    run_files_free(&files);
    // What a run that ended early used is no peak, and its steps may be few.
    if (status == PPS_OK && measured->end == MEASURED_RAN_OUT)
        measured->peak = 0;
    if (status == PPS_OK && !measured_any(measured))
        status = pps_fail_at(
            err, PPS_E_INPUT, path, 0, 0,
            "has no time of a step and no peak of memory that is known (Megatron-LM, "
            "MindFormers, torchtitan, DeepSpeed); write --seconds S or --peak GIB");
    return status;
}
