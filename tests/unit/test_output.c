// SPDX-License-Identifier: Apache-2.0
// Result files as they are written: what every gzip reader gets, what the journal says, what is
// refused, and what is left when a run does not end.
#include "engine/output.h"

#include "files.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#define HEADER   "n,x,total_time\n"
#define MANIFEST "{\"rows\": 3}\n"
#define N_BLOCKS 5

// ---- blocks ---------------------------------------------------------------------------------

// The text of block i; block 2 has no rows. Returns its length.
static size_t block_text(int i, char *out)
{
    size_t n = 0;
    for (int row = 0; i != 2 && row < 400 + 10 * i; row++)
        n += (size_t)sprintf(out + n, "%d,0.%d,%d.1234\n", i, row % 10, row);
    return n;
}

static char *whole_text(void)
{
    char *text = malloc(1 << 20);
    size_t n = (size_t)sprintf(text, "%s", HEADER);
    for (int i = 0; i < N_BLOCKS; i++)
        n += block_text(i, text + n);
    text[n] = '\0';
    return text;
}

static struct pps_output_plan plan_for(const char *path, const char *codec)
{
    struct pps_error err;
    struct pps_output_plan plan = {.path = path,
                                   .header = HEADER,
                                   .digest = 0xd1,
                                   .n_points = 5000,
                                   .block_points = 1000,
                                   .n_reasons = 2};
    cr_assert_eq(pps_codec_parse(codec, &plan.codec, &err), PPS_OK);
    return plan;
}

// Appends block i, compressed as the plan says.
static enum pps_status append(struct pps_output *output,
                              const struct pps_output_plan *plan,
                              int i,
                              struct pps_error *err)
{
    static char text[1 << 16];
    static unsigned char data[1 << 17];
    struct pps_codec *codec;
    struct pps_block block = {.index = (uint64_t)i, .rows = 400, .failed = (uint64_t)i};
    cr_assert_eq(pps_codec_open(&codec, plan->codec, err), PPS_OK);
    size_t n = block_text(i, text);
    pps_block_set_text(&block, text, n);
    block.data = n == 0 ? NULL : data;
    block.data_bytes = pps_codec_block(codec, text, n, data, sizeof data);
    block.left_out[1] = 7;
    pps_codec_close(codec);
    return pps_output_append(output, &block, err);
}

static struct pps_output *open_output(const struct pps_output_plan *plan)
{
    struct pps_error err;
    struct pps_output *output;
    cr_assert_eq(pps_output_open(&output, plan, &err), PPS_OK, "%s", err.text);
    return output;
}

static void append_all(struct pps_output *output, const struct pps_output_plan *plan)
{
    struct pps_error err;
    for (int i = 0; i < N_BLOCKS; i++)
        cr_assert_eq(append(output, plan, i, &err), PPS_OK);
}

static void write_all(const struct pps_output_plan *plan)
{
    struct pps_error err;
    struct pps_output *output = open_output(plan);
    append_all(output, plan);
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK, "%s", err.text);
}

// Opening must fail with this code and a line that has `remedy` in it.
static void is_refused(const struct pps_output_plan *plan, const char *remedy)
{
    struct pps_error err;
    struct pps_output *output;
    enum pps_status status = pps_output_open(&output, plan, &err);
    cr_assert_eq(status, PPS_E_INPUT, "%s was not refused", plan->path);
    cr_assert(output == NULL);
    cr_assert(strstr(err.text, remedy) != NULL, "'%s' lacks '%s'", err.text, remedy);
    cr_assert(strchr(err.text, '\n') == NULL);
}

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

// One member, all of the file, with the right checksum.
static void is_one_member(const char *path, const char *text)
{
    size_t n;
    char *bytes = slurp(path, &n);
    char *found = calloc(1, 1 << 20);
    z_stream z = {.next_in = (unsigned char *)bytes,
                  .avail_in = (uInt)n,
                  .next_out = (unsigned char *)found,
                  .avail_out = 1 << 20};
    cr_assert_eq(inflateInit2(&z, 15 + 16), Z_OK);
    cr_assert_eq(inflate(&z, Z_FINISH), Z_STREAM_END, "%s: %s", path, z.msg);
    cr_assert_eq(z.avail_in, 0, "%s: bytes after the member", path);
    cr_assert_str_eq(found, text);
    inflateEnd(&z);
    free(found);
    free(bytes);
}

