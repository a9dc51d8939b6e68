// SPDX-License-Identifier: Apache-2.0
// Fuzz target: text of the pipeline program: memory figures and solutions. An accepted solution
// must be valid for the program.
#include "planner/exchange/solution_file.h"
#include "planner/figures/memory_figures.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct nd_program small_program(void)
{
    struct nd_program program;
    nd_program_default(&program);
    program.stages = 2;
    program.micro_batches = 3;
    program.layers[0] = 1;
    program.layers[1] = 4;
    program.allow_select = true;
    program.budget_first = program.budget_middle = program.budget_last = 1e6;
    return program;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct nd_program program = small_program();
    const char *text = (const char *)data;
    struct nd_figures figures;
    struct nd_sol sol;
    struct nd_value value;
    struct pps_fault fault;
    char why[200];
    if (nd_figures_read(&figures, text, n, &fault) && !(figures.act_mem >= 0.0))
        abort();
    if (nd_sol_read(&sol, &program, text, n, &fault) &&
        (!nd_choice_check(&program, &sol.choice, why, sizeof why) ||
         nd_evaluate(&program, &sol.choice, &value) != ND_DONE))
        abort();
    nd_sol_free(&sol);
    return 0;
}
