// SPDX-License-Identifier: Apache-2.0
// Refuses indexes and manifests with valid checksums and false contents, and checks that a
// manifest contains everything needed to rebuild the experiment.
#include "tests/unit/support/engine/verifying.h"

#include "engine/manifest/experiment_again.h"
#include "tests/unit/support/engine/toy_kernel.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

TestSuite(verify_lies, .init = enter, .fini = leave);

// ---- false index with valid checksums -------------------------------------------------------

static void seal(char *record, size_t n)
{
    const uint64_t checksum = XXH64(record, n - 8, 0);
    memcpy(record + n - 8, &checksum, 8);
}

// Catches memory allocated for false sizes in an index.
Test(verify_lies, an_index_that_lies_is_refused)
{
    static const struct {
        size_t at; // in the record of block 1
        uint64_t value;
        const char *words;
    } lies[] = {
        {offsetof(struct pps_index_record, offset), 1, "its data begin at byte 1, not at"},
        {offsetof(struct pps_index_record, text_bytes), UINT64_C(1) << 60, "more than a block"},
        {offsetof(struct pps_index_record, text_bytes), 60 << 20,
         "is too short for its text length"},
        {offsetof(struct pps_index_record, text_bytes), 3, "length of its text"},
        {offsetof(struct pps_index_record, data_bytes), UINT64_C(1) << 62, "cannot contain"},
        {offsetof(struct pps_index_record, data_bytes), 100 << 20, "is truncated at byte"},
        {offsetof(struct pps_index_record, rows), 1000, "do not add up to 5 points"},
        {offsetof(struct pps_index_record, rows), UINT64_MAX, "do not add up to 5 points"},
        {offsetof(struct pps_index_record, failed), 6, "do not add up to 5 points"},
        {offsetof(struct pps_index_record, text_crc), UINT64_C(1) << 40, "is invalid"},
        {offsetof(struct pps_index_record, text_crc), 7, "checksum of its text"},
    };
    const struct result_plan plan = {"r.csv.gz", SMALL, NULL, 5, 0, 0, NULL, NULL};
    struct pps_index_head head;
    size_t n;
    write_result(&plan);
    char *index = slurp("r.csv.gz.idx", &n), *changed = malloc(n);
    memcpy(&head, index, sizeof head);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char *record = changed + sizeof head + 2 * head.record_bytes;
        memcpy(changed, index, n);
        memcpy(record + lies[i].at, &lies[i].value, 8);
        seal(record, head.record_bytes);
        spill_bytes("r.csv.gz.idx", changed, n);
        fails("r.csv.gz", 0, PPS_E_WRONG, lies[i].words);
    }
    const uint64_t heads[][2] = {{offsetof(struct pps_index_head, n_points), 0},
                                 {offsetof(struct pps_index_head, n_points), UINT64_MAX},
                                 {offsetof(struct pps_index_head, n_points), INT64_MAX},
                                 {offsetof(struct pps_index_head, block_points), 0},
                                 {offsetof(struct pps_index_head, block_points), UINT64_MAX},
                                 {offsetof(struct pps_index_head, codec_kind), 77},
                                 {offsetof(struct pps_index_head, shard), UINT32_MAX},
                                 {offsetof(struct pps_index_head, digest), 1}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        memcpy(changed, index, n);
        memcpy(changed + heads[i][0], &heads[i][1], 8);
        seal(changed, sizeof head);
        spill_bytes("r.csv.gz.idx", changed, n);
        fails("r.csv.gz", 0, PPS_E_WRONG, "");
    }
    free(changed);
    free(index);
}

static const struct pps_input_words no_words = {NULL, 0};

// Catches a build with more reasons that reports another number of points.
Test(verify_lies, an_index_of_other_reasons_is_told_from_other_points)
{
    const struct result_plan plan = {"r.csv.gz", SMALL, NULL, 5, 0, 0, NULL, NULL};
    struct pps_manifest_facts said;
    struct pps_error err;
    struct pps_index_head head;
    struct pps_experiment *e;
    size_t n;
    write_result(&plan);
    char *index = slurp("r.csv.gz.idx", &n);
    memcpy(&head, index, sizeof head);
    free(index);
    cr_assert_eq(pps_manifest_facts_read(&said, "r.csv.gz.json", &err), PPS_OK, "%s", err.text);
    cr_assert_eq(pps_experiment_again(&said, test_kernels, &head, &no_words, &e, &err), PPS_OK,
                 "%s", err.text);
    pps_experiment_free(e);
    head.n_reasons++;
    cr_assert_eq(pps_experiment_again(&said, test_kernels, &head, &no_words, &e, &err),
                 PPS_E_WRONG);
    cr_assert(strstr(err.text, "reasons to skip points") != NULL, "%s", err.text);
    cr_assert_null(e);
    pps_manifest_facts_free(&said);
}

// ---- false manifest with a valid digest -----------------------------------------------------

