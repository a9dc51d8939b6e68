// SPDX-License-Identifier: Apache-2.0
// Packs rows and blocks. Copies have exact sizes, so waiting blocks take no more memory than
// necessary.
#include "engine/run/finished_block.h"

#include <stdlib.h>
#include <string.h>

// ---- room -------------------------------------------------------------------------------------

void pps_room_free(struct pps_room *room)
{
    free(room->bytes);
    *room = (struct pps_room){NULL, 0};
}

// Makes room for n bytes. The old contents are lost.
static enum pps_status make_room(struct pps_room *room, size_t n, struct pps_error *err)
{
    if (n > room->cap) {
        pps_room_free(room);
        room->bytes = malloc(n);
        room->cap = room->bytes != NULL ? n : 0;
    }
    return n <= room->cap ? PPS_OK : pps_fail_memory(err, "a block of rows");
}

// ---- parts ------------------------------------------------------------------------------------

struct pps_part *pps_part_keep(const struct pps_rows *rows, uint32_t number)
{
    struct pps_part *part = malloc(sizeof *part + rows->n);
    if (part == NULL)
        return NULL;
    part->next = NULL;
    part->number = number;
    part->rows = *rows;
    part->rows.text = part->text;
    memcpy(part->text, rows->text, rows->n);
    return part;
}

void pps_parts_free(struct pps_part *parts)
{
    while (parts != NULL) {
        struct pps_part *next = parts->next;
        free(parts);
        parts = next;
    }
}

enum pps_status pps_parts_join(const struct pps_part *parts, uint32_t n, struct pps_room *room,
                               struct pps_rows *rows, struct pps_error *err)
{
    size_t bytes = 1; // one extra byte: a block may have no row
    for (const struct pps_part *part = parts; part != NULL; part = part->next)
        bytes += part->rows.n;
    enum pps_status status = make_room(room, bytes, err);
    if (status != PPS_OK)
        return status;
    *rows = (struct pps_rows){.text = (char *)room->bytes};
    for (uint32_t number = 0; number < n; number++) {
        const struct pps_part *part = parts;
        while (part->number != number)
            part = part->next;
        memcpy(room->bytes + rows->n, part->text, part->rows.n);
        rows->n += part->rows.n;
        pps_counts_add(&rows->counts, &part->rows.counts);
        pps_shortcuts_add(&rows->shortcuts, &part->rows.shortcuts);
    }
    return PPS_OK;
}

// ---- whole blocks -----------------------------------------------------------------------------

static struct pps_block block_of(uint64_t index, const struct pps_rows *rows)
{
    struct pps_block block = {.index = index, .counts = rows->counts};
    pps_block_set_text(&block, rows->text, rows->n);
    return block;
}

enum pps_status pps_finished_block_pack(struct pps_finished_block **made, uint64_t index,
                                        uint64_t points, const struct pps_rows *rows,
                                        struct pps_packer *packer, struct pps_error *err)
{
    const void *data;
    size_t n;
    enum pps_status status = pps_packer_pack(packer, rows->text, rows->n, &data, &n, err);
    if (status != PPS_OK)
        return status;
    struct pps_finished_block *m = *made = malloc(sizeof *m + n);
    if (m == NULL)
        return pps_fail_memory(err, "a compressed block");
    if (n > 0)
        memcpy(m->data, data, n);
    m->block = block_of(index, rows);
    pps_block_set_data(&m->block, m->data, n);
    m->points = points;
    m->rows = *rows;
    m->rows.text = NULL;
    return PPS_OK;
}

uint64_t pps_finished_block_bytes(const struct pps_finished_block *made)
{
    return sizeof *made + made->block.data_bytes;
}
