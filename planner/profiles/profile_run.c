// SPDX-License-Identifier: Apache-2.0
// Reads the files of all ranks of a profile.
#include "planner/profiles/profile_run.h"

#include "planner/profiles/kernels/kernel_events.h"
#include "planner/profiles/profile_files.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 2048 };

void profile_run_free(struct profile_run *run)
{
    for (int k = 0; k < PROFILE_LISTS; k++)
        free(run->lists[k].us);
    free(run->ranks);
    text_buffer_free(&run->notes);
    *run = (struct profile_run){0};
}

struct reading {
    struct profile_run *run;
    const struct run_files *files;
    const struct run_degrees *degrees;
    const struct profile_request *request;
    struct profile_units units;
    struct layer_cut *cuts; // of each unit
    int32_t micro_batches;  // per step, found in an earlier rank; 0: unknown
};

static const char *path_of(const struct reading *r, long file)
{
    return r->files->paths[file];
}

// ---- events -------------------------------------------------------------------------------------

static bool has_attention(const struct kernel_events *events)
{
    return events->n_forward > 0 && events->n_backward > 0;
}

// Reads the kernels of a unit: from the table, else from the trace. *file is the file that was used.
static enum pps_status read_events(struct reading *r, const struct profile_unit *unit,
                                   struct kernel_events *events, long *file,
                                   struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    *file = unit->table >= 0 ? unit->table : unit->trace;
    if (unit->table >= 0) {
        status = kernel_events_of_table(events, &r->request->names, path_of(r, *file), err);
        if (status != PPS_OK || unit->trace < 0 || has_attention(events))
            return status;
        kernel_events_free(events);
        *file = unit->trace;
    }
    return kernel_events_of_trace(events, &r->request->names, path_of(r, *file), err);
}

static void note_missing(struct reading *r, const struct kernel_events *events, long file)
{
    char names[TEXT_BYTES];
    if (events->n_kernels == 0) {
        text_buffer_add(&r->run->notes, "%s: no kernel ran on a device in this profile\n",
                        path_of(r, file));
        return;
    }
    kernel_events_list_names(events, names, sizeof names);
    text_buffer_add(
        &r->run->notes,
        "%s: %zu forward and %zu backward attention kernels among %llu kernels; the "
        "most frequent are %s; name the attention kernels with --attention-forward and --attention-backward\n",
        path_of(r, file), events->n_forward, events->n_backward,
        (unsigned long long)events->n_kernels, names);
}

// ---- one rank -----------------------------------------------------------------------------------

static int32_t layers_of_stage(const struct profile_request *request, int32_t stage)
{
    const bool is_known = request->layers != NULL && stage >= 0 && stage < request->n_layers;
    return is_known ? request->layers[stage] : 0;
}

static void note_shape(struct reading *r, const struct profile_rank *rank)
{
    struct text_buffer *notes = &r->run->notes;
    const char *path = path_of(r, rank->file);
    const struct layer_shape *shape = &rank->shape;
    if (shape->is_partial)
        text_buffer_add(
            notes,
            "%s: the order of kernels fits up to backward pass %d; later kernels are not used\n",
            path, shape->passes);
    if (r->request->skip_steps > 0 && shape->micro_batches == 0)
        text_buffer_add(notes,
                        "%s: the trace does not show where steps begin, so --skip-steps skips "
                        "nothing; give --micro-batches\n",
                        path);
}

