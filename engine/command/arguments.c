// SPDX-License-Identifier: Apache-2.0
// Parses command lines: passes option tables to getopt_long, and suggests names on errors.
#include "engine/command/arguments_private.h"

#include "base/text/characters.h"
#include "base/text/nearest.h"
#include "base/text/say.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int option_count(const struct pps_args *args)
{
    int n = 0;
    while (args->table[n].name != NULL)
        n++;
    return n;
}

int pps_args_option(const struct pps_args *args, const char *name)
{
    return pps_option_table_find(&args->own, name);
}

// Returns the option that a name of n characters is an alias of; NULL if it is not an alias.
static const char *true_name(const struct pps_command *command, const char *name, size_t n)
{
    const struct pps_opt_alias *alias = command->aliases;
    for (; alias != NULL && alias->name != NULL; alias++)
        if (strlen(alias->name) == n && memcmp(alias->name, name, n) == 0)
            return alias->option;
    return NULL;
}

// ---- the command line as typed ----------------------------------------------------------------

// The name of the command may have two words, of which argv[0] is only the second.
static char *quoted_line(const char *program, const char *command, int argc, char **argv)
{
    char *line = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&line, &n);
    if (out == NULL)
        return NULL;
    pps_say_word(out, program != NULL ? program : argc > 0 ? argv[0] : "ppsweep", SIZE_MAX);
    if (program != NULL)
        fprintf(out, " %s", command);
    for (int i = 1; i < argc; i++) {
        fputc(' ', out);
        pps_say_word(out, argv[i], SIZE_MAX);
    }
    return fclose(out) == 0 ? line : NULL;
}

// ---- parsing ----------------------------------------------------------------------------------

static int has_argument(const struct pps_opt *option)
{
    if (option->arg == NULL)
        return no_argument;
    return option->arg[0] == '[' ? optional_argument : required_argument;
}

static enum pps_status unknown_option(const struct pps_args *args, const char *word,
                                      struct pps_error *err)
{
    const char *names[PPS_ARGS_MAX_OPTIONS];
    size_t n = 0;
    for (int i = 0; args->table[i].name != NULL; i++)
        names[n++] = args->table[i].name;
    names[n++] = "help";
    char bare[128];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word, "="), word);
    const char *near = strncmp(bare, "--", 2) == 0 ? pps_suggest(bare + 2, names, n) : NULL;
    const char *first = NULL, *second = NULL;
    for (size_t i = 0; i < n && strlen(bare) > 2; i++)
        if (strncmp(names[i], bare + 2, strlen(bare + 2)) == 0) {
            second = first != NULL && second == NULL ? names[i] : second;
            first = first != NULL ? first : names[i];
        }
    if (second != NULL)
        return pps_fail(err, PPS_E_INPUT, "%s is ambiguous: --%s or --%s; write more letters",
                        bare, first, second);
    if (near != NULL)
        return pps_fail(err, PPS_E_INPUT, "%s has no option %s; did you mean --%s?",
                        args->command->name, bare, near);
    return pps_fail(err, PPS_E_INPUT, "%s has no option %s; ppsweep %s --help lists them",
                    args->command->name, bare, args->command->name);
}

static enum pps_status bad_option(const struct pps_args *args, int code, int wrong,
                                  struct pps_error *err)
{
    const char *word = args->argv[optind - 1];
    char letter[3] = {'-', (char)optopt, '\0'};
    if (code == ':')
        return pps_fail(err, PPS_E_INPUT, "%s requires an argument", wrong ? letter : word);
    if (optopt != 0 && strncmp(word, "--", 2) == 0)
        return pps_fail(err, PPS_E_INPUT, "%.*s takes no argument", (int)strcspn(word, "="),
                        word);
    return unknown_option(args, optopt != 0 ? letter : word, err);
}

// Appends a letter in the form of getopt. A letter that is in the list already keeps its meaning.
static void add_letter(char *letters, char letter, const struct pps_opt *option)
{
    if (letter != 0 && strchr(letters, letter) == NULL)
        snprintf(strchr(letters, '\0'), 3, "%c%s", letter, option->arg != NULL ? ":" : "");
}

static int option_of_letter(const struct pps_args *args, int letter)
{
    int old = -1;
    for (int i = 0; args->table[i].name != NULL; i++) {
        if (args->table[i].letter == letter)
            return i;
        old = args->own.old_letter[i] == letter ? i : old;
    }
    return old;
}

static enum pps_status parse_options(struct pps_args *args, int argc, bool *done,
                                     struct pps_error *err)
{
    const int n = option_count(args);
    struct option longs[PPS_ARGS_MAX_OPTIONS + 2];
    char letters[4 * PPS_ARGS_MAX_OPTIONS + 3] = ":h";
    for (int i = 0; i < n; i++) {
        const struct pps_opt *option = &args->table[i];
        longs[i] = (struct option){option->name, has_argument(option), NULL, 256 + i};
        add_letter(letters, option->letter, option);
    }
    for (int i = 0; i < n; i++)
        add_letter(letters, args->own.old_letter[i], &args->table[i]);
    longs[n] = (struct option){"help", no_argument, NULL, 'h'};
    longs[n + 1] = (struct option){NULL, 0, NULL, 0};

