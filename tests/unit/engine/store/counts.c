// SPDX-License-Identifier: Apache-2.0
// Counts: their sum, and their way through an index record.
#include "engine/store/block.h"
#include "engine/store/whole_prefix.h"
#include "tests/unit/support/engine/output_files.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

// Sets each count to a number of its own, beginning with `first`, and the examples to 0.
static struct pps_counts distinct(uint64_t first)
{
    struct pps_counts counts = {.rows = first, .failed = first + 1, .infeasible = first + 2};
    for (uint64_t r = 0; r < PPS_MAX_REASONS; r++)
        counts.left_out[r].n = first + 3 + r;
    return counts;
}

// Catches a field that the sum forgets, whatever fields the struct has, and examples that are
// added or replaced.
Test(counts, sum_has_every_field)
{
    enum { FIELDS = sizeof(struct pps_counts) / sizeof(uint64_t) };
    uint64_t fields[FIELDS], sums[FIELDS];
    struct pps_counts sum = {.rows = 0}, later;
    for (uint64_t i = 0; i < FIELDS; i++)
        fields[i] = 1000 + i;
    memcpy(&later, fields, sizeof later);
    pps_counts_add(&sum, &later);
    cr_expect_eq(memcmp(&sum, &later, sizeof sum), 0);
    pps_counts_add(&sum, &later);
    memcpy(sums, &sum, sizeof sums);
    for (size_t i = 0; i < FIELDS; i++) {
        const bool example =
            i == offsetof(struct pps_counts, failed_example) / sizeof(uint64_t) ||
            (i >= offsetof(struct pps_counts, left_out) / sizeof(uint64_t) &&
             (i - offsetof(struct pps_counts, left_out) / sizeof(uint64_t)) % 2 == 1);
        cr_expect_eq(sums[i], example ? fields[i] : 2 * fields[i], "field %d", (int)i);
    }
}

// Catches a field that is not written to the index record or not read from it.
Test(counts, index_keeps_every_field, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv", "none");
    plan.n_reasons = PPS_MAX_REASONS;
    struct pps_error err;
    struct pps_output *output;
    cr_assert_eq(pps_output_open(&output, &plan, &err), PPS_OK, "%s", err.text);
    struct pps_block block = {.index = 0,
                              .data = "1\n",
                              .data_bytes = 2,
                              .counts = distinct(1)};
    pps_block_set_text(&block, block.data, 2);
    cr_assert_eq(pps_output_append(output, &block, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK, "%s", err.text);

    struct pps_index_reader index;
    enum pps_index_reader_state state;
    struct pps_index_record record;
    uint64_t left_out[PPS_MAX_REASONS];
    bool valid;
    cr_assert_eq(pps_index_reader_open(&index, "a.csv.idx", &state, &err), PPS_OK);
    cr_assert_eq(pps_index_reader_read(&index, 1, &record, left_out, &valid, &err), PPS_OK);
    cr_assert(valid);
    const struct pps_counts back = pps_index_record_counts(&record, left_out);
    cr_assert_eq(memcmp(&back, &block.counts, sizeof back), 0);
    pps_index_reader_close(&index);
}
