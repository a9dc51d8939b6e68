// SPDX-License-Identifier: Apache-2.0
// Turns evaluated points into a job.
#include "engine/optimise/best_result.h"

#include "engine/job/job.h"

#include <stdlib.h>

enum pps_status pps_best_result_write(const struct pps_best_result_ask *ask,
                                      struct pps_error *err)
{
    const struct pps_evaluation *ev = ask->evaluation;
    char *text = pps_evaluation_experiment(ev, 0, ev->n);
    struct pps_known_rows *rows = pps_evaluation_rows(ev, ev->space->experiment);
    struct pps_job job = {.request = *ev->request,
                          .threads = ev->threads,
                          .output = ask->path,
                          .codec = ask->codec,
                          .force = ask->force,
                          .resume = ask->resume,
                          .top = 1,
                          .known = rows,
                          .command = ask->command,
                          .stop = ask->stop};
    struct pps_job_result result = {.job = NULL};
    job.request.path = NULL;
    job.request.text = text;
    job.request.overrides = NULL;
    job.request.n_overrides = 0;
    job.request.sample = NULL;
    job.request.again = true;
    enum pps_status status = text == NULL || rows == NULL ? pps_fail_memory(err, "the result")
                                                          : pps_job_run(&job, &result, err);
    pps_job_free(&result);
    pps_known_rows_close(rows);
    free(text);
    return status;
}