    optind = 0;
    opterr = 0;
    for (int code; (code = getopt_long(argc, args->argv, letters, longs, NULL)) != -1;) {
        if (code == 'h') {
            pps_args_help(args);
            *done = true;
            return PPS_OK;
        }
        if (code == ':' || code == '?')
            return bad_option(args, code, optopt < 256 && optopt > 0, err);
        const int index = code < 256 ? option_of_letter(args, code) : code - 256;
        if (optarg != NULL && optarg[0] == '\0' &&
            has_argument(&args->table[index]) == required_argument)
            return pps_fail(err, PPS_E_INPUT, "--%s requires an argument; it is empty",
                            args->table[index].name);
        args->given[args->n_given++] =
            (struct pps_args_given){index, optarg == NULL ? "" : optarg};
    }
    args->words = args->argv + optind;
    args->n_words = argc - optind;
    return PPS_OK;
}

// Returns a copy of the argument. If the command accepts -name for --name, returns the long
// form. The caller frees the copy.
static char *long_form(const struct pps_args *args, const char *word)
{
    char *copy = NULL;
    if (!args->command->one_dash || word[0] != '-' || word[1] == '-' || word[1] == '\0' ||
        word[2] == '\0')
        return strdup(word);
    if (asprintf(&copy, "-%s", word) < 0)
        return NULL;
    pps_hyphenate(copy, '=');
    const size_t n = strcspn(copy, "=");
    if (true_name(args->command, copy + 2, n - 2) != NULL)
        return copy;
    for (int i = 0; args->table[i].name != NULL; i++)
        if (strlen(args->table[i].name) == n - 2 &&
            memcmp(args->table[i].name, copy + 2, n - 2) == 0)
            return copy;
    free(copy);
    return strdup(word);
}

// Replaces an alias in "--alias" or "--alias=value" by the name of its option. Returns false if
// memory runs out.
static bool replace_alias(const struct pps_command *command, char **word)
{
    const size_t n = strcspn(*word + 2, "=");
    const char *name = true_name(command, *word + 2, n);
    char *replaced = NULL;
    if (name == NULL)
        return true;
    if (asprintf(&replaced, "--%s%s", name, *word + 2 + n) < 0)
        return false;
    free(*word);
    *word = replaced;
    return true;
}

static enum pps_status check_words(const struct pps_args *args, struct pps_error *err)
{
    const struct pps_command *command = args->command;
    for (int i = 0; i < args->n_words; i++)
        if (args->words[i][0] == '\0')
            return pps_fail(err, PPS_E_INPUT,
                            "argument %d after %s is empty; write: ppsweep %s %s", i + 1,
                            command->name, command->name, command->usage);
    if (args->n_words < command->min_words)
        return pps_fail(err, PPS_E_INPUT, "write: ppsweep %s %s", command->name,
                        command->usage);
    if (command->max_words >= 0 && args->n_words > command->max_words) {
        // The value of an optional argument was written as a separate argument.
        for (int i = 0; i < args->n_given; i++)
            if (has_argument(&args->table[args->given[i].option]) == optional_argument &&
                args->given[i].value[0] == '\0')
                return pps_fail(
                    err, PPS_E_INPUT, "%s: unexpected argument; for --%s write --%s=%s",
                    args->words[command->max_words], args->table[args->given[i].option].name,
                    args->table[args->given[i].option].name, args->words[command->max_words]);
        return pps_fail(err, PPS_E_INPUT, "%s: unexpected argument; write: ppsweep %s %s",
                        args->words[command->max_words], command->name, command->usage);
    }
    return PPS_OK;
}

enum pps_status pps_args_parse(struct pps_args **out, const struct pps_command *command,
                               const struct pps_kernel *const *kernels, const char *program,
                               int argc, char **argv, bool *done, struct pps_error *err)
{
    struct pps_args *args = calloc(1, sizeof *args);
    *out = args;
    *done = false;
    if (args == NULL)
        return pps_fail_memory(err, "the command line");
    pps_option_table_build(&args->own, command, kernels);
    args->table = args->own.options;
    args->command = command;
    args->kernels = kernels;
    args->line = quoted_line(program, command->name, argc, argv);
    args->room_given = 2 * ((size_t)argc + 1);
    args->given = calloc(args->room_given, sizeof *args->given);
    args->argv = calloc((size_t)argc + 1, sizeof *args->argv);
    if (args->line == NULL || args->given == NULL || args->argv == NULL)
        return pps_fail_memory(err, "the command line");
    bool options = true;
    for (int i = 0; i < argc; i++) {
        args->argv[i] = options ? long_form(args, argv[i]) : strdup(argv[i]);
        if (args->argv[i] == NULL)
            return pps_fail_memory(err, "the command line");
        options = options && strcmp(argv[i], "--") != 0;
        if (!options || strncmp(args->argv[i], "--", 2) != 0)
            continue;
        pps_hyphenate(args->argv[i], '='); // --priority_step is --priority-step
        if (!replace_alias(command, &args->argv[i]))
            return pps_fail_memory(err, "the command line");
    }
    enum pps_status status = parse_options(args, argc, done, err);
    if (status == PPS_OK && !*done)
        status = check_words(args, err);
    if (status == PPS_OK && !*done)
        status = pps_args_read_config(args, err);
    if (status == PPS_OK && !*done)
        status = pps_args_make_gate(args, err);
    return status;
}

void pps_args_free(struct pps_args *args)
{
    if (args == NULL)
        return;
    for (int i = 0; args->argv != NULL && args->argv[i] != NULL; i++)
        free(args->argv[i]);
    for (size_t i = 0; i < args->n_texts; i++)
        free(args->texts[i]);
    free(args->texts);
    pps_json_free(&args->config);
    free(args->argv);
    free(args->given);
    free(args->line);
    free(args->inputs);
    free(args);
}