// Cuts the events of a rank. A rank whose stage is unknown gets it from the warm-up.
static enum pps_status cut_rank(struct reading *r, const struct kernel_events *events,
                                int32_t steps, size_t i, struct pps_error *err)
{
    struct profile_rank *rank = &r->run->ranks[i];
    char why[TEXT_BYTES];
    struct layer_request request = {
        .stage = rank->stage,
        .stages = r->degrees->pp,
        .layers = layers_of_stage(r->request, rank->stage),
        .micro_batches =
            r->request->micro_batches > 0 ? r->request->micro_batches : r->micro_batches,
        .steps = events->n_steps > 0 ? events->n_steps : steps,
        .skip_steps = r->request->skip_steps,
    };
    enum layer_cut_status status =
        layer_cut_find(&r->cuts[i], events, &request, why, sizeof why);
    if (status == LAYER_CUT_NO_ORDER && r->request->is_guess) {
        request.layers = request.micro_batches = 0;
        status = layer_cut_find(&r->cuts[i], events, &request, why, sizeof why);
    }
    if (status == LAYER_CUT_NO_MEMORY)
        return pps_fail_memory(err, "the layer times of %s", path_of(r, rank->file));
    if (status == LAYER_CUT_NO_ORDER) {
        text_buffer_add(&r->run->notes, "%s: %s (stage %d of %d)\n", path_of(r, rank->file),
                        why, rank->stage, r->degrees->pp);
        return PPS_OK;
    }
    rank->is_cut = true;
    rank->shape = r->cuts[i].shape;
    if (rank->stage < 0 && rank->shape.warm_up < r->degrees->pp)
        rank->stage = r->degrees->pp - 1 - rank->shape.warm_up;
    if (rank->shape.micro_batches > 0)
        r->micro_batches = rank->shape.micro_batches;
    note_shape(r, rank);
    return PPS_OK;
}

static enum pps_status read_tables(struct reading *r, const struct profile_unit *unit,
                                   struct profile_rank *rank, int32_t *steps,
                                   struct pps_error *err)
{
    struct profile_steps table = {0};
    enum pps_status status = PPS_OK;
    if (unit->memory >= 0)
        status = profile_memory_read(&rank->memory, path_of(r, unit->memory), err);
    if (status == PPS_OK && unit->steps >= 0)
        status = profile_steps_read(&table, path_of(r, unit->steps), err);
    rank->memory_file =
        rank->memory.used_mb > 0 || rank->memory.held_mb > 0 ? unit->memory : -1;
    rank->step_ms = table.mean_ms;
    r->run->n_profiles += rank->memory_file >= 0;
    *steps = table.n;
    return status;
}

static void take_memory(struct profile_rank *rank, const struct kernel_events *events)
{
    if (rank->memory_file >= 0 || (events->used_mb <= 0 && events->held_mb <= 0))
        return;
    rank->memory.used_mb = events->used_mb;
    rank->memory.held_mb = events->held_mb;
    rank->memory_file = rank->file;
}

static enum pps_status use_events(struct reading *r, const struct kernel_events *events,
                                  int32_t steps, size_t i, struct pps_error *err)
{
    struct profile_rank *rank = &r->run->ranks[i];
    if (rank->rank < 0)
        rank->rank = events->rank;
    if (rank->stage < 0)
        rank->stage = run_stage_of(r->degrees, rank->rank);
    take_memory(rank, events);
    r->run->n_profiles += events->is_profile || events->damage[0] != '\0';
    if (events->damage[0] != '\0')
        text_buffer_add(&r->run->notes, "%s: %s%s\n", path_of(r, rank->file), events->damage,
                        events->n_kernels > 0 ? "; the kernels before are used" : "");
    if (events->is_profile && has_attention(events))
        return cut_rank(r, events, steps, i, err);
    if (events->is_profile)
        note_missing(r, events, rank->file);
    return PPS_OK;
}

static enum pps_status read_rank(struct reading *r, size_t i, struct pps_error *err)
{
    const struct profile_unit *unit = &r->units.rows[i];
    struct profile_rank *rank = &r->run->ranks[i];
    struct kernel_events events;
    int32_t steps = 0;
    enum pps_status status = read_tables(r, unit, rank, &steps, err);
    if (status == PPS_OK && (unit->table >= 0 || unit->trace >= 0)) {
        status = read_events(r, unit, &events, &rank->file, err);
        if (status == PPS_OK) {
            status = use_events(r, &events, steps, i, err);
            kernel_events_free(&events);
        }
    }
    if (status == PPS_E_INPUT) { // a file that cannot be read
        text_buffer_add(&r->run->notes, "%s%s%s\n", err->file, err->file[0] != '\0' ? ": " : "",
                        err->text);
        return PPS_OK;
    }
    return status;
}

