// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a torchtitan configuration. The first bytes are a strategy. A
// configuration that is accepted has a place for every value; written with the strategy, it is
// accepted again with the strategy, unless the writer refuses with a reason of one line.
#include "base/text/text_buffer.h"
#include "kernels/frameworks/framework.h"
#include "tests/fuzz/support/require.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_STRATEGY = 8, MOST_PARTS = 64 };

static void check_places(const struct plaindoc *doc)
{
    for (size_t k = 0; k < doc->n_places; k++)
        require(doc->places[k].item != NULL && doc->places[k].value_at <= doc->n);
}

static double baseline_of(const struct framework_file *file, const char *key)
{
    const cJSON *baseline = cJSON_GetObjectItemCaseSensitive(file->document.root, "baseline");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(baseline, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static int32_t power(uint8_t byte, int most)
{
    return 1 << byte % (most + 1);
}

// Writes a strategy, and reads the written text.
static void check_write(const char *text, size_t n, const uint8_t bytes[N_STRATEGY])
{
    int32_t full[MOST_PARTS];
    struct framework_settings s = {.strategy = {.tp = power(bytes[0], 3),
                                                .cp = power(bytes[1], 1),
                                                .pp = power(bytes[2], 3),
                                                .ep = bytes[3] % 5,
                                                .mbs = power(bytes[4], 2),
                                                .vp = 1 + bytes[5] % 3}};
    struct nd_strategy *x = &s.strategy;
    struct text_buffer out = {.text = NULL};
    struct framework_file file;
    struct pps_fault fault;
    bool read;
    x->vp = x->pp > 1 ? x->vp : 1;
    x->op = power(bytes[6], 3) * x->cp;
    x->dp = x->op / x->cp * power(bytes[6] / 16, 2);
    x->sp = x->tp > 1;
    s.gbs = (bytes[7] & 3) * x->dp * x->mbs;
    for (int k = 0; k < x->pp * x->vp; k++)
        full[k] = bytes[7] / 4 % 4;
    s.full = bytes[7] & 64 ? full : NULL;
    s.profile = bytes[7] & 128;
    if (!framework_write(&out, FRAMEWORK_TORCHTITAN, PLAINDOC_TOML, text, n, &s, NULL,
                         &fault)) {
        require_fault(&fault);
        text_buffer_free(&out);
        return;
    }
    require(!out.failed);
    if (!framework_read(&file, &read, PLAINDOC_TOML, out.text, out.n, &fault))
        abort();
    require(read && baseline_of(&file, "dp") == x->dp && baseline_of(&file, "op") == x->op);
    require(baseline_of(&file, "tp") == x->tp && baseline_of(&file, "pp") == x->pp);
    require(baseline_of(&file, "vp") == x->vp && baseline_of(&file, "cp") == x->cp);
    require(s.gbs == 0 || baseline_of(&file, "mbs") == x->mbs);
    framework_file_free(&file);
    text_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct framework_file file;
    struct pps_fault fault;
    bool read;
    if (size < N_STRATEGY)
        return 0;
    const size_t n = size - N_STRATEGY;
    // An exact copy: AddressSanitizer finds reads beyond its end.
    char *text = malloc(n > 0 ? n : 1);
    require(text != NULL);
    memcpy(text, data + N_STRATEGY, n);
    if (!framework_read(&file, &read, PLAINDOC_TOML, text, n, &fault)) {
        require_fault(&fault);
    } else if (read) {
        check_places(&file.document);
        check_write(text, n, data);
        framework_file_free(&file);
    }
    free(text);
    return 0;
}
