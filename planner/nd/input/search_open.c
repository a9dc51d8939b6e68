// SPDX-License-Identifier: Apache-2.0
// Opens a search: its estimates, its cache and its memory limit.
#include "planner/nd/input/search_open.h"

#include "base/math/units.h"

#include <stdlib.h>
#include <string.h>

enum pps_status nd_search_open(struct nd_open_search *open,
                               const struct nd_job *job,
                               size_t top,
                               struct pps_error *err)
{
    const char *lack = layercost_adapters_lack(&job->run.model, &job->run.training);
    open->search.cache = NULL;
    if (lack != NULL)
        return pps_fail(err, PPS_E_INPUT, "%s", lack);
    const size_t bytes = (nd_cache_bytes() + 63) / 64 * 64;
    open->search = (struct nd_search){.space = &job->space,
                                      .filters = &job->filters,
                                      .estimate = &open->estimate,
                                      .cache = aligned_alloc(64, bytes),
                                      .origmem = &open->origmem,
                                      .seq_length = job->run.model.seq_length,
                                      .limit_mb = units_to_mib(job->run.cluster.memory_limit),
                                      .top = top};
    if (open->search.cache == NULL)
        return pps_fail_memory(err, "the search");
    memset(open->search.cache, 0, bytes);
    nd_estimate_open(&open->estimate, &job->run.model, &job->run.cluster, &job->run.training,
                     1);
    nd_origmem_init(&open->origmem, &job->run.model, job->run.training.distributed_optimizer);
    return PPS_OK;
}

void nd_search_close(struct nd_open_search *open)
{
    free(open->search.cache);
    open->search.cache = NULL;
}