// Catches wrong checksums or lengths, a second member, a missing final block, for every codec.
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

// Catches framing around plain text.
Test(output, plain_csv, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv", "none");
    char *text = whole_text();
    write_all(&plan);
    has_text("a.csv", text);
    cr_assert(is_there("a.csv.idx") && is_there("a.csv.json"));
    free(text);
}

// Catches a time, a name or memory without a value in the files.
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

// Walks the journal of a file with these blocks; asserts every field against the data.
static void journal_matches(const char *index_path, const char *data_path, int n_blocks)
{
    size_t n_index, n_data;
    char *index = slurp(index_path, &n_index), *data = slurp(data_path, &n_data);
    struct pps_index_head head;
    memcpy(&head, index, sizeof head);
    cr_assert(pps_index_head_is_valid(&head));
    cr_assert(head.digest == 0xd1 && head.n_points == 5000 && head.block_points == 1000);
    cr_assert(head.n_reasons == 2 && head.n_shards == 1);
    cr_assert_eq(n_index, head.head_bytes + (size_t)(n_blocks + 1) * head.record_bytes);
    uint64_t offset = 10;
    for (int i = -1; i < n_blocks; i++) {
        char text[1 << 16] = HEADER;
        size_t n_text = i < 0 ? strlen(HEADER) : block_text(i, text);
        const char *at = index + head.head_bytes + (size_t)(i + 1) * head.record_bytes;
        struct pps_index_record record;
        uint64_t left_out[2];
        memcpy(&record, at, sizeof record);
        memcpy(left_out, at + sizeof record, sizeof left_out);
        cr_assert(pps_index_record_is_valid(at, head.record_bytes), "record %d", i);
        cr_assert_eq(record.index, i < 0 ? UINT64_MAX : (uint64_t)i);
        cr_assert_eq(record.offset, offset, "record %d", i);
        cr_assert_eq(record.text_bytes, n_text, "record %d", i);
        cr_assert_eq(record.text_crc, crc32(0, (unsigned char *)text, (uInt)n_text));
        cr_assert_eq(record.data_xxh64, XXH64(data + offset, record.data_bytes, 0));
        cr_assert(i < 0 || (record.failed == (uint64_t)i && left_out[1] == 7));
        offset += record.data_bytes;
    }
    cr_assert(offset <= n_data);
    free(index);
    free(data);
}

// Catches offsets that forget the gzip header, checksums over the wrong bytes, lost records.
Test(output, journal_tells_the_truth, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    write_all(&plan);
    journal_matches("a.csv.gz.idx", "a.csv.gz", N_BLOCKS);
}

// Catches a checksum that covers too little: any flipped bit of head or record shows.
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

// Catches records that wait for the end of the run: after more than the sync interval they are
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

// Catches a buffer of waiting records that overflows when blocks are many and quick.
Test(output, many_blocks, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv", "none");
    struct pps_error err;
    struct pps_output *output = open_output(&plan);
    for (uint64_t i = 0; i < 2000; i++) {
        struct pps_block block = {.index = 3 * i,
                                  .data = "1,2,3\n",
                                  .data_bytes = 6,
                                  .rows = 1};
        pps_block_set_text(&block, block.data, 6);
        cr_assert_eq(pps_output_append(output, &block, &err), PPS_OK);
    }
    cr_assert_eq(pps_output_bytes(output), strlen(HEADER) + 2000 * 6);
    struct stat at;
    cr_assert_eq(stat("a.csv.idx.part", &at), 0);
    cr_assert_gt((size_t)at.st_size, 1000 * pps_index_record_bytes(2), "few wait in memory");
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK);
    cr_assert_eq(stat("a.csv.idx", &at), 0);
    cr_assert_eq((size_t)at.st_size,
                 sizeof(struct pps_index_head) + 2001 * pps_index_record_bytes(2));
}

// Catches a file out of order.
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

// ---- what is refused ------------------------------------------------------------------------

