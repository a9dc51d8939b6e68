// SPDX-License-Identifier: Apache-2.0
// Fits how far true memory peaks lie from predicted ones, by software stack, from published peaks and
// from layouts that ran or ran out of memory.
#pragma once

#include "bench/measured/fit.h"
#include "planner/nd/profiling/fit_probability.h"

#include <stdio.h>

enum { MEMORY_FACTS = 2 * ND_MEASURED, MEMORY_GROUPS = 16 };

struct memory_fact {
    const struct nd_measurement *row;
    double predicted; // bytes
};

struct memory_facts {
    struct memory_fact of[MEMORY_FACTS];
    int n;
    struct nd_memory_group groups[MEMORY_GROUPS];
    int n_groups;
};

// Collects the facts of two documents and fits the groups.
void memory_facts_fit(struct memory_facts *f, const struct measured *steps,
                      const struct measured *layouts);

// Whether the groups differ from those of the program.
bool memory_facts_differ(const struct memory_facts *f);

// Writes the groups as rows of C.
void memory_facts_write_groups(FILE *o, const struct memory_facts *f);

// Writes the groups, and how often layouts ran that had a probability, as tables of the page.
void memory_facts_write(FILE *o, const struct memory_facts *f);
