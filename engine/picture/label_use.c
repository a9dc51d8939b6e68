// SPDX-License-Identifier: Apache-2.0
// Looks for the names of labels in the data of pictures.
#include "engine/picture/label_use.h"

#include "base/text/characters.h"
#include "base/text/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t words_of(const struct pps_picture_style *style, const char *line)
{
    uint64_t used = 0;
    for (int i = 0; i < style->n_labels && i < 64; i++) {
        char name[128];
        const size_t n = strcspn(style->labels[i], "=");
        snprintf(name, sizeof name, "%.*s", (int)n, style->labels[i]);
        if (pps_has_name(line, name))
            used |= (uint64_t)1 << i;
    }
    return used;
}

uint64_t pps_label_use(const struct pps_picture_style *style, const char *path)
{
    uint64_t used = 0;
    char *line = NULL;
    size_t room = 0;
    if (style->n_labels == 0)
        return UINT64_MAX;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return UINT64_MAX;
    while (getline(&line, &room, file) > 0)
        used |= words_of(style, line);
    free(line);
    fclose(file);
    return used;
}

void pps_label_use_say(const struct pps_picture_style *style, uint64_t used)
{
    for (int i = 0; i < style->n_labels && i < 64; i++)
        if ((used >> i & 1) == 0)
            pps_say(stderr, "note      --label %s: no picture shows this name",
                    style->labels[i]);
}
