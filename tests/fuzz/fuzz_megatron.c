// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a Megatron-LM configuration, a script or YAML by the first byte. An
// accepted configuration is changed to another strategy, and a changed script is accepted, too.
#include "kernels/frameworks/framework.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_fault(const struct pps_fault *fault)
{
    require(fault->line > 0 && fault->column > 0 && fault->text[0] != '\0');
    for (const char *c = fault->text; *c != '\0'; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f);
}

static void check_places(const struct plaindoc *document)
{
    for (size_t i = 0; i < document->n_places; i++)
        require(document->places[i].value_at <= document->n);
}

static void change(enum plaindoc_form form, const char *text, size_t n)
{
    static const int32_t full[] = {2, 1, 0, 0};
    const struct framework_settings settings = {
        .strategy = {.dp = 2, .tp = 2, .cp = 1, .pp = 2, .ep = 1, .op = -1, .vp = 2, .mbs = 1},
        .gbs = 8,
        .seq_length = 64,
        .full = full,
        .profile = true,
        .profile_from = 5,
        .profile_to = 7};
    struct text_buffer out = {.text = NULL};
    struct pps_fault fault;
    if (!framework_write(&out, FRAMEWORK_MEGATRON, form, text, n, &settings, NULL, &fault))
        check_fault(&fault);
    text_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct framework_file file;
    struct pps_fault fault = {.line = 0};
    bool is_framework;
    if (size == 0)
        return 0;
    const enum plaindoc_form form = data[0] % 2 == 0 ? PLAINDOC_FLAT : PLAINDOC_YAML;
    // An exact copy: AddressSanitizer finds reads beyond its end.
    char *text = malloc(size);
    require(text != NULL);
    memcpy(text, data + 1, size - 1);
    if (!framework_read(&file, &is_framework, form, text, size - 1, &fault)) {
        check_fault(&fault);
    } else if (is_framework) {
        check_places(&file.document);
        if (file.framework == FRAMEWORK_MEGATRON && size < 4096)
            change(form, text, size - 1);
        framework_file_free(&file);
    }
    free(text);
    return 0;
}
