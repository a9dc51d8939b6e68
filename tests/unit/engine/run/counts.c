// SPDX-License-Identifier: Apache-2.0
// Counts of blocks: their sum, and their way through totals and an index record.
#include "engine/run/counts.h"
#include "engine/store/whole_prefix.h"
#include "tests/unit/support/engine/output_files.h"

#include <criterion/criterion.h>
#include <string.h>

enum { FIELDS = sizeof(struct pps_block_counts) / sizeof(uint64_t) };

// Sets field i of the counts to first + i, whatever fields the struct has.
static struct pps_block_counts distinct(uint64_t first)
{
    uint64_t fields[FIELDS];
    struct pps_block_counts counts;
    for (uint64_t i = 0; i < FIELDS; i++)
        fields[i] = first + i;
    memcpy(&counts, fields, sizeof counts);
    return counts;
}

// Catches a field that the sum forgets.
Test(counts, sum_has_every_field)
{
    struct pps_block_counts sum = distinct(100);
    const struct pps_block_counts other = distinct(1000);
    uint64_t fields[FIELDS];
    pps_block_counts_add(&sum, &other);
    memcpy(fields, &sum, sizeof fields);
    for (uint64_t i = 0; i < FIELDS; i++)
        cr_expect_eq(fields[i], 1100 + 2 * i, "field %d", (int)i);
}

// Catches a field that a conversion from or to the counts of a run forgets.
Test(counts, totals_keep_every_field)
{
    const struct pps_block_counts stored = distinct(1);
    const struct pps_counts counts = pps_counts_from_block(&stored);
    const struct pps_block_counts back = pps_counts_of_block(&counts);
    cr_assert_eq(memcmp(&back, &stored, sizeof back), 0);
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
    const struct pps_block_counts back = pps_index_record_counts(&record, left_out);
    cr_assert_eq(memcmp(&back, &block.counts, sizeof back), 0);
    pps_index_reader_close(&index);
}
