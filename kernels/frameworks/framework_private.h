// SPDX-License-Identifier: Apache-2.0
// The readers and writers of the frameworks in this folder.
#pragma once

#include "kernels/frameworks/form/form.h"
#include "kernels/frameworks/framework.h"

extern const struct framework_form mindformers_form;
extern const struct framework_form torchtitan_form, torchtitan_script_form,
    torchtitan_python_form;

bool torchtitan_write(struct framework_writer *w, const struct plaindoc *document);
bool torchtitan_write_script(struct framework_writer *w, const struct plaindoc *document);
