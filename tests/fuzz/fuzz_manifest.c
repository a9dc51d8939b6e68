// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a manifest, both unchanged and with a valid digest. If the manifest
// is complete, its experiment is rebuilt.
#include "engine/manifest/experiment_again.h"
#include "engine/manifest/manifest_read.h"
#include "kernels/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_refused(const struct pps_error *err)
{
    require(err->code == PPS_E_WRONG || err->code == PPS_E_INPUT);
    require(err->text[0] != '\0');
}

static void make_again(const struct pps_manifest_facts *said)
{
    const struct pps_index_head head = {
        .n_points = said->points >= 1 && said->points < 1e18 ? (uint64_t)said->points : 1,
        .block_points = 1};
    struct pps_experiment *experiment = NULL;
    struct pps_error err = {.code = PPS_OK};
    char why[128];
    if (!pps_experiment_again_possible(said, pps_kernels, said->version, why, sizeof why))
        return;
    if (pps_experiment_again(said, pps_kernels, &head, &(struct pps_input_words){NULL, 0},
                             &experiment, &err) != PPS_OK)
        check_refused(&err);
    pps_experiment_free(experiment);
}

static void look(const struct pps_manifest_facts *said)
{
    const char *reason;
    double n;
    char *header = pps_manifest_facts_header(said);
    require(header != NULL && header[strlen(header) - 1] == '\n');
    free(header);
    for (int i = 0; pps_manifest_facts_left_out(said, i, &reason, &n); i++)
        require(reason != NULL);
    make_again(said);
}

static void read_text(const char *text, size_t n)
{
    struct pps_manifest_facts said;
    struct pps_error err = {.code = PPS_OK};
    if (pps_manifest_facts_parse(&said, "fuzz", text, n, &err) == PPS_OK)
        look(&said);
    else
        check_refused(&err);
    pps_manifest_facts_free(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text = malloc(n + 64);
    require(text != NULL);
    if (n > 0)
        memcpy(text, data, n);
    const int end = snprintf(text + n, 64, ",\n\t\"manifest_digest\":\t\"%016" PRIx64 "\"\n}\n",
                             (uint64_t)XXH64(text, n, 0));
    read_text((const char *)text, n + (size_t)end);
    char *exact = malloc(n > 0 ? n : 1); // AddressSanitizer finds reads beyond its end
    require(exact != NULL);
    if (n > 0)
        memcpy(exact, data, n);
    read_text(exact, n);
    free(exact);
    free(text);
    return 0;
}
