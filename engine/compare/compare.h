// SPDX-License-Identifier: Apache-2.0
// Compares two results: joins their rows on columns that both have, and counts how the values of
// the rows changed from the first result, a, to the second one, b.
#pragma once

#include "base/text/hash_slots.h"
#include "base/text/string_pool.h"
#include "engine/compare/side.h"
#include "engine/read/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_compare_ask {
    struct pps_view_ask a, b;
    const char *on; // key columns with commas between; NULL: parameters that both results show
    const char *values; // compared columns with commas between; NULL: the kernel's first
    enum pps_goal goal; // PPS_NEUTRAL: the column's own, or lower where it has none
    bool best;          // of several rows with equal keys, take the best; otherwise refuse them
};

// A column by whose values rows are joined.
struct pps_compare_key {
    int a, b;                  // columns of the views
    bool apart;                // one value in a and another one in b: not joined on, but said
    uint64_t apart_a, apart_b; // these values, as in the rows of a side
};

// A compared column, and how it changed over the pairs of rows that both have a value.
struct pps_compare_value {
    int a, b; // columns of the views
    const char *name;
    const char *unit;
    bool higher;                  // is better
    uint64_t pairs;               // both rows have a value
    uint64_t lower, equal, above; // b below, equal to and above a
    uint64_t only_a, only_b;      // one row has a value
    double least, most;           // ratio b/a; NAN: no pair with values above 0
    double mean;                  // geometric mean of the ratios
    uint64_t ratios;              // pairs with values above 0
};

// The rows with a joined key; PPS_COMPARE_NONE.
struct pps_compare_rows {
    size_t a, b;
};

struct pps_compare {
    struct pps_compare_side a, b;
    int n_keys, n_values;
    struct pps_compare_key *keys;
    struct pps_compare_value *values;
    struct pps_compare_column
        *columns;                 // the key columns of a, of b, the value columns of a and of b
    struct pps_string_pool texts; // key cells that are no numbers
    struct pps_key_map pairs;     // 1 + the number of each joined key, by first appearance
    struct pps_compare_rows *joined; // of each key
    size_t n_pairs, room;
    uint64_t matched, alone_a, alone_b; // keys with two rows, and with one
    uint64_t merged;                    // rows that are not the best of their key
};

#define PPS_COMPARE_NONE SIZE_MAX

// Reads and joins both results. PPS_E_INPUT for columns that a result lacks, for results without a
// common parameter or without a common row, and for rows with equal keys unless ask->best is set.
// After an error there is nothing to close. Holds all rows in memory: 8 bytes a key and a value, for
// each row.
PPS_MUST_CHECK enum pps_status pps_compare_open(struct pps_compare *compare,
                                                const struct pps_compare_ask *ask,
                                                struct pps_error *err);
void pps_compare_close(struct pps_compare *compare); // a zeroed one is fine

// Returns the number of value v in a row of a side; NAN: none, or row PPS_COMPARE_NONE.
double pps_compare_number(const struct pps_compare_side *side, size_t row, int v);