// ---- all ranks ----------------------------------------------------------------------------------

static bool has_kernels(const struct profile_unit *unit)
{
    return unit->table >= 0 || unit->trace >= 0;
}

// Gives stages to ranks whose paths name none: the stages in order if there is one rank per stage.
static void find_stages(struct reading *r)
{
    size_t n = 0, unknown = 0;
    for (size_t i = 0; i < r->units.n; i++) {
        struct profile_rank *rank = &r->run->ranks[i];
        rank->rank = r->units.rows[i].rank;
        rank->stage = r->degrees->pp == 1 ? 0 : run_stage_of(r->degrees, rank->rank);
        n += has_kernels(&r->units.rows[i]);
        unknown += has_kernels(&r->units.rows[i]) && rank->rank < 0;
    }
    int32_t stage = 0;
    const bool is_ascend = r->units.n > 0 && r->units.rows[0].table >= 0;
    for (size_t i = 0; i < r->units.n && is_ascend; i++)
        if (unknown == n && n == (size_t)r->degrees->pp && has_kernels(&r->units.rows[i]))
            r->run->ranks[i].stage = stage++;
}

static enum pps_status make_ranks(struct reading *r, struct pps_error *err)
{
    const size_t n = r->units.n;
    r->run->ranks = calloc(n + 1, sizeof *r->run->ranks);
    r->cuts = calloc(n + 1, sizeof *r->cuts);
    if (r->run->ranks == NULL || r->cuts == NULL)
        return pps_fail_memory(err, "the ranks of a profile");
    r->run->n_ranks = n;
    for (size_t i = 0; i < n; i++)
        r->run->ranks[i].file = r->run->ranks[i].memory_file = -1;
    find_stages(r);
    return PPS_OK;
}

// Drops files that are no profiles, such as other JSON files with "trace" in their names.
static void drop_empty(struct reading *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->run->n_ranks; i++) {
        const struct profile_rank *rank = &r->run->ranks[i];
        if (!rank->is_cut && rank->memory_file < 0 && rank->step_ms == 0) {
            layer_cut_free(&r->cuts[i]);
            continue;
        }
        if (n < i) {
            r->cuts[n] = r->cuts[i];
            r->cuts[i] = (struct layer_cut){0};
            r->run->ranks[n] = r->run->ranks[i];
        }
        n++;
    }
    r->run->n_ranks = n;
}

static enum pps_status read_all(struct reading *r, struct pps_error *err)
{
    enum pps_status status = make_ranks(r, err);
    for (size_t i = 0; status == PPS_OK && i < r->units.n; i++)
        status = read_rank(r, i, err);
    if (status != PPS_OK)
        return status;
    drop_empty(r);
    if (!profile_run_sort(r->run, r->cuts, r->degrees, r->request) || r->run->notes.failed)
        return pps_fail_memory(err, "the layer times of a profile");
    return PPS_OK;
}

enum pps_status profile_run_read(struct profile_run *run, const struct run_files *files,
                                 const struct run_degrees *degrees,
                                 const struct profile_request *request, struct pps_error *err)
{
    struct reading r = {.run = run, .files = files, .degrees = degrees, .request = request};
    *run = (struct profile_run){0};
    enum pps_status status = profile_units_find(&r.units, files, err);
    if (status == PPS_OK)
        status = read_all(&r, err);
    for (size_t i = 0; r.cuts != NULL && i < r.units.n; i++)
        layer_cut_free(&r.cuts[i]);
    free(r.cuts);
    profile_units_free(&r.units);
    if (status != PPS_OK)
        profile_run_free(run);
    return status;
}
