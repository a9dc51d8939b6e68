// SPDX-License-Identifier: Apache-2.0
// The registry: an array of all kernels, generated from registry.def.
#include "kernels/registry.h"

#include <string.h>

#define KERNEL(name) extern const struct pps_kernel pps_kernel_##name;
#include "kernels/registry.def"
#undef KERNEL

const struct pps_kernel *const pps_kernels[] = {
#define KERNEL(name) &pps_kernel_##name,
#include "kernels/registry.def"
#undef KERNEL
    NULL,
};

const struct pps_kernel *pps_kernel_find(const char *name)
{
    for (int k = 0; pps_kernels[k] != NULL; k++)
        if (strcmp(pps_kernels[k]->name, name) == 0)
            return pps_kernels[k];
    return NULL;
}
