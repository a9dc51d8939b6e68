// SPDX-License-Identifier: Apache-2.0
// Writes a result as one HTML page that needs no network: its rows, its manifest and timelines of
// its best points, with a program that draws maps, fronts and tables of them.
#pragma once

#include "base/text/status.h"
#include "engine/report/rows.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

// Rows that a page holds; of more rows it holds the best.
#define PPS_PAGE_ROWS           ((size_t)4000000)
#define PPS_PAGE_TIMELINE_BYTES ((size_t)1000000) // a good default

struct pps_page_ask {
    struct pps_page_rows_ask rows;
    const char *command; // that writes the page; the page shows it
    const atomic_bool *stop;
    double reload;         // seconds after which an open page reads its file again; 0: never
    size_t timeline_bytes; // of timelines besides those of the best rows, before compression
};

struct pps_page_count {
    uint64_t rows, total; // in the page, and in the result
    int timelines;
};

// Reads a result and writes the page. The owner of `out` checks for writing errors.
PPS_MUST_CHECK enum pps_status pps_page_write(const struct pps_page_ask *ask, FILE *out,
                                              struct pps_page_count *count,
                                              struct pps_error *err);
