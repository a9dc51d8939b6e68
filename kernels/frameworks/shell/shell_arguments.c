// SPDX-License-Identifier: Apache-2.0
// Walks the arguments of a command.
#include "kernels/frameworks/shell/shell_arguments.h"

#include <string.h>

static bool is_option(const struct shell_text *word)
{
    return word->n > 2 && word->bytes[0] == '-' && word->bytes[1] == '-' &&
           word->marks[0].reason < 0;
}

static void take_name(struct shell_argument *argument)
{
    const char *name = argument->word->bytes + 2;
    size_t n = 0;
    for (; name[n] != '\0' && name[n] != '=' && n + 1 < sizeof argument->name; n++)
        argument->name[n] = name[n] == '_' ? '-' : name[n];
    argument->name[n] = '\0';
}

static void limit_values(struct shell_argument *argument)
{
    if (argument->kind == SHELL_FLAG)
        argument->n_values = 0;
    if (argument->kind == SHELL_ONE && argument->n_values > 1)
        argument->n_values = 1;
}

bool shell_next_argument(const struct shell_command *command, shell_kind_of *kind_of, size_t *i,
                         struct shell_argument *argument)
{
    while (*i < command->n && !is_option(&command->words[*i]))
        ++*i;
    if (*i == command->n)
        return false;
    argument->i = *i;
    argument->word = &command->words[(*i)++];
    take_name(argument);
    argument->kind = kind_of(argument->name);
    const char *sign = strchr(argument->word->bytes, '=');
    argument->values = &command->words[*i];
    argument->n_values = 0;
    if (sign != NULL) {
        const size_t at = (size_t)(sign + 1 - argument->word->bytes);
        argument->inside = *argument->word;
        argument->inside.bytes += at;
        argument->inside.marks += at;
        argument->inside.n -= at;
        argument->values = &argument->inside;
        argument->n_values = 1;
        return true;
    }
    for (; *i < command->n && !is_option(&command->words[*i]); ++*i)
        argument->n_values++;
    limit_values(argument);
    return true;
}

static enum shell_kind any_kind(const char *name)
{
    (void)name;
    return SHELL_OTHER;
}

bool shell_find_argument(const struct shell_command *command, shell_kind_of *kind_of,
                         const char *name, struct shell_argument *argument)
{
    struct shell_argument each;
    bool found = false;
    for (size_t i = 0; shell_next_argument(command, any_kind, &i, &each);)
        if (strcmp(each.name, name) == 0) {
            *argument = each;
            if (each.values == &each.inside)
                argument->values = &argument->inside;
            found = true;
        }
    if (found) {
        argument->kind = kind_of(name);
        limit_values(argument);
    }
    return found;
}

size_t shell_count_argument(const struct shell_command *command, const char *name)
{
    struct shell_argument each;
    size_t count = 0;
    for (size_t i = 0; shell_next_argument(command, any_kind, &i, &each);)
        count += strcmp(each.name, name) == 0;
    return count;
}

const struct shell_command *shell_command_with(const struct shell_script *script,
                                               shell_kind_of *kind_of)
{
    const struct shell_command *best = NULL;
    size_t most = 0;
    for (size_t k = 0; k < script->n_commands; k++) {
        struct shell_argument each;
        size_t n = 0;
        for (size_t i = 0; shell_next_argument(&script->commands[k], kind_of, &i, &each);)
            n += each.kind != SHELL_OTHER;
        if (n > most) {
            best = &script->commands[k];
            most = n;
        }
    }
    return best;
}
