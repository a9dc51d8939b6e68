// SPDX-License-Identifier: Apache-2.0
// Checks that a shared library is whole before it is loaded: the dynamic linker maps what the file
// promises, and the first access behind its end would kill the process.
#ifndef PPS_ENGINE_KERNELS_LIBRARY_FILE_H
#define PPS_ENGINE_KERNELS_LIBRARY_FILE_H

#include <stdbool.h>

// Returns false if the file is an ELF file and lacks bytes of its segments. Other files are left to
// the dynamic linker, which refuses them.
bool pps_library_file_is_whole(const char *path);

#endif
