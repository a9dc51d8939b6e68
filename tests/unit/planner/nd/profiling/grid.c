// SPDX-License-Identifier: Apache-2.0
// Grids of measured kernels: what is read, and that a fit recovers the device that made the times.
#include "planner/nd/profiling/grid.h"
#include "base/text/text_buffer.h"

#include <criterion/criterion.h>
#include <string.h>

static struct nd_grid grid;
static struct pps_error err;

static enum pps_status read_text(const char *text)
{
    return nd_grid_read(&grid, "g", text, &err);
}

// The rows of the shapes have the times of the device.
static void take_times(const struct hardware *device)
{
    for (size_t i = 0; i < grid.n; i++)
        grid.rows[i].seconds = nd_grid_predict(&grid.rows[i], device);
}

static void add_shapes(struct text_buffer *text)
{
    static const int sizes[] = {512, 1024, 2560, 4096, 7168, 8192};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            text_buffer_add(text,
                            "{\"section\": \"gemm\", \"what\": \"%s\", \"m\": %d, \"n\": %d, "
                            "\"k\": %d, \"seconds\": 1}\n",
                            j % 2 > 0 ? "weight" : "forward", sizes[i], sizes[j],
                            sizes[(i + j) % 6]);
    for (int i = 0; i < 12; i++)
        text_buffer_add(text,
                        "{\"section\": \"copy\", \"what\": \"device\", \"bytes\": %lld, "
                        "\"seconds\": 1}\n",
                        4096LL << (2 * i));
    for (int i = 0; i < 32; i++)
        text_buffer_add(text,
                        "{\"section\": \"attention\", \"what\": \"%s\", \"causal\": true, "
                        "\"length\": %d, \"size\": %d, \"value_size\": 64, \"flops\": %g, "
                        "\"seconds\": 1}\n",
                        i % 2 > 0 ? "forward" : "backward", 256 << (i / 4),
                        i % 4 / 2 > 0 ? 192 : 64, 1e9 * (i + 1));
}

Test(nd_grid, a_fit_recovers_the_device)
{
    struct text_buffer text = {0};
    add_shapes(&text);
    cr_assert_eq(read_text(text.text), PPS_OK, "%s", err.text);
    cr_assert_eq(grid.n, (size_t)80);
    struct hardware truth = *hardware_find("H100"), found = truth;
    truth.gemm_eff = 0.75, truth.memory_eff = 0.85, truth.attention_eff = 0.6;
    truth.shapes = (struct hardware_shapes){.tile_m = 128,
                                            .tile_n = 192,
                                            .processors = 132,
                                            .wave = 0.7,
                                            .half_k = 120,
                                            .half_length = 700,
                                            .half_size = 50,
                                            .backward = 0.8,
                                            .kernel = 5e-6};
    grid.processors = 132;
    take_times(&truth);
    nd_grid_fit(&grid, false, &found);
    for (int kind = 0; kind < ND_GRID_KINDS; kind++) {
        const struct nd_grid_error error =
            nd_grid_error_of(&grid, (enum nd_grid_kind)kind, &found);
        cr_assert(error.mean < 0.02, "%s %g", nd_grid_kind_name((enum nd_grid_kind)kind),
                  error.mean);
    }
    cr_assert_float_eq(found.gemm_eff, truth.gemm_eff, 0.01);
    cr_assert_float_eq(found.memory_eff, truth.memory_eff, 0.01);
    cr_assert_float_eq(found.shapes.backward, truth.shapes.backward, 0.01);
    nd_grid_free(&grid);
    text_buffer_free(&text);
}

Test(nd_grid, what_is_passed_over_and_what_is_refused)
{
    cr_assert_eq(read_text("{\"section\": \"info\", \"device\": \"X 9\", \"processors\": 7}\n\n"
                           "{\"section\": \"launch\", \"what\": \"4 small operators\", "
                           "\"issue_seconds\": 4e-5, \"seconds\": 5e-5}\n"
                           "{\"section\": \"gemm\", \"error\": \"out of memory\"}\n"
                           "{\"section\": \"gemm\", \"summary\": true, \"done\": 3}\n"
                           "{\"section\": \"contend\", \"mover\": \"x\"}\r\n"),
                 PPS_OK, "%s", err.text);
    cr_assert_eq(grid.n, (size_t)0);
    cr_assert_str_eq(grid.device, "X 9");
    cr_assert_float_eq(grid.launch, 1e-5, 1e-12);
    nd_grid_free(&grid);
    cr_assert_eq(read_text("\n\n{\"section\": \"gemm\", \"m\": 4, \"n\": 4, \"seconds\": 1}\n"),
                 PPS_E_INPUT);
    cr_assert(err.line == 3 && strstr(err.text, "k: expected") != NULL, "%s", err.text);
    nd_grid_free(&grid);
}
