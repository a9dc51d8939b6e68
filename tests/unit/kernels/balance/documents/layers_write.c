// SPDX-License-Identifier: Apache-2.0
// Tests of layers as documents: what is written is read back with the same numbers, whatever the backwards are.
#include "kernels/balance/documents/layers_write.h"
#include "kernels/balance/documents/layers_read.h"

#include "tests/unit/support/random.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <string.h>

// Backwards as measured, as readers derive them from a measured one, or as they derive them from the forward.
static double backward_drawn(struct random *r, const struct balance_layers *layers, int kind)
{
    const double plain = kind > BALANCE_NONE ? layers->backward[BALANCE_NONE] : 0;
    const int64_t way = random_below(r, 3);
    if (way == 0)
        return layers->forward * (1 + 3 * random_unit(r));
    return balance_backward_of(layers->forward, way == 1 ? plain : 0, balance_usual_coefs,
                               (enum balance_kind)kind);
}

static struct balance_layers layers_drawn(struct random *r)
{
    struct balance_layers layers = {.name = "m",
                                    .layers = 1 + (int32_t)random_below(r, 99),
                                    .head = random_unit(r),
                                    .tail = random_unit(r),
                                    .head_backward = random_unit(r),
                                    .tail_backward = random_unit(r),
                                    .forward = 0.1 + random_unit(r),
                                    .parameter_mb = random_unit(r),
                                    .head_mb = -random_unit(r),
                                    .tail_mb = random_unit(r),
                                    .constant_mb = random_unit(r),
                                    .head_activation_mb = random_unit(r),
                                    .head_working_mb = random_unit(r),
                                    .working_mb = random_coin(r) ? random_unit(r) : 0,
                                    .transfer = random_unit(r)};
    for (int kind = 0; kind < BALANCE_KINDS; kind++) {
        layers.has[kind] = kind == BALANCE_NONE || random_coin(r);
        layers.activation_mb[kind] = layers.has[kind] ? 1 + random_unit(r) : 0;
        layers.backward[kind] = backward_drawn(r, &layers, kind);
    }
    return layers;
}

static struct balance_layers written_and_read(const struct balance_layers *layers)
{
    struct text_buffer text = {.text = NULL};
    struct balance_layers back;
    struct pps_fault fault;
    balance_layers_write(layers, &text);
    cJSON *root = cJSON_Parse(text.text);
    cr_assert(balance_layers_read(root, &back, &fault), "%s in %s", fault.text, text.text);
    cJSON_Delete(root);
    text_buffer_free(&text);
    return back;
}

Test(balance_layers, written_and_read)
{
    struct random r = {7};
    for (int i = 0; i < 300; i++) {
        const struct balance_layers layers = layers_drawn(&r), back = written_and_read(&layers);
        cr_assert(layers.forward == back.forward && layers.head == back.head &&
                  layers.head_backward == back.head_backward &&
                  layers.tail_backward == back.tail_backward &&
                  layers.transfer == back.transfer && layers.head_mb == back.head_mb &&
                  layers.head_activation_mb == back.head_activation_mb &&
                  layers.head_working_mb == back.head_working_mb &&
                  layers.working_mb == back.working_mb);
        for (int kind = 0; kind < BALANCE_KINDS; kind++) {
            cr_assert_eq(layers.has[kind], back.has[kind]);
            cr_assert(!layers.has[kind] || layers.backward[kind] == back.backward[kind],
                      "case %d, kind %d: %.17g, not %.17g", i, kind, back.backward[kind],
                      layers.backward[kind]);
            cr_assert_eq(layers.activation_mb[kind], back.activation_mb[kind]);
        }
    }
}