// Writes the manifest with `from` replaced by `to`, and with a valid digest.
static void change_manifest(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    const char *digest = strstr(text, ",\n\t\"manifest_digest\"");
    char *changed = NULL;
    cr_assert(at != NULL && digest > at, "%s", from);
    const int n = asprintf(&changed, "%.*s%s%.*s", (int)(at - text), text, to,
                           (int)(digest - at) - (int)strlen(from), at + strlen(from));
    FILE *file = fopen("r.csv.gz.json", "w");
    fprintf(file, "%s,\n\t\"manifest_digest\":\t\"%016llx\"\n}\n", changed,
            (unsigned long long)XXH64(changed, (size_t)n, 0));
    fclose(file);
    free(changed);
}

Test(verify_lies, a_manifest_that_lies_is_refused)
{
    static const struct {
        const char *from, *to, *words;
    } lies[] = {
        {"\"rows\":\t36", "\"rows\":\t37", "rows is 37, but 36 in the index"},
        {"\"points\":\t48,\n\t\"rows", "\"points\":\t49,\n\t\"rows", "points is 49, but 48"},
        {"\"failed\":\t0", "\"failed\":\t1", "failed is 1, but 0"},
        {"\"text_bytes\":\t", "\"text_bytes\":\t1", "text_bytes is 1"},
        {"\"data_bytes\":\t", "\"data_bytes\":\t1", "data_bytes is 1"},
        {"\"block_points\":\t5", "\"block_points\":\t6", "block_points is 6, but 5"},
        {"\"points\":\t12", "\"points\":\t13", "its skipped points do not match"},
        {"\"reason\":\t\"", "\"reason\":\t\"x", "its skipped points do not match"},
        {"\"codec\":\t\"zlib:1", "\"codec\":\t\"zlib:2", "codec is zlib:2, but zlib:1"},
        {"\"digest\":\t\"", "\"digest\":\t\"0", "16 hexadecimal digits"},
        {"\"n\":\t[2, 3]", "\"n\":\t[2, 4]", "its experiment has the digest"},
        {"\"seed\":\t0", "\"seed\":\t1", "its experiment has the digest"},
        {"\"exact\":\tfalse", "\"exact\":\ttrue", "its experiment has the digest"},
        {"\"exact\":\tfalse", "\"exact\":\t0", "does not say whether it was exact"},
        {"\"parameters\":\t[\"n\"", "\"parameters\":\t[\"m\"", "do not match the manifest"},
        {"\"decimals\":\t4", "\"decimals\":\t\"full\"", NULL}, // ignored
        {"\"rows\":", "\"lines\":", "has no count rows"},
        {"\"rows\":\t36", "\"rows\":\t-36", "has no count rows"},
        {"\"rows\":\t36", "\"rows\":\t1e999", "has no count rows"},
        {"\"kernel\":\t\"contention\"", "\"kernel\":\t7", "has no text kernel"},
        {"\"experiment\":\t{", "\"experiment\":\t[{}], \"x\": {", "no object experiment"},
        {"\"codec\":", "\"shard\": {\"index\": 1, \"of\": 2}, \"codec\":", "shard is 1, but 0"},
        {"\"codec\":", "\"shard\": {\"index\": 0, \"of\": 2}, \"codec\":", "is 2, but 1"},
        {"\"codec\":", "\"shard\": {}, \"codec\":", "does not contain its shard number"},
        {"{", "", "is not a JSON object"},
    };
    const struct result_plan plan = {"r.csv.gz", SMALL, NULL, 5, 0, 0, NULL, NULL};
    struct pps_verified verified;
    size_t n;
    write_result(&plan);
    char *text = slurp("r.csv.gz.json", &n);
    text[n] = '\0';
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        change_manifest(text, lies[i].from, lies[i].to);
        if (lies[i].words != NULL)
            fails("r.csv.gz", 0, PPS_E_WRONG, lies[i].words);
        else
            passes("r.csv.gz", 0, &verified);
    }
    free(text);
}

// The options of the command line must be recoverable from the manifest alone.
Test(verify_lies, every_kind_of_request_is_made_again)
{
    static const char *const texts[] = {
        "{\"n\": [4, 8], \"sync_freq\": \"divisors(n)\", \"priority_step\": 0.5}",
        "{\"n\": 4, \"fwd_len\": [1, 2], \"bwd_len\": [2, 3], \"zip\": [\"fwd_len\", "
        "\"bwd_len\"], \"priority_step\": 0.5}",
        "{\"pipeline\": [\"1f1b\", \"gpipe\"], \"congestion\": [true, false], "
        "\"priority_step\": 1, \"seed\": 9007199254740991}",
        "{\"fwd_len\": {\"start\": 0.1, \"stop\": 0.7, \"step\": 0.2}, \"priority_step\": 1}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct result_plan plan = {"r.csv", texts[i], "none", 6, 0, 0, NULL, NULL};
        struct pps_verified verified;
        write_result(&plan);
        passes("r.csv", 1, &verified);
        cr_assert(verified.in_order && verified.computed == verified.counts.rows, "%s",
                  texts[i]);
    }
}
