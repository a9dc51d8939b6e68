// SPDX-License-Identifier: Apache-2.0
// Declares the commit from which the program was built. Its file is written by the build
// (packaging/commit.cmake), so a new commit compiles one small file.
#pragma once

// The output of git describe, as in "v0.1.0-12-gb3406035" or "b3406035-dirty"; "unknown" if the
// sources were not in a git repository.
extern const char pps_commit[];
