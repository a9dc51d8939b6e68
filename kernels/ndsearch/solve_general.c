// SPDX-License-Identifier: Apache-2.0
#include "solve.h"

enum nd_outcome nd_solve_general(const struct nd_program *program,
                                 const struct nd_effort *effort,
                                 double started,
                                 struct nd_draft *draft,
                                 struct nd_infeasible *why)
{
    (void)program;
    (void)effort;
    (void)started;
    (void)draft;
    (void)why;
    return ND_NO_MEMORY;
}
