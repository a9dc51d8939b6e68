// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a configuration of any framework, in the form that the first byte selects: launch lines,
// YAML, TOML, Python or JSON. A configuration that is accepted has places inside its text; a changed copy, unless it is
// refused with a reason of one line, is accepted again.
#include "base/text/text_buffer.h"
#include "kernels/frameworks/framework.h"
#include "tests/fuzz/support/require.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_STRATEGY = 3, MOST_WRITTEN = 4096 };

static bool read_beside(void *self, const char *path, struct text_buffer *text)
{
    (void)self;
    text_buffer_add(
        text, "%s",
        strstr(path, ".json") != NULL
            ? "{\"zero_optimization\": {\"stage\": 3}, \"bf16\": {\"enabled\": true}, \"mine\": [1, "
              "2]}"
            : "distributed_type: FSDP\nnum_processes: 8\nfinetuning_type: full\n");
    return true;
}

static const struct framework_beside beside = {.read = read_beside};

static void require_line(const struct pps_fault *fault)
{
    require(fault->text[0] != '\0' && strchr(fault->text, '\n') == NULL);
}

static void check_write(enum framework framework, enum plaindoc_form form, const char *text,
                        size_t n, const uint8_t bytes[N_STRATEGY])
{
    struct framework_settings s = {.strategy = {.tp = 1 << bytes[0] % 4,
                                                .cp = 1,
                                                .pp = 1 << bytes[1] % 3,
                                                .ep = 1,
                                                .vp = 1,
                                                .mbs = 1 + bytes[2] % 2,
                                                .dp = 1 << bytes[2] / 2 % 4}};
    struct text_buffer out = {.text = NULL};
    struct framework_file file;
    struct pps_fault fault = {.line = 0};
    bool read;
    s.strategy.op = s.strategy.dp;
    s.strategy.sp = s.strategy.tp > 1;
    s.gbs = 4 * (int64_t)s.strategy.dp * s.strategy.mbs;
    if (!framework_write(&out, framework, form, text, n, &s, &beside, &fault)) {
        require_line(&fault);
    } else if (framework_read_beside(&file, &read, form, out.text, out.n, &beside, &fault)) {
        require(read);
        framework_file_free(&file);
    } else {
        require_line(&fault);
    }
    text_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum plaindoc_form forms[] = {PLAINDOC_FLAT, PLAINDOC_YAML, PLAINDOC_TOML,
                                               PLAINDOC_PYTHON, PLAINDOC_NONE};
    struct framework_file file;
    struct pps_fault fault = {.line = 0};
    bool read;
    if (size < 1 + N_STRATEGY)
        return 0;
    const enum plaindoc_form form = forms[data[0] % 5];
    const size_t n = size - 1 - N_STRATEGY;
    // An exact copy: AddressSanitizer finds reads beyond its end.
    char *text = malloc(n > 0 ? n : 1);
    require(text != NULL);
    memcpy(text, data + 1 + N_STRATEGY, n);
    if (!framework_read_beside(&file, &read, form, text, n, &beside, &fault)) {
        require_line(&fault);
    } else if (read) {
        for (size_t k = 0; k < file.document.n_places; k++)
            require(file.document.places[k].value_at <= file.document.n);
        if (n < MOST_WRITTEN)
            check_write(file.framework, form, text, n, data + 1);
        framework_file_free(&file);
    }
    free(text);
    return 0;
}
