// SPDX-License-Identifier: Apache-2.0
// Result files as written: the bytes for gzip readers, and the contents of the journal.
#include "tests/unit/support/engine/output_files.h"

#include "engine/store/whole_prefix.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

// ---- what readers get -----------------------------------------------------------------------

static void gunzips_to(const char *path, const char *text)
{
    gzFile file = gzopen(path, "rb");
    char *found = calloc(1, 1 << 20);
    cr_assert(file != NULL);
    int n = gzread(file, found, (1 << 20) - 1);
    cr_assert_eq(n, (int)strlen(text), "%s", path);
    cr_assert_str_eq(found, text, "%s", path);
    cr_assert_eq(gzclose(file), Z_OK, "%s", path);
    free(found);
}

// Catches wrong checksums or lengths, a second member and a missing final block, for every
// codec.
Test(output, one_plain_gzip_member, .init = enter, .fini = leave)
{
    static const char *const codecs[] = {"zlib:1", "zlib:6", "isal:1", "isal:0"};
    struct pps_codec_choice choice;
    struct pps_error err;
    char *text = whole_text();
    for (size_t i = 0; i < 4; i++) {
        if (pps_codec_parse(codecs[i], &choice, &err) != PPS_OK)
            continue;
        struct pps_output_plan plan = plan_for("a.csv.gz", codecs[i]);
        plan.force = true;
        write_all(&plan);
        gunzips_to("a.csv.gz", text);
        is_one_member("a.csv.gz", text);
        has_text("a.csv.gz.json", MANIFEST);
        cr_assert(!is_there("a.csv.gz.part") && !is_there("a.csv.gz.idx.part") &&
                  !is_there("a.csv.gz.json.part"));
    }
    free(text);
}

// Catches framing bytes around plain text.
Test(output, plain_csv, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv", "none");
    char *text = whole_text();
    write_all(&plan);
    has_text("a.csv", text);
    cr_assert(is_there("a.csv.idx") && is_there("a.csv.json"));
    free(text);
}

// Catches times, names or uninitialised memory in the files.
Test(output, same_bytes_for_same_blocks, .init = enter, .fini = leave)
{
    static const char *const endings[] = {"", ".idx"};
    struct pps_output_plan a = plan_for("a.csv.gz", "zlib:1"),
                           b = plan_for("b.csv.gz", "zlib:1");
    write_all(&a);
    sleep(1); // a gzip time would differ
    write_all(&b);
    for (int i = 0; i < 2; i++) {
        char path_a[32], path_b[32];
        size_t n_a, n_b;
        snprintf(path_a, sizeof path_a, "a.csv.gz%s", endings[i]);
        snprintf(path_b, sizeof path_b, "b.csv.gz%s", endings[i]);
        char *bytes_a = slurp(path_a, &n_a), *bytes_b = slurp(path_b, &n_b);
        cr_assert(n_a == n_b && memcmp(bytes_a, bytes_b, n_a) == 0, "%s", endings[i]);
        free(bytes_a);
        free(bytes_b);
    }
}

// ---- the journal ----------------------------------------------------------------------------

// Catches offsets that ignore the gzip header, checksums over the wrong bytes, and lost
// records.
Test(output, journal_tells_the_truth, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    write_all(&plan);
    journal_matches("a.csv.gz.idx", "a.csv.gz", N_BLOCKS);
}

// Catches a checksum that covers too little: every flipped bit of the head or a record is
// found.
Test(output, journal_sees_flipped_bits, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    size_t n, record_bytes = pps_index_record_bytes(2);
    write_all(&plan);
    char *index = slurp("a.csv.gz.idx", &n);
    for (size_t i = 0; i < sizeof(struct pps_index_head) + record_bytes; i++) {
        struct pps_index_head head;
        index[i] ^= 4;
        memcpy(&head, index, sizeof head);
        bool record_ok = pps_index_record_is_valid(index + sizeof head, record_bytes);
        cr_assert(!pps_index_head_is_valid(&head) || !record_ok, "byte %zu", i);
        index[i] ^= 4;
    }
    free(index);
}

