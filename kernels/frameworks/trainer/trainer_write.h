// SPDX-License-Identifier: Apache-2.0
// Writes strategies into trainers' configurations. Private to kernels/frameworks/trainer.
#pragma once

#include "kernels/frameworks/shell/shell_settings.h"
#include "kernels/frameworks/trainer/trainer_private.h"

struct shell_edit;
struct yaml_edit;

struct trainer_writer {
    const struct framework_settings *settings;
    struct trainer *old; // as the file is
    const struct trainer_dialect *dialect;
    // What the dialect can say; each returns false with a fault.
    bool (*can_add)(const struct trainer_writer *w, const char *path); // no fault
    bool (*set)(struct trainer_writer *w, const char *path, const cJSON *value);
    bool (*set_sp)(struct trainer_writer *w, bool on);
    bool (*set_batch)(struct trainer_writer *w, int64_t all); // sequences of a step
    bool (*set_recompute)(struct trainer_writer *w, const char *word);
    // The text that changes: one of these.
    struct yaml_edit *yaml;
    struct shell_edit *shell;
    const struct shell_script *script;
    const struct shell_command *command;
    struct text_edit *edit;
};

void trainer_writer_of_yaml(struct trainer_writer *w, struct yaml_edit *yaml);
void trainer_writer_of_arguments(struct trainer_writer *w, struct shell_edit *shell);
// Sets a value and frees it. Returns false with a fault.
bool trainer_set_item(struct trainer_writer *w, const char *path, cJSON *value);

// Sets recompute_granularity, and for whole layers method and number, below a path "model.". Returns false with a fault.
bool trainer_set_layers(struct trainer_writer *w, const char *path, const char *word);

typedef bool trainer_open_launch(struct trainer_script *o, struct framework_reader *r,
                                 const struct plaindoc *document);

// Reads a launch line that `take` opens. Returns false with a fault.
bool trainer_read_launch(struct framework_reader *r, const struct plaindoc *document,
                         trainer_open_launch *take);

// Changes the overrides of a launch line that `take` opens. `writer` has the dialect and what it can say; `old` and the
// settings are set here. Returns false with a fault.
bool trainer_write_launch(struct framework_writer *w, const struct plaindoc *document,
                          enum framework framework, trainer_open_launch *take,
                          struct trainer_writer writer);

// Writes all settings. Returns false with a fault if the configuration cannot say one of them.
bool trainer_write_all(struct trainer_writer *w);
