// SPDX-License-Identifier: Apache-2.0
// Finds what may stand at the end of a command line: commands, options and their values.
#include "engine/cli/describe/completion.h"

#include "engine/cli/describe/completion_values.h"
#include "engine/cli/program.h"
#include "engine/command/option_table.h"

#include <stdlib.h>
#include <string.h>

struct parse {
    const struct completion_line *line;
    const struct pps_command *command;
    struct pps_option_table *table;
    int first; // the first word behind the name of the command
    FILE *out;
};

static const char *typed(const struct parse *p)
{
    return p->line->words[p->line->n - 1];
}

// ---- commands ---------------------------------------------------------------------------------

// Offers the word of a command's name, once, at place 0, or at place 1 behind `word`.
static void offer_commands(const struct completion_line *line, const char *word, FILE *out)
{
    const struct pps_command *list[PPS_MAX_COMMANDS];
    const int n = pps_program_commands(list);
    for (int i = 0; i < n; i++) {
        const char *space = strchr(list[i]->name, ' ');
        const size_t length = space != NULL ? (size_t)(space - list[i]->name) : 0;
        if (word == NULL && space == NULL)
            pps_completion_offer(line, "", list[i]->name, list[i]->summary, out);
        else if (word != NULL && space != NULL && strlen(word) == length &&
                 memcmp(word, list[i]->name, length) == 0)
            pps_completion_offer(line, "", space + 1, list[i]->summary, out);
    }
}

// ---- options ----------------------------------------------------------------------------------

// Returns the option that a word names, as in --top, --top=3 or -k, or NULL.
static const struct pps_opt *option_of(const struct parse *p, const char *word)
{
    const size_t n = strcspn(word, "=");
    for (const struct pps_opt *o = p->table->options; o->name != NULL; o++)
        if (strncmp(word, "--", 2) == 0
                ? strlen(o->name) == n - 2 && memcmp(o->name, word + 2, n - 2) == 0
                : word[0] == '-' && o->letter != 0 && word[1] == o->letter && word[2] == '\0')
            return o;
    return NULL;
}

// Returns whether the word behind the option is its value.
static bool takes_next(const struct pps_opt *option, const char *word)
{
    return option != NULL && option->arg != NULL && option->arg[0] != '[' &&
           strchr(word, '=') == NULL;
}

static void offer_options(const struct parse *p)
{
    char name[64];
    for (const struct pps_opt *o = p->table->options; o->name != NULL; o++) {
        snprintf(name, sizeof name, "--%s", o->name);
        if (o->help != NULL)
            pps_completion_offer(p->line, "", name, o->help, p->out);
        snprintf(name, sizeof name, "-%c", o->letter);
        if (o->help != NULL && o->letter != 0 && typed(p)[1] != '-')
            pps_completion_offer(p->line, "", name, o->help, p->out);
    }
    pps_completion_offer(p->line, "", "--help", "print this help", p->out);
}

// ---- words ------------------------------------------------------------------------------------

// Returns the number of words that are neither options nor their values, before the last.
static int count_words(const struct parse *p)
{
    int n = 0;
    for (int i = p->first; i < p->line->n - 1; i++) {
        const char *word = p->line->words[i];
        if (word[0] != '-' || word[1] == '\0')
            n++;
        else if (takes_next(option_of(p, word), word))
            i++;
    }
    return n;
}

// Offers what `usage` names at a place: "[options] MODEL [CLUSTER]". The last name with "..." is
// repeated. Behind "|" stands another name for the same place.
static void offer_place(const struct parse *p, int place)
{
    char usage[160], *rest = NULL, last[32] = "";
    int at = -1;
    bool alternative = false, option = false, found = false;
    snprintf(usage, sizeof usage, "%s", p->command->usage);
    for (char *word = strtok_r(usage, " []", &rest); word != NULL;
         word = strtok_r(NULL, " []", &rest)) {
        const bool value = option;
        option = word[0] == '-';
        if (strcmp(word, "|") == 0)
            alternative = true;
        if (option || value || strcmp(word, "|") == 0 || strcmp(word, "options") == 0 ||
            strcmp(word, "...") == 0)
            continue;
        at += alternative ? 0 : 1;
        alternative = false;
        word[strcspn(word, ".")] = '\0';
        snprintf(last, sizeof last, "%s", word);
        if (at == place)
            pps_completion_values(p->line, word, "", p->out);
        found = found || at == place;
    }
    if (!found && p->command->max_words < 0)
        pps_completion_values(p->line, last, "", p->out);
}

// ---- the whole --------------------------------------------------------------------------------

static void offer_value(const struct parse *p, const struct pps_opt *option, size_t prefix)
{
    char start[128];
    snprintf(start, sizeof start, "%.*s", (int)prefix, typed(p));
    pps_completion_option(p->line, option, start, p->out);
}

static void print_of_command(struct parse *p)
{
    const char *last = typed(p);
    const char *before = p->line->n - 2 >= p->first ? p->line->words[p->line->n - 2] : "";
    const char *equals = strncmp(last, "--", 2) == 0 ? strchr(last, '=') : NULL;
    const struct pps_opt *option = option_of(p, before);
    if (takes_next(option, before))
        offer_value(p, option, 0);
    else if (equals != NULL && (option = option_of(p, last)) != NULL)
        offer_value(p, option, (size_t)(equals + 1 - last));
    else if (last[0] == '-')
        offer_options(p);
    else
        offer_place(p, count_words(p));
}

void pps_completion_print(const struct completion_line *line, FILE *out)
{
    const char *word = line->words[0];
    if (line->n == 1 && word[0] != '-') {
        offer_commands(line, NULL, out);
        pps_completion_offer(line, "", "help", "print the options of a command", out);
        return;
    }
    const bool help = strcmp(word, "help") == 0;
    if (help && line->n == 2) {
        offer_commands(line, NULL, out);
        return;
    }
    if (line->n == 1)
        pps_completion_offer(line, "", "--version", "print the versions", out);
    const char *second = line->n > 2 ? line->words[1] : NULL;
    const struct pps_command *command = pps_program_command(word, second);
    struct parse p = {.line = line, .command = command, .first = 2, .out = out};
    if (command == NULL || second == NULL) {
        p.command =
            word[0] == '-' ? pps_program_command("run", NULL) : pps_program_command(word, NULL);
        p.first = word[0] == '-' ? 0 : 1;
    }
    if (line->n == 2 && word[0] != '-')
        offer_commands(line, word, out);
    p.table = p.command != NULL ? calloc(1, sizeof *p.table) : NULL;
    if (p.table == NULL)
        return;
    pps_option_table_build(p.table, p.command, line->kernels);
    print_of_command(&p);
    free(p.table);
}
