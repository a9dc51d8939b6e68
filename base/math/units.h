// SPDX-License-Identifier: Apache-2.0
// Units convert at the interfaces. Inside the models sizes are in bytes, times in seconds and rates
// per second, all doubles.
#pragma once

#define UNITS_KIB 1024.0
#define UNITS_MIB (1024.0 * UNITS_KIB)
#define UNITS_GIB (1024.0 * UNITS_MIB)

static inline double units_to_mib(double bytes)
{
    return bytes / UNITS_MIB;
}

static inline double units_to_gib(double bytes)
{
    return bytes / UNITS_GIB;
}

static inline double units_to_ms(double seconds)
{
    return seconds * 1e3;
}
