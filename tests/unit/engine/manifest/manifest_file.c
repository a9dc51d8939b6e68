// SPDX-License-Identifier: Apache-2.0
// Manifest files as read in every mode, and the numbers of their members.
#include "engine/manifest/manifest_file.h"
#include "engine/manifest/manifest.h"
#include "tests/unit/support/files.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// Catches the manifest of another file, a missing manifest reported as an error, and a broken
// manifest reported as missing.
Test(manifest_file, beside_a_result, .init = enter, .fini = leave)
{
    struct pps_error err = {0};
    cJSON *manifest;
    cr_assert_eq(pps_manifest_of_result("a.csv.gz", &manifest, &err), PPS_OK);
    cr_assert(manifest == NULL);
    spill("a.csv.gz.json", "{\"rows\": 42}\n");
    cr_assert_eq(pps_manifest_of_result("a.csv.gz", &manifest, &err), PPS_OK);
    cr_assert_eq(cJSON_GetObjectItemCaseSensitive(manifest, "rows")->valueint, 42);
    cJSON_Delete(manifest);
    cr_assert_eq(pps_manifest_of_result("a.csv.gz.part", &manifest, &err), PPS_OK);
    cr_assert(manifest == NULL);
    cr_assert_eq(pps_manifest_of_result("-", &manifest, &err), PPS_OK);
    static const char *const broken[] = {"", "{\"rows\": 42", "[1]", "{} x"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        spill("a.csv.gz.json", broken[i]);
        cr_assert_eq(pps_manifest_of_result("a.csv.gz", &manifest, &err), PPS_E_INPUT, "%zu",
                     i);
        cr_assert(manifest == NULL);
        cr_assert_str_eq(err.file, "a.csv.gz.json");
    }
}

static enum pps_status read_as(enum pps_manifest_mode mode, cJSON **root)
{
    struct pps_error err;
    return pps_manifest_file_read("m.json", mode, root, &err);
}

// Catches a strict reader that accepts a changed byte, and a lenient one that needs the digest.
Test(manifest_file, only_the_strict_mode_needs_the_digest, .init = enter, .fini = leave)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddRawToObject(root, "fraction", "1.0");
    char *text = pps_manifest_print(root);
    spill("m.json", text);
    cr_assert_eq(read_as(PPS_MANIFEST_STRICT, &root), PPS_OK);
    cr_assert_eq(pps_manifest_number(root, "fraction"), 1);
    cJSON_Delete(root);
    text[strcspn(text, "1")] = '2';
    spill("m.json", text);
    free(text);
    cr_assert_eq(read_as(PPS_MANIFEST_STRICT, &root), PPS_E_WRONG);
    cr_assert(root == NULL);
    cr_assert_eq(read_as(PPS_MANIFEST_LENIENT, &root), PPS_OK);
    cr_assert_eq(pps_manifest_number(root, "fraction"), 2);
    cJSON_Delete(root);
    cr_assert_eq(read_as(PPS_MANIFEST_SPELLED, &root), PPS_OK);
    cr_assert_str_eq(cJSON_GetObjectItemCaseSensitive(root, "fraction")->valuestring, "2.0");
    cr_assert_eq(pps_manifest_number(root, "fraction"), 2);
    cJSON_Delete(root);
}

// Catches counts converted from numbers that no uint64_t holds, which is undefined.
Test(manifest_file, a_count_is_0_if_the_member_has_no_count, .init = enter, .fini = leave)
{
    cJSON *root;
    spill("m.json", "{\"good\": 42, \"below\": -1, \"large\": 1e300, \"endless\": 1e999, "
                    "\"text\": \"7\"}");
    cr_assert_eq(read_as(PPS_MANIFEST_LENIENT, &root), PPS_OK);
    cr_assert_eq(pps_manifest_count(root, "good"), 42);
    static const char *const none[] = {"below", "large", "endless", "text", "absent"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_assert_eq(pps_manifest_count(root, none[i]), 0, "%s", none[i]);
    cr_assert_eq(pps_manifest_count(NULL, "good"), 0);
    cJSON_Delete(root);
}
