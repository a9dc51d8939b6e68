// SPDX-License-Identifier: Apache-2.0
// Writes performance logs.
#include "planner/dynapipe/plan_log.h"

#include "base/edit/json_write.h"
#include "base/system/disk.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATH = 4096 };

enum pps_status plan_log_open(struct plan_log *log,
                              const char *folder,
                              const struct pps_gate *gate,
                              struct pps_error *err)
{
    char records[PATH], plans[PATH];
    *log = (struct plan_log){.is_open = false};
    if (folder == NULL)
        return PPS_OK;
    if (*folder == '\0')
        folder = getenv("DYNAPIPE_PERFORMANCE_LOG_DIR");
    if (folder == NULL || *folder == '\0')
        folder = "performance_logs";
    snprintf(records, sizeof records, "%s/performance.log", folder);
    snprintf(plans, sizeof plans, "%s/recompute_plans.json", folder);
    enum pps_status status = pps_gate_check_inputs(gate, records, err);
    if (status == PPS_OK)
        status = pps_new_file_open(&log->plans, plans, gate, err);
    if (status != PPS_OK)
        return status;
    log->records = fopen(records, "ae");
    log->is_open = log->records != NULL;
    if (log->is_open)
        return PPS_OK;
    status = pps_disk_fail_open(err, records);
    pps_new_file_abandon(&log->plans);
    return status;
}

enum pps_status plan_log_close(struct plan_log *log, struct pps_error *err)
{
    if (!log->is_open)
        return PPS_OK;
    fputs(log->n == 0 ? "[]\n" : "\n]\n", log->plans.out);
    enum pps_status status = pps_new_file_close(&log->plans, err);
    if (fclose(log->records) != 0 && status == PPS_OK)
        status = pps_fail_errno(err, "cannot write", "the performance log");
    *log = (struct plan_log){.is_open = false};
    return status;
}

// Appends the layers of a stage as [layer, next layer, type].
static void add_stage(const struct network_stages *stages,
                      int32_t s,
                      int type,
                      bool *first,
                      struct text_buffer *out)
{
    for (int32_t l = stages->first_layer[s]; l < stages->first_layer[s + 1]; l++) {
        text_buffer_add(out, "%s[%d,%d,%d]", *first ? "" : ",", (int)l, (int)l + 1, type);
        *first = false;
    }
}

void plan_log_collect(const struct planned *planned, struct text_buffer *out)
{
    const struct network_stages *stages = planned->step.setup->stages;
    bool first_batch = true;
    text_buffer_clear(out);
    text_buffer_add(out, "[");
    for (int32_t k = 0; k < planned->step.n; k++) {
        const struct step_replica *r = &planned->step.replicas[k];
        for (int32_t i = 0; i < r->count; i++) {
            bool first = true;
            text_buffer_add(out, first_batch ? "[" : ",[");
            first_batch = false;
            for (int32_t s = 0; s < stages->stages; s++)
                add_stage(stages, s,
                          r->answer.recompute[(int64_t)r->answer.order[i] * stages->stages + s],
                          &first, out);
            text_buffer_add(out, "]");
        }
    }
    text_buffer_add(out, "]");
}

static void write_record(struct plan_log *log,
                         const struct batch *batch,
                         const struct planned *p)
{
    char now[64] = "";
    const time_t seconds = time(NULL);
    struct tm local;
    if (localtime_r(&seconds, &local) != NULL)
        strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S", &local);
    fprintf(log->records,
            "[%s] INFO EXECUTION_TIME: {\"function\": \"plan\", \"execution_time\": %.6f, "
            "\"timestamp\": \"%s\", \"batch_size\": %d, \"current_batch_idx\": %lld, "
            "\"schedule_method\": \"%s\", \"best_cost\": %.6f, \"evaluations\": %lld, "
            "\"mode\": \"%s\", \"fast_mode\": %s}\n",
            now, p->seconds, now, (int)p->figures.micro_batches, (long long)batch->number,
            p->method, p->figures.makespan / 1000, (long long)p->figures.evaluations, p->mode,
            strcmp(p->mode, "fast") == 0 ? "true" : "false");
}

enum pps_status plan_log_write(struct plan_log *log,
                               const struct batch *batch,
                               const struct planned *p,
                               const struct text_buffer *recompute,
                               struct pps_error *err)
{
    write_record(log, batch, p);
    fprintf(log->plans.out,
            "%s\n{\"batch_idx\": %lld, \"schedule_method\": \"%s\", \"best_cost\": %.6f, "
            "\"batch_size\": %d, \"mode\": \"%s\", \"plan\": ",
            log->n++ == 0 ? "[" : ",", (long long)batch->number, p->method,
            p->figures.makespan / 1000, (int)p->figures.micro_batches, p->mode);
    fwrite(recompute->text, 1, recompute->n, log->plans.out);
    fputs("}", log->plans.out);
    return ferror(log->plans.out) || ferror(log->records)
               ? pps_fail_errno(err, "cannot write", "the performance log")
               : PPS_OK;
}
