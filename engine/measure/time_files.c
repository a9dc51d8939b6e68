// SPDX-License-Identifier: Apache-2.0
// Runs the sweeps of a benchmark that write files, in a temporary folder.
#include "engine/measure/benchmark_private.h"

#include "base/system/machine.h"
#include "engine/store/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct target {
    struct pps_output *output;
    struct pps_bench_watch *watch; // or NULL
};

static enum pps_status to_file(void *self, const struct pps_block *block, struct pps_error *err)
{
    const struct target *target = self;
    struct pps_bench_watch *watch = target->watch;
    if (watch == NULL)
        return pps_output_append(target->output, block, err);
    const double made = pps_thread_seconds();
    enum pps_status status = pps_output_append(target->output, block, err);
    const double written = pps_thread_seconds();
    if (watch->n < watch->cap)
        watch->blocks[watch->n++] = (struct pps_bench_block){
            made - watch->since, written - made, block->data_bytes, block->counts.rows};
    watch->since = written;
    return status;
}

enum pps_status pps_bench_sweep_to_file(const struct pps_bench *b, struct pps_sweep sweep,
                                        const char *path, struct pps_bench_watch *watch,
                                        double *wall_s)
{
    struct target target = {NULL, watch};
    struct pps_totals totals;
    const struct pps_output_plan plan = {.path = path,
                                         .codec = sweep.codec,
                                         .header = "header\n",
                                         .n_points = sweep.experiment->n_points,
                                         .block_points = sweep.block_points,
                                         .shard = sweep.shard.index,
                                         .n_shards = sweep.shard.count,
                                         .force = true};
    const double start = pps_wall_seconds();
    enum pps_status status = pps_output_open(&target.output, &plan, b->err);
    if (status != PPS_OK)
        return status;
    if (watch != NULL)
        watch->since = pps_thread_seconds();
    sweep.sink = (struct pps_sink){&target, to_file};
    status = pps_bench_sweep_once(b, &sweep, &totals);
    if (status == PPS_OK)
        status = pps_output_finish(target.output, "{}\n", b->err);
    else
        pps_output_abandon(target.output);
    *wall_s = pps_wall_seconds() - start;
    return status;
}

void pps_bench_remove(const char *path)
{
    static const char *const endings[] = {"",      ".idx",      ".json",
                                          ".part", ".idx.part", ".json.part"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[4096 + 16];
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

enum pps_status pps_bench_in_folder(const struct pps_bench *b, pps_bench_work *work, void *self)
{
    const char *said = getenv("TMPDIR");
    const char *parent = said != NULL && said[0] != '\0' ? said : "/tmp";
    char folder[3072];
    snprintf(folder, sizeof folder, "%s/ppsweep-bench-XXXXXX", parent);
    if (mkdtemp(folder) == NULL)
        return pps_fail(b->err, PPS_E_INPUT,
                        "cannot create a folder in %s: %s; set TMPDIR to another folder",
                        parent, strerror(errno));
    enum pps_status status = work(b, folder, self);
    rmdir(folder);
    return status;
}
