// SPDX-License-Identifier: Apache-2.0
// Reads and writes configuration files of training frameworks: MindFormers (YAML), Megatron-LM and
// MindSpeed (launch scripts, argument lists, YAML) and torchtitan (TOML).
//
// A file is read into a run document of our own keys, whose items have places in the user's text.
// A file is written by editing the user's own text: only values that change are replaced.
#pragma once

#include "kernels/frameworks/form/configuration.h"

// Returns "MindFormers", "Megatron", "torchtitan", or "none".
const char *framework_name(enum framework framework);

// Returns the frameworks whose files are read, for messages.
const char *framework_known(void);

// Reads a text of n bytes. *read is false if the text is not a configuration of a framework; then
// the fault is not set. Returns false for a configuration with an error: `fault` has its line and
// column (line 0: out of memory), and file->framework its framework. `form`: of the text, PLAINDOC_NONE if unknown. The caller frees
// the file with framework_file_free(), only if *read.
bool framework_read(struct framework_file *file, bool *read, enum plaindoc_form form,
                    const char *text, size_t n, struct pps_fault *fault);

// The same with the files that the configuration names.
bool framework_read_beside(struct framework_file *file, bool *read, enum plaindoc_form form,
                           const char *text, size_t n, const struct framework_beside *beside,
                           struct pps_fault *fault);

// Appends the user's text of n bytes with the settings. The text must be one that framework_read
// accepts. Returns false with a fault if the file cannot express the settings; lack of memory sets
// out->failed.
bool framework_write(struct text_buffer *out, enum framework framework, enum plaindoc_form form,
                     const char *text, size_t n, const struct framework_settings *settings,
                     const struct framework_beside *beside, struct pps_fault *fault);
