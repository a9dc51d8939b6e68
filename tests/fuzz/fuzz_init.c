// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as an init file, a training configuration and layers of a model. Counts of an init file that is accepted are those of
// its layers, and its decomposition is finite; layers that are accepted are the same after they are written and read again.
// What is refused has a reason.
#include "base/document/json.h"
#include "base/document/plain.h"
#include "kernels/balance/documents/layers_read.h"
#include "kernels/balance/documents/layers_write.h"
#include "kernels/balance/documents/training_read.h"
#include "planner/balance/init/memory_fit.h"
#include "tests/fuzz/support/require.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_measure(const struct balance_init *init, const struct init_measure *m)
{
    int64_t sum = 0;
    for (int k = 0; k < BALANCE_KINDS; k++) {
        require(m->count[k] >= 0);
        sum += m->count[k];
    }
    require(sum == m->layers && m->layers >= 1 && m->stage >= 0 && m->stage < init->stages);
}

static void read_init(const uint8_t *data, size_t n)
{
    struct plaindoc doc;
    struct pps_fault fault;
    struct balance_init init;
    struct memory_fit fit;
    if (!plaindoc_parse(&doc, PLAINDOC_YAML, (const char *)data, n, &fault))
        return;
    if (!balance_init_read(doc.root, &init, &fault)) {
        require(fault.text[0] != '\0');
    } else {
        for (int32_t i = 0; i < init.n; i++)
            check_measure(&init, &init.middle[i]);
        if (memory_fit_find(&init, &fit, &fault))
            require(isfinite(fit.parameter_mb) && isfinite(fit.head_mb) && isfinite(fit.rms));
        else
            require(fault.text[0] != '\0');
    }
    struct balance_training training;
    bool is_usual;
    if (balance_training_read(doc.root, &training, &is_usual, &fault))
        require(training.batch > 0 && training.intermediate > 0);
    else
        require(fault.text[0] != '\0');
    for (const struct cJSON *item = balance_init_unknown(doc.root, NULL); item != NULL;)
        item = balance_init_unknown(doc.root, item);
    balance_init_free(&init);
    plaindoc_free(&doc);
}

static bool read_layers(const char *text, size_t n, struct balance_layers *layers,
                        struct pps_fault *fault)
{
    struct pps_json json;
    struct pps_error err;
    if (pps_json_parse(&json, "layers", text, n, &err) != PPS_OK)
        return false;
    const bool done =
        balance_layers_read(json.root, layers, fault) && balance_layers_misfit(layers) == NULL;
    pps_json_free(&json);
    return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct balance_layers layers, again;
    struct pps_fault fault;
    struct text_buffer text = {.text = NULL};
    read_init(data, n);
    if (!read_layers((const char *)data, n, &layers, &fault))
        return 0;
    balance_layers_write(&layers, &text);
    require(!text.failed && read_layers(text.text, text.n, &again, &fault));
    require(layers.layers == again.layers && layers.constant_mb == again.constant_mb);
    for (int k = 0; k < BALANCE_KINDS; k++)
        require(layers.has[k] == again.has[k] &&
                (!layers.has[k] || (layers.activation_mb[k] == again.activation_mb[k] &&
                                    layers.backward[k] == again.backward[k])));
    text_buffer_free(&text);
    return 0;
}