// Catches any touch of a complete result without force.
Test(output, complete_result_is_kept, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    spill("a.csv.gz", "precious");
    is_refused(&plan, "a.csv.gz exists; --force replaces it");
    has_text("a.csv.gz", "precious");
    cr_assert(!is_there("a.csv.gz.part") && !is_there("a.csv.gz.idx.part"));
}

// Catches an index or manifest overwritten because its data is elsewhere.
Test(output, lone_manifest_is_kept, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    spill("a.csv.gz.json", "precious");
    is_refused(&plan, "--force");
    has_text("a.csv.gz.json", "precious");
    cr_assert(!is_there("a.csv.gz.part"));
}

// Catches an interrupted run that is thrown away; with force it is replaced.
Test(output, interrupted_run_is_kept, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    char *text = whole_text();
    char *old = calloc(1, 200001);
    memset(old, 'h', 200000); // much longer than what comes after it
    spill("a.csv.gz.part", old);
    spill("a.csv.gz.idx.part", "records");
    is_refused(&plan, "a.csv.gz.part exists (an interrupted run)");
    has_text("a.csv.gz.part", old);
    has_text("a.csv.gz.idx.part", "records");
    plan.force = true;
    write_all(&plan);
    is_one_member("a.csv.gz", text);
    journal_matches("a.csv.gz.idx", "a.csv.gz", N_BLOCKS);
    free(old);
    free(text);
}

// Catches force that removes the old result before the new one is complete.
Test(output, force_keeps_the_old_until_the_end, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    char *text = whole_text();
    spill("a.csv.gz", "old");
    spill("a.csv.gz.idx", "old index");
    spill("a.csv.gz.json", "old manifest");
    plan.force = true;
    struct pps_output *output = open_output(&plan);
    append_all(output, &plan);
    has_text("a.csv.gz", "old");
    has_text("a.csv.gz.idx", "old index");
    has_text("a.csv.gz.json", "old manifest");
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK);
    is_one_member("a.csv.gz", text);
    has_text("a.csv.gz.json", MANIFEST);
    free(text);
}

// Catches two writers of one file, with and without force.
Test(output, one_writer_a_file, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1"), second = plan;
    struct pps_error err;
    char *text = whole_text();
    struct pps_output *output = open_output(&plan);
    cr_assert(pps_output_is_locked(output));
    is_refused(&second, "is being written by another run");
    second.force = true;
    is_refused(&second, "is being written by another run");
    append_all(output, &plan);
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_OK);
    is_one_member("a.csv.gz", text);
    free(text);
}

// Catches a result that appeared while this one was computed and is then overwritten.
Test(output, late_result_is_kept, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    struct pps_output *output = open_output(&plan);
    append_all(output, &plan);
    spill("a.csv.gz", "precious");
    cr_assert_neq(pps_output_finish(output, MANIFEST, &err), PPS_OK);
    has_text("a.csv.gz", "precious");
    cr_assert(is_there("a.csv.gz.part") && is_there("a.csv.gz.idx.part"));
    cr_assert(!is_there("a.csv.gz.idx") && !is_there("a.csv.gz.json"));
}

