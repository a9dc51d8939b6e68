// SPDX-License-Identifier: Apache-2.0
// Reads figures from columns of tables, row by row.
#include "planner/profiles/profile_tables.h"

#include "base/table/csv.h"
#include "base/text/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { COLUMNS_MOST = 8 };

// The columns that a reader asks for, and the numbers of a row; NAN-free: 0 for an empty cell.
struct row {
    int at[COLUMNS_MOST]; // -1: not in the table
    double value[COLUMNS_MOST];
};

// Takes a row.
typedef void (*taker)(void *self, const struct row *row);

static bool find_columns(const struct pps_csv_row *header, const char *const *names, int n,
                         struct row *row)
{
    bool found = false;
    for (int k = 0; k < n; k++) {
        row->at[k] = -1;
        for (int c = 0; c < header->n && row->at[k] < 0; c++)
            if (strcmp(header->text[c], names[k]) == 0)
                row->at[k] = c;
        found = found || row->at[k] >= 0;
    }
    return found;
}

static void read_cells(const struct pps_csv_row *cells, int n, struct row *row)
{
    for (int k = 0; k < n; k++) {
        const int c = row->at[k];
        row->value[k] = 0;
        if (c >= 0 && c < cells->n &&
            !number_text_read(cells->text[c], cells->length[c], &row->value[k]))
            row->value[k] = 0;
    }
}

// Reads the columns `names` of a table. A table without them has no rows.
static enum pps_status read_table(const char *path, const char *const *names, int n, taker take,
                                  void *self, struct pps_error *err)
{
    struct pps_csv *csv;
    const struct pps_csv_row *cells;
    struct row row = {.at = {0}};
    enum pps_status status = pps_csv_open(&csv, path, err);
    if (status != PPS_OK)
        return status;
    status = pps_csv_next(csv, &cells, err);
    bool more = status == PPS_OK && cells != NULL && find_columns(cells, names, n, &row);
    while (more) {
        status = pps_csv_next(csv, &cells, err);
        more = status == PPS_OK && cells != NULL;
        if (more) {
            read_cells(cells, n, &row);
            take(self, &row);
        }
    }
    pps_csv_close(csv);
    return status == PPS_E_INPUT ? PPS_OK : status; // the rows before the damage are good
}

// ---- memory -------------------------------------------------------------------------------------

enum {
    AT_ALLOCATION,
    AT_RELEASE,
    ALLOCATED,
    RESERVED_AT_ALLOCATION,
    RESERVED_AT_RELEASE,
    RESERVED,
    SIZE_KB,
    N_MEMORY,
};

struct memory_reading {
    struct profile_memory *memory;
    bool has_first;
};

static double greatest(const struct row *row, int from, int to)
{
    double most = 0;
    for (int k = from; k <= to; k++)
        most = row->value[k] > most ? row->value[k] : most;
    return most;
}

static void take_memory(void *self, const struct row *row)
{
    struct memory_reading *reading = self;
    struct profile_memory *memory = reading->memory;
    const double used = greatest(row, AT_ALLOCATION, ALLOCATED);
    const double held = greatest(row, RESERVED_AT_ALLOCATION, RESERVED);
    memory->used_mb = used > memory->used_mb ? used : memory->used_mb;
    memory->held_mb = held > memory->held_mb ? held : memory->held_mb;
    if (reading->has_first || row->value[AT_ALLOCATION] <= 0)
        return;
    const double size = row->value[SIZE_KB] > 0 ? row->value[SIZE_KB] / 1024 : 0;
    const double before = row->value[AT_ALLOCATION] - size;
    memory->static_mb = before > 0 ? before : 0;
    reading->has_first = true;
}

enum pps_status profile_memory_read(struct profile_memory *memory, const char *path,
                                    struct pps_error *err)
{
    static const char *const names[N_MEMORY] = {
        [AT_ALLOCATION] = "Allocation Total Allocated(MB)",
        [AT_RELEASE] = "Release Total Allocated(MB)",
        [ALLOCATED] = "Total Allocated(MB)",
        [RESERVED_AT_ALLOCATION] = "Allocation Total Reserved(MB)",
        [RESERVED_AT_RELEASE] = "Release Total Reserved(MB)",
        [RESERVED] = "Total Reserved(MB)",
        [SIZE_KB] = "Size(KB)",
    };
    *memory = (struct profile_memory){0};
    struct memory_reading reading = {memory, false};
    return read_table(path, names, N_MEMORY, take_memory, &reading, err);
}

// ---- steps --------------------------------------------------------------------------------------

enum { COMPUTING, COMMUNICATION, FREE, N_STEPS };

static void take_step(void *self, const struct row *row)
{
    struct profile_steps *steps = self;
    const double us = row->value[COMPUTING] + row->value[COMMUNICATION] + row->value[FREE];
    steps->n++;
    steps->mean_ms += (us / 1e3 - steps->mean_ms) / steps->n;
}

enum pps_status profile_steps_read(struct profile_steps *steps, const char *path,
                                   struct pps_error *err)
{
    static const char *const names[N_STEPS] = {
        [COMPUTING] = "Computing",
        [COMMUNICATION] = "Communication(Not Overlapped)",
        [FREE] = "Free",
    };
    *steps = (struct profile_steps){0};
    return read_table(path, names, N_STEPS, take_step, steps, err);
}
