// SPDX-License-Identifier: Apache-2.0
// Writes manual pages. Texts of the tables are escaped, so that roff prints them as they are.
#include "engine/cli/describe/manual.h"

#include "engine/cli/program.h"
#include "engine/command/option_table.h"
#include "ppsweep/kernel.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- roff -------------------------------------------------------------------------------------

// Writes n bytes of text. Hyphens of options must stay hyphens that can be copied, and a line must not
// begin with a control character of roff.
static void put_n(FILE *out, const char *text, size_t n)
{
    if (n > 0 && (text[0] == '.' || text[0] == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else if (text[i] == '\'')
            fputs("\\(aq", out);
        else if (text[i] == '`')
            fputs("\\(ga", out);
        else if (text[i] == '^')
            fputs("\\(ha", out);
        else if (text[i] == '~')
            fputs("\\(ti", out);
        else
            fputc(text[i], out);
    }
}

static void put(FILE *out, const char *text)
{
    put_n(out, text, strlen(text));
}

static void section(FILE *out, const char *macro, const char *title)
{
    fprintf(out, "%s \"", macro);
    for (const char *c = title; *c != '\0'; c++)
        fputc(strcmp(macro, ".SH") == 0 ? toupper((unsigned char)*c) : *c, out);
    fputs("\"\n", out);
}

// Writes the paragraphs of a text. Indented lines keep their line ends.
static void put_paragraphs(FILE *out, const char *text)
{
    bool kept = false;
    for (const char *line = text, *next; *line != '\0'; line = next) {
        const size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        const bool indented = line[0] == ' ' && n > 0;
        if (indented != kept)
            fputs(indented ? ".PP\n.nf\n" : ".fi\n", out);
        if (n == 0)
            fputs(".PP\n", out);
        kept = indented;
        put_n(out, line, n);
        fputs(n > 0 ? "\n" : "", out);
    }
    fputs(kept ? ".fi\n" : "", out);
}

// ---- options ----------------------------------------------------------------------------------

static void put_option(FILE *out, const struct pps_opt *option)
{
    fputs(".TP\n", out);
    if (option->letter != 0)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    put(out, option->name);
    fputs("\\fR", out);
    const bool optional = option->arg != NULL && option->arg[0] == '[';
    if (option->arg != NULL) {
        fputs(optional ? "[=\\fI" : " \\fI", out);
        put_n(out, option->arg + optional, strlen(option->arg) - (optional ? 2 : 0));
        fputs(optional ? "\\fR]" : "\\fR", out);
    }
    fputc('\n', out);
    char help[512];
    pps_opt_help(option, help, sizeof help);
    put(out, help);
    fputc('\n', out);
}

static void put_usage(FILE *out, const struct pps_command *command)
{
    fputs("\\fBppsweep ", out);
    put(out, command->name);
    fputs("\\fR ", out);
    put(out, command->usage);
    fputc('\n', out);
}

static void put_options(FILE *out, const struct pps_option_table *table)
{
    for (const struct pps_opt *o = table->options; o->name != NULL; o++)
        if (o->help != NULL)
            put_option(out, o);
    put_option(out, &(struct pps_opt){"help", 'h', NULL, "print this help"});
}

// ---- pages ------------------------------------------------------------------------------------

static void put_title(FILE *out, const char *name, const char *summary)
{
    fputs(".\\\" Made by ppsweep manual from the tables of commands and options.\n.TH ", out);
    for (const char *c = name; *c != '\0'; c++)
        fputc(toupper((unsigned char)*c), out);
    fprintf(out, " 1 \"\" \"ppsweep %s\" \"User Commands\"\n", PPS_VERSION);
    section(out, ".SH", "name");
    put(out, name);
    fputs(" \\- ", out);
    put(out, summary);
    fputc('\n', out);
}

static void put_meanings(FILE *out, const struct pps_meaning *list)
{
    for (; list->word != NULL; list++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", list->word);
        put_paragraphs(out, list->meaning);
    }
}

static void put_end(FILE *out)
{
    section(out, ".SH", "exit status");
    put_meanings(out, pps_exit_meanings);
    section(out, ".SH", "environment");
    put_meanings(out, pps_environment);
}

static void put_command(FILE *out, const struct pps_command *command,
                        const struct pps_option_table *table)
{
    put_title(out, "ppsweep", command->summary);
    section(out, ".SH", "synopsis");
    put_usage(out, command);
    section(out, ".SH", "options");
    put_options(out, table);
    if (command->details != NULL) {
        section(out, ".SH", "description");
        put_paragraphs(out, command->details);
    }
    put_end(out);
}

// The program: an overview of all commands, then a section for each.
static void put_program(FILE *out, const struct pps_kernel *const *kernels,
                        struct pps_option_table *table)
{
    const struct pps_command *list[PPS_MAX_COMMANDS];
    const int n = pps_program_commands(list);
    put_title(out, "ppsweep", PPS_PROGRAM_SUMMARY);
    section(out, ".SH", "synopsis");
    fputs("\\fBppsweep\\fR \\fB\\-c\\fR \\fIEXPERIMENT.json\\fR [options]\n.br\n"
          "\\fBppsweep\\fR \\fICOMMAND\\fR [options]\n.br\n"
          "\\fBppsweep\\fR \\fB\\-\\-version\\fR\n",
          out);
    section(out, ".SH", "description");
    fputs("Without a command, ppsweep runs a sweep, like the command run. The commands are:\n",
          out);
    for (int i = 0; i < n; i++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", list[i]->name);
        put(out, list[i]->summary);
        fputc('\n', out);
    }
    fputs(".PP\nThe models (kernels) are:\n", out);
    for (int k = 0; kernels[k] != NULL; k++) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", kernels[k]->name);
        put(out, kernels[k]->summary);
        fputc('\n', out);
    }
    for (int i = 0; i < n; i++) {
        char title[64];
        snprintf(title, sizeof title, "ppsweep %s", list[i]->name);
        pps_option_table_build(table, list[i], kernels);
        section(out, ".SH", title);
        put_usage(out, list[i]);
        fputs(".PP\n", out);
        put(out, list[i]->summary);
        fputs(".\n", out);
        put_options(out, table);
        if (list[i]->details != NULL) {
            fputs(".PP\n", out);
            put_paragraphs(out, list[i]->details);
        }
    }
    put_end(out);
}

enum pps_status manual_write(const struct pps_command *only,
                             const struct pps_kernel *const *kernels, FILE *out,
                             struct pps_error *err)
{
    struct pps_option_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return pps_fail_memory(err, "the manual page");
    if (only != NULL) {
        pps_option_table_build(table, only, kernels);
        put_command(out, only, table);
    } else {
        put_program(out, kernels, table);
    }
    free(table);
    return PPS_OK;
}
