// SPDX-License-Identifier: Apache-2.0
// Averages the times of layers over traces.
#include "planner/balance/traces/layer_times.h"

#include "base/text/grow_list.h"
#include "planner/balance/traces/scopes.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096 };

static const char *const part_names[LAYER_PARTS] = {"head", "body", "tail"};

// A name of a head or tail, or an instance of a body layer.
struct layer {
    int32_t part, name;
    int64_t instance;
    bool backward;
    double ns;     // of all counted scopes
    int64_t steps; // that count in the files with these scopes
    int64_t scopes;
    int file; // the last one with a scope
};

struct layers {
    struct layer *list;
    size_t n, room;
    bool has_first, has_last, has_middle; // a file with head, with tail, with body layers alone
};

static struct layer *layer_of(struct layers *layers, const struct scope *scope)
{
    for (size_t i = 0; i < layers->n; i++) {
        struct layer *layer = &layers->list[i];
        if (layer->part == scope->part && layer->name == scope->name &&
            layer->instance == scope->instance && layer->backward == scope->backward)
            return layer;
    }
    struct layer *list = pps_grow(layers->list, &layers->room, layers->n + 1, sizeof *list);
    if (list == NULL)
        return NULL;
    layers->list = list;
    list[layers->n] = (struct layer){.part = scope->part,
                                     .name = scope->name,
                                     .instance = scope->instance,
                                     .backward = scope->backward,
                                     .file = -1};
    return &list[layers->n++];
}

static bool add_file(struct layers *layers, const struct scopes *scopes, int file)
{
    bool has[LAYER_PARTS] = {false};
    for (size_t i = 0; i < scopes->n; i++) {
        struct layer *layer = layer_of(layers, &scopes->list[i]);
        if (layer == NULL)
            return false;
        layer->ns += (double)scopes->list[i].duration;
        layer->scopes++;
        if (layer->file != file)
            layer->steps += scopes->steps;
        layer->file = file;
        has[layer->part] = true;
    }
    layers->has_first = layers->has_first || has[LAYER_HEAD];
    layers->has_last = layers->has_last || has[LAYER_TAIL];
    layers->has_middle =
        layers->has_middle || (has[LAYER_BODY] && !has[LAYER_HEAD] && !has[LAYER_TAIL]);
    return true;
}

// ---- files --------------------------------------------------------------------------------------

static bool ends_in(const char *name, const char *ending)
{
    const size_t n = strlen(name), length = strlen(ending);
    return n > length && strcmp(name + n - length, ending) == 0;
}

static int is_trace(const struct dirent *entry)
{
    return ends_in(entry->d_name, ".json") || ends_in(entry->d_name, ".json.gz");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum pps_status read_file(struct layers *layers, const struct layer_times *settings,
                                 const char *name, int file, const atomic_bool *stop,
                                 struct pps_error *err)
{
    char path[PATH];
    struct scopes scopes;
    const int n = snprintf(path, sizeof path, "%s/%s", settings->folder, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return pps_fail(err, PPS_E_INPUT, "%s: the path is too long", name);
    enum pps_status status = scopes_read(&scopes, path, settings, stop, err);
    if (status == PPS_OK && !add_file(layers, &scopes, file))
        status = pps_fail_memory(err, "the layers of traces");
    scopes_free(&scopes);
    return status;
}

static enum pps_status read_folder(struct layers *layers, const struct layer_times *settings,
                                   const atomic_bool *stop, struct pps_error *err)
{
    struct dirent **entries = NULL;
    const int n = scandir(settings->folder, &entries, is_trace, by_name);
    enum pps_status status = PPS_OK;
    if (n < 0 && errno == ENOMEM)
        return pps_fail_memory(err, "%s", settings->folder);
    if (n < 0)
        return pps_fail(err, PPS_E_INPUT, "folder_path: %s cannot be read", settings->folder);
    if (n == 0)
        status = pps_fail(err, PPS_E_INPUT, "folder_path: %s has no traces (.json, .json.gz)",
                          settings->folder);
    for (int i = 0; i < n; i++) {
        if (status == PPS_OK)
            status = read_file(layers, settings, entries[i]->d_name, i, stop, err);
        free(entries[i]);
    }
    free(entries);
    return status;
}

// ---- times --------------------------------------------------------------------------------------

// Sets the mean time of a name, ms, over its instances. Returns its number of scopes.
static int64_t time_of(const struct layers *layers, const struct layer_times *settings,
                       int part, int name, bool backward, double *ms)
{
    int64_t scopes = 0, instances = 0;
    double sum = 0;
    for (size_t i = 0; i < layers->n; i++) {
        const struct layer *layer = &layers->list[i];
        if (layer->part != part || layer->name != name || layer->backward != backward)
            continue;
        sum += layer->ns / 1e6 / (double)layer->steps / settings->micro_batches;
        scopes += layer->scopes;
        instances++;
    }
    *ms = instances > 0 ? sum / (double)instances : 0;
    return scopes;
}

static enum pps_status add_up(const struct layers *layers, const struct layer_times *settings,
                              double times[LAYER_PARTS], FILE *out, struct pps_error *err)
{
    for (int part = 0; part < LAYER_PARTS; part++) {
        times[part] = settings->is_given[part] ? settings->given[part] : 0;
        for (int i = 0; i < settings->n_names[part] && !settings->is_given[part]; i++) {
            double ms;
            const int64_t scopes = time_of(layers, settings, part, i, false, &ms);
            if (scopes == 0)
                return pps_fail(err, PPS_E_INPUT,
                                "%s_layers: no scope of %s is in a counted forward pass of the "
                                "traces in %s",
                                part_names[part], settings->names[part][i], settings->folder);
            times[part] += ms;
            fprintf(out, "%s %s: %.6g ms, %lld scopes\n", part_names[part],
                    settings->names[part][i], ms, (long long)scopes);
        }
    }
    return PPS_OK;
}

// Adds the backward times of the names of a part, if the traces have all of them.
static double add_backwards(const struct layers *layers, const struct layer_times *settings,
                            int part, FILE *out)
{
    double sum = 0, ms;
    for (int i = 0; i < settings->n_names[part]; i++) {
        if (time_of(layers, settings, part, i, true, &ms) == 0)
            return 0;
        sum += ms;
    }
    fprintf(out, "backward of %s: %.6g ms\n", part_names[part], sum);
    return sum;
}

static void warn_of_stages(const struct layers *layers)
{
    if (!layers->has_first || !layers->has_middle || !layers->has_last)
        fprintf(stderr, "warning   no trace of %s stage: times may differ there\n",
                !layers->has_first    ? "the first"
                : !layers->has_middle ? "a middle"
                                      : "the last");
}

enum pps_status layer_times_read(const struct layer_times *settings, const atomic_bool *stop,
                                 double times[LAYER_PARTS], double backward[LAYER_PARTS],
                                 FILE *out, struct pps_error *err)
{
    struct layers layers = {.list = NULL};
    enum pps_status status = read_folder(&layers, settings, stop, err);
    if (status == PPS_OK)
        status = add_up(&layers, settings, times, out, err);
    for (int part = 0; part < LAYER_PARTS && status == PPS_OK; part++)
        backward[part] =
            settings->is_given[part] ? 0 : add_backwards(&layers, settings, part, out);
    if (status == PPS_OK)
        warn_of_stages(&layers);
    free(layers.list);
    return status;
}