// Catches names that can never be a file: one line, nothing created.
Test(output, impossible_names, .init = enter, .fini = leave)
{
    char long_name[320];
    memset(long_name, 'a', sizeof long_name);
    strcpy(long_name + 250, ".csv.gz");
    cr_assert_eq(mkdir("folder", 0777), 0);
    cr_assert_eq(symlink("nowhere", "dangling.csv.gz"), 0);
    cr_assert_eq(mkfifo("pipe.csv.gz", 0666), 0);
    cr_assert_eq(mkdir("b.csv.gz.part", 0777), 0);
    spill("file", "");
    static const struct {
        const char *path, *remedy;
    } cases[] = {{"folder", "is a folder"},
                 {"dangling.csv.gz", "symbolic link to nothing"},
                 {"pipe.csv.gz", "no regular file"},
                 {"/dev/null", "no regular file"},
                 {"missing/a.csv.gz", "create the folder first"},
                 {"file/a.csv.gz", "file"},
                 {"b.csv.gz", "is a folder"},
                 {"", "names no file"},
                 {"folder/", "names no file"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int force = 0; force < 2; force++) {
            struct pps_output_plan plan = plan_for(cases[i].path, "zlib:1");
            plan.force = force;
            is_refused(&plan, cases[i].remedy);
        }
    struct pps_output_plan plan = plan_for(long_name, "zlib:1");
    is_refused(&plan, "too long");
    cr_assert(!is_there("dangling.csv.gz.part") && !is_there("nowhere"));
}

// Catches force that replaces a link and leaves its file as it was.
Test(output, links_are_not_replaced, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("link.csv.gz", "zlib:1");
    spill("real.csv.gz", "precious");
    cr_assert_eq(symlink("real.csv.gz", "link.csv.gz"), 0);
    is_refused(&plan, "exists");
    plan.force = true;
    is_refused(&plan, "is a symbolic link");
    has_text("real.csv.gz", "precious");
}

// Catches an unwritable folder reported as a failing machine. Says nothing for root, who may
// write anywhere.
Test(output, unwritable_folder, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("closed/a.csv.gz", "zlib:1");
    cr_assert_eq(mkdir("closed", 0555), 0);
    if (geteuid() != 0)
        is_refused(&plan, "cannot write into closed");
}

// ---- runs that do not end -------------------------------------------------------------------

// Whole blocks of a .part, by a reader that minds a missing end as little as zcat does.
static void yields(const char *path, const char *text)
{
    gzFile file = gzopen(path, "rb");
    char *found = calloc(1, 1 << 20);
    size_t n = 0;
    for (int got = 1; got > 0; n += got > 0 ? (size_t)got : 0)
        got = gzread(file, found + n, 1000);
    cr_assert_str_eq(found, text);
    gzclose(file);
    free(found);
}

// Catches blocks that only read once the file is finished, and a journal behind its data.
Test(output, stopped_run_keeps_its_blocks, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    char *text = whole_text();
    struct pps_output *output = open_output(&plan);
    append_all(output, &plan);
    cr_assert_eq(pps_output_stop(output, &err), PPS_OK);
    cr_assert(!is_there("a.csv.gz") && !is_there("a.csv.gz.idx") && !is_there("a.csv.gz.json"));
    yields("a.csv.gz.part", text);
    journal_matches("a.csv.gz.idx.part", "a.csv.gz.part", N_BLOCKS);
    free(text);
}

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// A disk that fills up, played by a limit on file sizes. Catches half a block left at the end,
// a fault without its path, and a run that goes on regardless.
Test(output, full_disk_keeps_whole_blocks, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv", "none");
    struct pps_error err;
    char *text = malloc(1 << 20);
    size_t n = (size_t)sprintf(text, HEADER);
    struct pps_output *output = open_output(&plan);
    cr_assert_eq(append(output, &plan, 0, &err), PPS_OK);
    n += block_text(0, text + n);
    limit_file_size(n + 100);
    cr_assert_eq(append(output, &plan, 1, &err), PPS_E_MACHINE);
    cr_assert_str_eq(err.text, "cannot write a.csv.part: File too large");
    cr_assert_eq(append(output, &plan, 1, &err), PPS_E_MACHINE);
    cr_assert_eq(pps_output_finish(output, MANIFEST, &err), PPS_E_MACHINE);
    limit_file_size(RLIM_INFINITY);
    text[n] = '\0';
    has_text("a.csv.part", text);
    cr_assert(!is_there("a.csv"));
    size_t n_index;
    char *index = slurp("a.csv.idx.part", &n_index);
    size_t expected = sizeof(struct pps_index_head) + 2 * pps_index_record_bytes(2);
    cr_assert_eq(n_index, expected, "the records of whole blocks are kept");
    free(index);
    free(text);
}

// Catches files left behind by a run that could not even begin.
Test(output, failed_opening_leaves_nothing, .init = enter, .fini = leave)
{
    struct pps_output_plan plan = plan_for("a.csv.gz", "zlib:1");
    struct pps_error err;
    struct pps_output *output;
    limit_file_size(20); // less than the journal's head
    cr_assert_eq(pps_output_open(&output, &plan, &err), PPS_E_MACHINE);
    limit_file_size(RLIM_INFINITY);
    cr_assert(strstr(err.text, "a.csv.gz.idx.part") != NULL, "%s", err.text);
    cr_assert(!is_there("a.csv.gz.part") && !is_there("a.csv.gz.idx.part"));
    pps_output_abandon(NULL);
}
