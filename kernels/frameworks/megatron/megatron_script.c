// SPDX-License-Identifier: Apache-2.0
// Collects the arguments of a launch script or an argument list of Megatron-LM.
#include "base/text/number.h"
#include "kernels/frameworks/megatron/megatron_private.h"
#include "kernels/frameworks/shell/shell.h"

#include <stdio.h>
#include <string.h>

static const char remedy[] = "write the arguments to a file, one --name value per line";

// ---- commands --------------------------------------------------------------------------------

static bool fail_reason(struct megatron *m, const struct shell_script *script,
                        enum megatron_key key, int32_t number)
{
    const struct shell_reason *reason = &script->reasons[number];
    return framework_fail(m->r, (size_t)reason->at, "--%s: the value %s; %s",
                          megatron_arguments[key].name, reason->text,
                          reason->absent ? "set the value in the file" : remedy);
}

// Whether a key matters for time or memory alone: if its value is not known, the file is of use.
static bool is_of_speed(enum megatron_key key)
{
    return key >= MG_FP8 && key < MG_PROFILE;
}

// Returns the value of an argument; NULL: none, several, or unknown.
static const char *value_of(const struct shell_argument *argument)
{
    const struct shell_text *word = argument->values;
    return argument->n_values == 1 && shell_unresolved(word) < 0 && shell_uncertain(word) < 0
               ? word->bytes
               : NULL;
}

static bool not_modelled(struct megatron *m, const struct shell_script *script,
                         const struct shell_argument *argument)
{
    char name[160];
    const char *value = value_of(argument);
    snprintf(name, sizeof name, "--%s%s%s", argument->name, value != NULL ? " " : "",
             value != NULL ? value : "");
    return framework_not_modelled(m->r, name, shell_word_at(argument->word, script));
}

// An argument that is not evaluated.
static bool take_other(struct megatron *m, const struct shell_script *script,
                       const struct shell_argument *argument)
{
    const enum megatron_meaning meaning =
        megatron_meaning_of(argument->name, value_of(argument));
    if (meaning == MEGATRON_CHANGES_TIME)
        return not_modelled(m, script, argument);
    if (meaning == MEGATRON_CHANGES_SHAPE)
        return framework_fail(m->r, shell_word_at(argument->word, script),
                              "--%s: the layers that it describes are not known here",
                              argument->name);
    framework_ignore(m->r, argument->name);
    return true;
}

// All values but the first come from the same argument.
static bool take_modules(struct megatron *m, const struct shell_script *script,
                         enum megatron_key key, const struct shell_argument *argument)
{
    for (size_t i = 0; i < argument->n_values; i++) {
        const struct shell_text *word = &argument->values[i];
        const int32_t unresolved = shell_unresolved(word);
        if (unresolved >= 0)
            return fail_reason(m, script, key, unresolved);
        if (!megatron_take_module(m, key, word->bytes, word->n, shell_word_at(word, script)))
            return false;
    }
    const struct shell_text *first = argument->values;
    return megatron_take(m, key, megatron_name_of(argument->name), first->bytes, first->n,
                         shell_word_at(first, script));
}

static bool take_word(struct megatron *m, const struct shell_script *script,
                      enum megatron_key key, const struct shell_argument *argument)
{
    if (argument->n_values == 0)
        return megatron_arguments[key].kind == MG_HINT ||
               framework_fail(m->r, shell_word_at(argument->word, script),
                              "--%s: the value is missing", argument->name);
    const struct shell_text *word = argument->values;
    const int32_t unresolved = shell_unresolved(word), uncertain = shell_uncertain(word);
    if (megatron_arguments[key].kind == MG_HINT && (unresolved >= 0 || uncertain >= 0)) {
        m->values[key] =
            (struct megatron_value){.given = true, .name = megatron_name_of(argument->name)};
        return true;
    }
    if (key == MG_NODES && unresolved >= 0) {
        m->nodes_unknown = true;
        return true;
    }
    if (unresolved >= 0 || uncertain >= 0)
        return is_of_speed(key)
                   ? not_modelled(m, script, argument)
                   : fail_reason(m, script, key, unresolved >= 0 ? unresolved : uncertain);
    if (megatron_lists_modules(key))
        return take_modules(m, script, key, argument);
    const char *text = word->bytes;
    size_t n = word->n;
    // Quotes inside a variable, which reach the program if the command is not evaluated again.
    if (n >= 2 && (text[0] == '\'' || text[0] == '"') && text[n - 1] == text[0]) {
        word->bytes[n - 1] = '\0';
        text++;
        n -= 2;
    }
    return megatron_take(m, key, megatron_name_of(argument->name), text, n,
                         shell_word_at(word, script));
}

static bool take_argument(struct megatron *m, const struct shell_script *script,
                          const struct shell_argument *argument)
{
    const enum megatron_key key = megatron_key_of(argument->name);
    const int32_t branch = shell_uncertain(argument->word);
    if (key == N_MEGATRON_KEYS)
        return take_other(m, script, argument);
    if (branch >= 0 && is_of_speed(key))
        return not_modelled(m, script, argument);
    if (branch >= 0 && key < MG_PROFILE)
        return framework_fail(m->r, (size_t)script->reasons[branch].at,
                              "--%s: the argument %s; %s", argument->name,
                              script->reasons[branch].text, remedy);
    if (megatron_arguments[key].kind != MG_FLAG)
        return take_word(m, script, key, argument);
    m->values[key] =
        (struct megatron_value){.given = true, .at = shell_word_at(argument->word, script)};
    return true;
}

static bool ends_with(const struct shell_text *word, const char *end)
{
    const size_t n = strlen(end);
    return word->n >= n && memcmp(word->bytes + word->n - n, end, n) == 0;
}

