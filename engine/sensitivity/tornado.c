// SPDX-License-Identifier: Apache-2.0
// Draws tornado pictures with gnuplot.
#include "engine/sensitivity/tornado.h"

#include "base/text/characters.h"
#include "engine/picture/pictures.h"
#include "engine/sensitivity/sensitivity_text.h"

#include <stdlib.h>
#include <string.h>

struct data {
    const struct pps_sensitivity *s;
};

static enum pps_status write_data(void *self, FILE *out, struct pps_error *err)
{
    const struct data *data = self;
    (void)err;
    pps_sensitivity_tornado(data->s, out);
    return PPS_OK;
}

static bool has_bars(const struct pps_sensitivity *s)
{
    for (size_t g = 0; g < s->n_groups && g < PPS_TORNADO_PANELS; g++)
        for (int e = 0; e < s->groups[g].n_effects; e++)
            if (s->groups[g].variance > 0)
                return true;
    return false;
}

enum pps_status pps_tornado_draw(const struct pps_sensitivity *s, const char *path,
                                 const char *result, const struct pps_gate *gate,
                                 const atomic_bool *stop, struct pps_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    struct data data = {s};
    if (!has_bars(s))
        return pps_fail(err, PPS_E_INPUT,
                        "-o %s: no parameter changes %s, so there are no bars", path,
                        s->objective);
    char *folder = slash == NULL   ? strdup(".")
                   : slash == path ? strdup("/")
                                   : strndup(path, (size_t)(slash - path));
    char *stem = strndup(name, strlen(name) - strlen(".svg"));
    enum pps_status status = PPS_OK;
    if (folder == NULL || stem == NULL)
        status = pps_fail_memory(err, "%s", path);
    const struct pps_picture_ask ask = {.folder = folder,
                                        .svg = pps_ends_with(path, ".svg"),
                                        .png = pps_ends_with(path, ".png"),
                                        .gate = gate,
                                        .stop = stop,
                                        .threads = 1};
    if (status == PPS_OK)
        status = pps_picture_one(&ask, "tornado.gp", result, stem, &data, write_data, err);
    free(folder);
    free(stem);
    return status;
}
