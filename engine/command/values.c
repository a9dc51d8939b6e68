// SPDX-License-Identifier: Apache-2.0
// Returns the arguments and option values of a command line.
#include "engine/command/arguments_private.h"

#include "base/text/decimal.h"
#include "base/text/duration.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *pps_arg_nth(const struct pps_args *args, const char *name, int nth)
{
    const int option = pps_args_option(args, name);
    for (int i = 0; i < args->n_given; i++)
        if (args->given[i].option == option && nth-- == 0)
            return args->given[i].value;
    return NULL;
}

const char *pps_arg(const struct pps_args *args, const char *name)
{
    const int option = pps_args_option(args, name);
    for (int i = args->n_given - 1; i >= 0; i--)
        if (args->given[i].option == option)
            return args->given[i].value;
    return NULL;
}

const char *pps_arg_param(const struct pps_args *args, int p, const char **name)
{
    for (int i = args->n_given - 1; i >= 0; i--)
        if (args->own.param[args->given[i].option] == p + 1) {
            *name = args->table[args->given[i].option].name;
            return args->given[i].value;
        }
    return NULL;
}

const struct pps_gate *pps_arg_gate(const struct pps_args *args)
{
    return &args->gate;
}

const struct pps_kernel *const *pps_arg_kernels(const struct pps_args *args)
{
    return args->kernels;
}

int pps_arg_words(const struct pps_args *args)
{
    return args->n_words;
}

const char *pps_arg_word(const struct pps_args *args, int i)
{
    return i < args->n_words ? args->words[i] : NULL;
}

const char *pps_arg_command(const struct pps_args *args)
{
    return args->command->name;
}

const char *pps_arg_line(const struct pps_args *args)
{
    return args->line;
}

void pps_arg_line_resume(const struct pps_args *args, char *command, size_t size)
{
    const char *line = args->line;
    const char *more = pps_arg(args, "resume") != NULL ? "" : " --resume";
    size_t n = strlen(line);
    if (n >= 3 && strcmp(line + n - 3, " --") == 0) // no option may follow "--"
        n -= 3;
    if (n + strlen(more) < size)
        snprintf(command, size, "%.*s%s", (int)n, line, more);
    else
        snprintf(command, size, "the same command with --resume");
}

static double count_unit(const char *suffix)
{
    static const char *const units[] = {"", "k", "M", "G"};
    double unit = 1;
    for (int i = 0; i < 4; i++, unit *= 1000)
        if (strcmp(suffix, units[i]) == 0)
            return unit;
    return (double)NAN;
}

enum pps_status pps_arg_count(const struct pps_args *args, const char *name, uint64_t min,
                              uint64_t max, uint64_t *value, struct pps_error *err)
{
    const char *text = pps_arg(args, name);
    if (text == NULL)
        return PPS_OK;
    char *end, highest[32];
    // strtod alone would accept hexadecimal.
    const bool decimal = isdigit((unsigned char)text[0]) && strpbrk(text, "xX") == NULL;
    const double number = decimal ? strtod(text, &end) : (double)NAN;
    const double count = isnan(number) ? (double)NAN : number * count_unit(end);
    const bool power = max > UINT32_MAX && (max & (max - 1)) == 0;
    snprintf(highest, sizeof highest, power ? "2^%llu" : "%llu",
             power ? (unsigned long long)__builtin_ctzll(max) : (unsigned long long)max);
    if (!(count >= (double)min && count <= (double)max) || floor(count) != count)
        return pps_fail(err, PPS_E_INPUT,
                        "--%s %s: expected a whole number from %llu to %s (k, M, G allowed)",
                        name, text, (unsigned long long)min, highest);
    *value = (uint64_t)count;
    return PPS_OK;
}

enum pps_status pps_arg_number(const struct pps_args *args, const char *name, double min,
                               double max, double *value, struct pps_error *err)
{
    const char *text = pps_arg(args, name);
    if (text == NULL)
        return PPS_OK;
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= min && number <= max))
        return pps_fail(err, PPS_E_INPUT, "--%s %s: expected a number from %g to %g", name,
                        text, min, max);
    *value = number;
    return PPS_OK;
}

// Returns the bytes of a unit; NAN: there is no such unit.
static double bytes_of_unit(const char *unit)
{
    static const char *const names[2][5] = {{"B", "kB", "MB", "GB", "TB"},
                                            {"B", "KiB", "MiB", "GiB", "TiB"}};
    static const double steps[] = {1000, 1024};
    for (int kind = 0; kind < 2; kind++) {
        double bytes = 1;
        for (int power = 0; power < 5; power++, bytes *= steps[kind])
            if (strcasecmp(unit, names[kind][power]) == 0)
                return bytes;
    }
    return (double)NAN;
}

enum pps_status pps_arg_memory(const struct pps_args *args,
                               const struct pps_memory_option *option, double *value,
                               struct pps_error *err)
{
    const char *name = option->name, *unit = option->unit, *text = pps_arg(args, name);
    if (text == NULL)
        return PPS_OK;
    char *end;
    const double number = strtod(text, &end);
    const bool bare = *end == '\0';
    end += strspn(end, " ");
    const double amount = bare ? number : number * bytes_of_unit(end) / bytes_of_unit(unit);
    if (end == text || !(amount >= 0 && amount <= option->max))
        return pps_fail(
            err, PPS_E_INPUT,
            "--%s %s: expected an amount of memory, such as 80GiB or 70000MiB (a bare number is in %s)",
            name, text, unit);
    if (bare && amount > option->most)
        return pps_fail(err, PPS_E_INPUT,
                        "--%s %s: %s %s is no memory of a device; write its unit, as in %sMiB",
                        name, text, text, unit, text);
    *value = amount;
    return PPS_OK;
}

enum pps_status pps_arg_digits(const struct pps_args *args, int *digits, struct pps_error *err)
{
    const char *text = pps_arg(args, "digits");
    if (text == NULL)
        return PPS_OK;
    char *end;
    const long number = strtol(text, &end, 10);
    if (strcmp(text, "full") == 0) {
        *digits = PPS_FULL_DIGITS;
        return PPS_OK;
    }
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || number > PPS_MAX_DIGITS)
        return pps_fail(err, PPS_E_INPUT,
                        "--digits %s: expected a number of decimals from 0 to %d, or full",
                        text, PPS_MAX_DIGITS);
    *digits = (int)number;
    return PPS_OK;
}

enum pps_status pps_arg_duration(const struct pps_args *args, const char *name, double *seconds,
                                 struct pps_error *err)
{
    const char *text = pps_arg(args, name);
    if (text == NULL || pps_duration_read(text, seconds))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: expected a time above 0, at most a year, such as 90s, 5m, 1h30m "
                    "or 3600 (seconds)",
                    name, text);
}
