// SPDX-License-Identifier: Apache-2.0
// Compares computed numbers with expected numbers.
#pragma once

// Fails the test if `got` differs from `expected` by more than the relative tolerance; the format and
// its arguments name the number.
__attribute__((format(printf, 4, 5))) void near(double got, double expected, double relative,
                                                const char *format, ...);
