// SPDX-License-Identifier: Apache-2.0
// Workspaces hold the memory of threads that evaluate points. A model keeps them between calls,
// so that a call with one point allocates nothing.
#include "engine/library/library_private.h"

#include <stdlib.h>

static void release(struct pps_workspace *w)
{
    free(w->scratch);
    free(w->values);
    free(w->results);
    free(w->texts);
    free(w);
}

static struct pps_workspace *create(const struct pps_kernel *kernel)
{
    struct pps_workspace *w = calloc(1, sizeof *w);
    size_t width = 1;
    if (w == NULL)
        return NULL;
    for (int c = 0; c < kernel->n_columns; c++)
        width += pps_column_width(&kernel->columns[c]);
    w->values = calloc((size_t)kernel->n_params * PPS_BATCH, sizeof *w->values);
    w->results = calloc((size_t)kernel->n_columns * PPS_BATCH, sizeof *w->results);
    w->texts = calloc(PPS_BATCH, width);
    if (w->values != NULL && w->results != NULL && w->texts != NULL)
        return w;
    release(w);
    return NULL;
}

struct pps_workspace *pps_workspace_take(struct ppsweep_model *m)
{
    pthread_mutex_lock(&m->lock);
    struct pps_workspace *w = m->idle;
    if (w != NULL)
        m->idle = w->next;
    pthread_mutex_unlock(&m->lock);
    return w != NULL ? w : create(m->kernel);
}

void pps_workspace_give_back(struct ppsweep_model *m, struct pps_workspace *w)
{
    pthread_mutex_lock(&m->lock);
    w->next = m->idle;
    m->idle = w;
    pthread_mutex_unlock(&m->lock);
}

void pps_workspaces_free(struct pps_workspace *idle)
{
    while (idle != NULL) {
        struct pps_workspace *next = idle->next;
        release(idle);
        idle = next;
    }
}