// Catches records that are held back until the end of the run: after the sync interval they are
// on the disk while the file is still being written.
Test(output, records_reach_the_disk, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    struct pps_output *output = open_output(&plan);
    cr_assert_eq(append(output, &plan, 0, &err), PPS_OK);
    usleep(1100000);
    cr_assert_eq(append(output, &plan, 1, &err), PPS_OK);
    journal_matches("a.csv.gz.idx.part", "a.csv.gz.part", 2);
    pps_output_abandon(output);
}

// Catches an overflow of the buffer of waiting records with many fast blocks.
Test(output, many_blocks, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv", "none");
    struct pps_error err;
    struct pps_output *output = open_output(&plan);
    for (uint64_t i = 0; i < 40000; i++) {
        struct pps_block block = {.index = 3 * i,
                                  .data = "1,2,3\n",
                                  .data_bytes = 6,
                                  .counts.rows = 1};
        pps_block_set_text(&block, block.data, 6);
        cr_assert_eq(pps_output_append(output, &block, &err), PPS_OK);
    }
    cr_assert_eq(pps_output_bytes(output), strlen(HEADER) + 40000 * 6);
    struct stat at;
    cr_assert_eq(stat("a.csv.idx.part", &at), 0);
    cr_assert_gt((size_t)at.st_size, 20000 * pps_index_record_bytes(2), "few wait in memory");
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK);
    cr_assert_eq(stat("a.csv.idx", &at), 0);
    cr_assert_eq((size_t)at.st_size,
                 sizeof(struct pps_index_head) + 40001 * pps_index_record_bytes(2));
}

// Catches blocks out of order.
Test(output, blocks_ascend, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    struct pps_output *output = open_output(&plan);
    cr_assert_eq(append(output, &plan, 3, &err), PPS_OK);
    cr_assert_eq(append(output, &plan, 3, &err), PPS_E_MACHINE);
    cr_assert_eq(append(output, &plan, 2, &err), PPS_E_MACHINE);
    cr_assert_eq(append(output, &plan, 4, &err), PPS_OK);
    pps_output_abandon(output);
}

// Catches publishing by name alone: if another file took the name of the .part file during the
// run (as after `rm` and a second run), that file became the result and the rows of this run
// were lost.
Test(output, another_file_is_not_published, .init = enter, .fini = leave)
{
    const struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    for (int stopped = 0; stopped < 2; stopped++) {
        struct pps_error err = {.text = ""};
        struct pps_output *output = open_output(&plan);
        append_all(output, &plan);
        cr_assert_eq(unlink("a.csv.gz.part"), 0);
        spill("a.csv.gz.part", "theirs");
        spill("a.csv.gz.json.part", "theirs");
        const enum pps_status status =
            stopped ? pps_output_stop(output, &err) : pps_output_finish(output, MANIFEST, &err);
        cr_assert_eq(status, PPS_E_WRONG, "%s", err.text);
        has_text("a.csv.gz.part", "theirs");
        has_text("a.csv.gz.json.part", "theirs");
        cr_assert(!is_there("a.csv.gz") && !is_there("a.csv.gz.idx"));
        // The rescued rows can be continued under another name.
        struct pps_output_plan rescued = plan_for("a.rescued.csv.gz", "zlib:1");
        rescued.resume = true;
        output = open_output(&rescued);
        cr_assert_gt(pps_output_prefix(output)->n_records, 1);
        pps_output_discard(output);
        cr_assert(unlink("a.csv.gz.part") == 0 && unlink("a.csv.gz.json.part") == 0 &&
                  (unlink("a.csv.gz.idx.part") == 0 || !is_there("a.csv.gz.idx.part")));
    }
}
