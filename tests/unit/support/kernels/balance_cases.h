// SPDX-License-Identifier: Apache-2.0
// Makes programs of the proxy for tests: from golden files and at random, with vectors from the definitions.
#pragma once

#include "kernels/balance/proxy/proxy.h"

#include "tests/unit/support/random.h"

enum { CASE_STAGES = 64, CASE_VECTORS = 1024 };

struct proxy_case {
    struct balance_layers layers;
    struct proxy_program program; // points into this structure
    const int32_t *vector_of[CASE_STAGES];
    int32_t n_vectors[CASE_STAGES];
    int32_t *all;   // of all stages
    double optimum; // of a golden file
};

// Points the program to the arrays of the case and makes its vectors. The caller frees `all`.
void case_open(struct proxy_case *it, bool exact);

// Reads tests/golden/balance/<name>; the published memory.
void case_golden(struct proxy_case *it, const char *name);

// Small programs. The caller may change fields before case_open.
void case_random(struct proxy_case *it, struct random *random);

// Solves a program with its own memory; the caller frees answer->strategy.count.
enum proxy_outcome case_solve(const struct proxy_program *program, struct poll *poll,
                              struct proxy_answer *answer);

// Calls `visit` for all strategies that fit. A program has at most 64 chunks.
void case_visit_all(const struct proxy_program *program,
                    void (*visit)(void *self, const struct balance_strategy *strategy),
                    void *self);

// Finds the optimum of the proxy by trying all strategies; INFINITY: none fits.
double case_try_all(const struct proxy_program *program);

// Fails the test if the strategy of an answer breaks a rule, or has another value than the answer says.
void case_check(const struct proxy_program *program, const struct proxy_answer *answer);