// Returns the place of the program in its command: what is before belongs to launchers.
static size_t program_of(const struct shell_command *command)
{
    for (size_t i = 0; i < command->n; i++)
        if (ends_with(&command->words[i], ".py"))
            return i;
    return 0;
}

// Programs of Megatron-LM that train other models than decoders of text, with the same arguments.
static bool check_program(struct megatron *m, const struct shell_script *script,
                          const struct shell_text *program)
{
    static const char *const others[] = {"pretrain_bert.py",
                                         "pretrain_t5.py",
                                         "pretrain_ict.py",
                                         "pretrain_retro.py",
                                         "pretrain_vision_classify.py",
                                         "pretrain_vision_dino.py",
                                         "pretrain_vision_inpaint.py",
                                         "pretrain_vlm.py"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ends_with(program, others[i]))
            return framework_fail(m->r, shell_word_at(program, script),
                                  "%s: only decoders of text are known here", others[i]);
    return true;
}

static bool take_command(struct megatron *m, const struct shell_script *script)
{
    const struct shell_command *command = shell_command_with(script, megatron_kind_of);
    struct shell_argument argument;
    if (command == NULL)
        return framework_fail(m->r, 0, "no command with arguments of Megatron-LM is found; %s",
                              remedy);
    m->at = (size_t)command->from;
    const size_t program = program_of(command);
    if (!check_program(m, script, &command->words[program]))
        return false;
    for (size_t i = 0; shell_next_argument(command, megatron_kind_of, &i, &argument);) {
        if (argument.i < program && megatron_key_of(argument.name) == N_MEGATRON_KEYS)
            framework_ignore(m->r, argument.name);
        else if (!take_argument(m, script, &argument))
            return false;
    }
    return true;
}

// Variables by which scripts name the devices, if the command does not have them.
static bool take_variable(struct megatron *m, const struct shell_script *script,
                          enum megatron_key key, const char *const *names)
{
    for (; *names != NULL && !megatron_has(m, key); names++) {
        const struct shell_value *value = shell_variable(script, *names + 1);
        double number;
        if (value == NULL || value->n != 1 || shell_unresolved(value->items) >= 0 ||
            !number_text_read(value->items[0].bytes, value->items[0].n, &number))
            continue;
        if (!megatron_take(m, key, *names, value->items[0].bytes, value->items[0].n,
                           shell_word_at(value->items, script)))
            return false;
    }
    return true;
}

static bool take_devices(struct megatron *m, const struct shell_script *script)
{
    static const char *const nodes[] = {"$NNODES",   "$NUM_NODES",    "$NODES", "$N_NODES",
                                        "$NODE_NUM", "$SLURM_NNODES", NULL};
    static const char *const devices[] = {
        "$GPUS_PER_NODE",      "$NPUS_PER_NODE",         "$NPROC_PER_NODE",
        "$GPU_PER_NODE",       "$DEVICES_PER_NODE",      "$NUM_GPUS_PER_NODE",
        "$SLURM_GPUS_ON_NODE", "$SLURM_NTASKS_PER_NODE", NULL};
    static const char *const all[] = {"$WORLD_SIZE", "$SLURM_NTASKS", NULL};
    if (megatron_has(m, MG_WORKERS))
        return true;
    const bool launched = megatron_has(m, MG_PER_NODE);
    return (launched || take_variable(m, script, MG_NODES, nodes)) &&
           take_variable(m, script, MG_PER_NODE, devices) &&
           (launched || megatron_has(m, MG_PER_NODE) ||
            take_variable(m, script, MG_WORKERS, all));
}

bool megatron_collect(struct megatron *m, const struct shell_script *script)
{
    return take_command(m, script) && take_devices(m, script);
}

static bool read_script(struct framework_reader *r, const struct plaindoc *document)
{
    struct megatron m = {.r = r};
    struct shell_script script;
    if (!shell_read(&script, document->text, document->n, r->fault))
        return false;
    const bool ok = megatron_collect(&m, &script) && megatron_read_values(&m);
    shell_free(&script);
    return ok;
}

// ---- recognition -----------------------------------------------------------------------------

const char *const megatron_shapes[] = {"num-layers", "hidden-size", "num-attention-heads",
                                       NULL};
const char *const megatron_degrees[] = {
    "tensor-model-parallel-size", "pipeline-model-parallel-size", "micro-batch-size", NULL};

bool megatron_is_one_of(const char *name, size_t n, const char *const *names)
{
    for (; *names != NULL; names++) {
        size_t i = 0;
        while (i < n && (*names)[i] != '\0' && (*names)[i] == (name[i] == '_' ? '-' : name[i]))
            i++;
        if (i == n && (*names)[i] == '\0')
            return true;
    }
    return false;
}

static bool names_arguments(const char *text, size_t n)
{
    for (size_t i = 0; i + 2 < n; i++) {
        size_t end = i + 2;
        if (text[i] != '-' || text[i + 1] != '-')
            continue;
        while (end < n &&
               (text[end] == '-' || text[end] == '_' || (text[end] >= 'a' && text[end] <= 'z')))
            end++;
        const char *name = text + i + 2;
        const bool known = megatron_is_one_of(name, end - i - 2, megatron_shapes) ||
                           megatron_is_one_of(name, end - i - 2, megatron_degrees);
        if (known && end < n && text[end] != ':')
            return true;
        i = end - 1;
    }
    return false;
}

static bool is_script(const struct plaindoc *document)
{
    return document->root == NULL && names_arguments(document->text, document->n);
}

const struct framework_form megatron_script_form = {
    .framework = FRAMEWORK_MEGATRON,
    .form = PLAINDOC_FLAT,
    .is = is_script,
    .read = read_script,
    .write = megatron_write_script,
};
