// SPDX-License-Identifier: Apache-2.0
// Commands of runs: placeholders, variables and ranks.
#include "planner/nd/runs/recipe.h"

#include "base/text/nearest.h"
#include "planner/nd/runs/launch.h"
#include "planner/nd/strategies/expert_fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum placeholder { FILE_, NAME, LOG, DEVICES, RANK, WORLD, PORT, FOLDER, N_PLACEHOLDERS };

static const char *const placeholders[N_PLACEHOLDERS] = {
    [FILE_] = "file", [NAME] = "name",   [LOG] = "log",   [DEVICES] = "devices",
    [RANK] = "rank",  [WORLD] = "world", [PORT] = "port", [FOLDER] = "folder",
};

// ---- templates ----------------------------------------------------------------------------------

static const char *template_of(const struct nd_recipe *recipe,
                               const struct nd_configuration *configuration)
{
    if (recipe->command != NULL)
        return recipe->command;
    return nd_launcher(configuration->framework, recipe->dry_run)->command;
}

// Finds the next {word} of small letters from *at on. ${word} is the shell's. Sets *at to the brace and
// *word to a copy; returns false if there is none.
static bool next_word(const char **at, char word[16])
{
    for (const char *open = *at; (open = strchr(open, '{')) != NULL; open++) {
        const size_t n = strspn(open + 1, "abcdefghijklmnopqrstuvwxyz");
        if (n == 0 || n > 15 || open[n + 1] != '}' || (open > *at && open[-1] == '$'))
            continue;
        memcpy(word, open + 1, n);
        word[n] = '\0';
        *at = open;
        return true;
    }
    return false;
}

static int find_placeholder(const char *word)
{
    for (int k = 0; k < N_PLACEHOLDERS; k++)
        if (strcmp(word, placeholders[k]) == 0)
            return k;
    return -1;
}

static bool contains(const char *template, enum placeholder wanted)
{
    char word[16];
    for (const char *at = template; next_word(&at, word); at++)
        if (find_placeholder(word) == (int)wanted)
            return true;
    return false;
}

// ---- checks -------------------------------------------------------------------------------------

static enum pps_status check_command(const struct nd_recipe *recipe, struct pps_error *err)
{
    char word[16];
    const char *command = recipe->command;
    for (const char *at = command; next_word(&at, word); at++) {
        const char *near = pps_suggest(word, placeholders, N_PLACEHOLDERS);
        if (near != NULL && find_placeholder(word) < 0)
            return pps_fail(err, PPS_E_INPUT,
                            "--command: unknown placeholder {%s}; did you mean {%s}?", word,
                            near);
    }
    if (!contains(command, FILE_) && !contains(command, NAME))
        return pps_fail(err, PPS_E_INPUT,
                        "--command %s: expected {file}, the place of the configuration file, "
                        "as in 'bash {file}'",
                        command);
    if (contains(command, RANK) && !recipe->dry_run)
        return pps_fail(err, PPS_E_INPUT,
                        "--command: {rank} is for nd dryrun; a profile runs all ranks at once");
    return PPS_OK;
}

static bool exists(const char *folder, const char *file)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/%s", folder, file);
    return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

static enum pps_status check_folders(const struct nd_recipe *recipe, struct pps_error *err)
{
    for (int f = 0; f < N_FRAMEWORKS; f++)
        if (recipe->folders[f] != NULL && !exists(recipe->folders[f], "."))
            return pps_fail(err, PPS_E_INPUT, "--%s %s: this folder does not exist",
                            nd_launcher((enum framework)f, false)->option, recipe->folders[f]);
    return PPS_OK;
}

static enum pps_status check_launcher(const struct nd_recipe *recipe,
                                      const struct nd_configuration *c, struct pps_error *err)
{
    const struct nd_launcher *launcher = nd_launcher(c->framework, recipe->dry_run);
    const char *folder = recipe->folders[c->framework];
    if (launcher->needs == NULL)
        return PPS_OK;
    if (folder == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "%s is a configuration of %s: write --%s DIR, the folder that contains "
                        "%s, or --command",
                        c->path, framework_name(c->framework), launcher->option,
                        launcher->needs);
    if (!exists(folder, launcher->needs))
        return pps_fail(err, PPS_E_INPUT, "--%s %s: this folder does not contain %s",
                        launcher->option, folder, launcher->needs);
    return PPS_OK;
}

static enum pps_status check_configuration(const struct nd_recipe *recipe,
                                           const struct nd_configuration *c, bool has_devices,
                                           struct pps_error *err)
{
    const char *command = template_of(recipe, c);
    if (recipe->command == NULL) {
        const enum pps_status status = check_launcher(recipe, c, err);
        if (status != PPS_OK)
            return status;
    }
    if (contains(command, WORLD) && nd_configuration_world(c) == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: the number of devices is unknown; name the file by its degrees, "
                        "as in DP8_TP1_PP2.yaml",
                        c->path);
    if (contains(command, DEVICES) && !has_devices)
        return pps_fail(err, PPS_E_INPUT,
                        "--command: {devices} needs --devices, the devices of this machine");
    if (contains(command, FOLDER) && recipe->folders[c->framework] == NULL)
        return pps_fail(err, PPS_E_INPUT, "--command: {folder} needs --%s",
                        nd_launcher(c->framework, false)->option);
    return PPS_OK;
}

enum pps_status nd_recipe_check(const struct nd_recipe *recipe,
                                const struct nd_configurations *all, bool has_devices,
                                struct pps_error *err)
{
    enum pps_status status = recipe->command != NULL ? check_command(recipe, err) : PPS_OK;
    if (status == PPS_OK)
        status = check_folders(recipe, err);
    for (size_t k = 0; k < all->n && status == PPS_OK; k++)
        status = check_configuration(recipe, &all->list[k], has_devices, err);
    return status;
}

// ---- ranks --------------------------------------------------------------------------------------

static enum pps_status add_rank(struct nd_order *orders, int *n,
                                const struct nd_configuration *c, int64_t rank,
                                struct pps_error *err)
{
    if (*n == ND_RANKS_MAX)
        return pps_fail(err, PPS_E_INPUT, "--ranks: more than %d ranks", ND_RANKS_MAX);
    orders[*n] = (struct nd_order){.configuration = c, .rank = rank, .i_rank = *n};
    ++*n;
    return PPS_OK;
}

// The first rank of every stage: ranks of a stage are neighbours.
static enum pps_status add_stages(struct nd_order *orders, int *n,
                                  const struct nd_configuration *c, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (int64_t stage = 0; stage < c->pp && status == PPS_OK; stage++)
        status = add_rank(orders, n, c, stage * (nd_configuration_world(c) / c->pp), err);
    return status;
}

// The rank whose memory is expected to be the largest, with the layers that `ppsweep nd` writes.
static enum pps_status add_largest(struct nd_order *orders, int *n,
                                   const struct nd_configuration *c, struct pps_error *err)
{
    const int64_t world = nd_configuration_world(c);
    if (c->layers == 0 || world > INT32_MAX)
        return pps_fail(err, PPS_E_INPUT,
                        "--ranks largest: %s does not tell the number of layers; write --ranks "
                        "stages",
                        c->path);
    return add_rank(orders, n, c,
                    nd_dryrun_rank((int32_t)world, (int32_t)c->pp, (int32_t)c->layers, false),
                    err);
}

static enum pps_status add_list(struct nd_order *orders, int *n,
                                const struct nd_configuration *c, const char *list,
                                struct pps_error *err)
{
    for (const char *at = list;;) {
        char *end;
        const size_t digits = strspn(at, "0123456789");
        const long rank = strtol(at, &end, 10);
        if (digits == 0 || digits > 9 || (*end != ',' && *end != '\0'))
            return pps_fail(err, PPS_E_INPUT,
                            "--ranks %s: expected stages, largest, none, or ranks as in 0,8,16",
                            list);
        if (rank >= nd_configuration_world(c))
            return pps_fail(err, PPS_E_INPUT, "--ranks %s: %s has ranks 0 to %lld", list,
                            c->path, (long long)nd_configuration_world(c) - 1);
        const enum pps_status status = add_rank(orders, n, c, rank, err);
        if (status != PPS_OK || *end == '\0')
            return status;
        at = end + 1;
    }
}

// Which ranks to simulate; NULL: none. A command of the user may simulate ranks itself.
static const char *ranks_of(const struct nd_recipe *recipe, const struct nd_configuration *c)
{
    if (!recipe->dry_run || (recipe->ranks != NULL && strcmp(recipe->ranks, "none") == 0))
        return NULL;
    if (recipe->ranks != NULL)
        return recipe->ranks;
    if (recipe->command != NULL && contains(recipe->command, RANK))
        return "stages";
    if (recipe->command != NULL && nd_configuration_world(c) == 0)
        return NULL;
    return nd_launcher(c->framework, true)->ranks;
}

enum pps_status nd_recipe_orders(const struct nd_recipe *recipe,
                                 const struct nd_configuration *c, struct nd_order *orders,
                                 int *n, struct pps_error *err)
{
    const char *ranks = ranks_of(recipe, c);
    *n = 0;
    if (ranks == NULL && recipe->dry_run && contains(template_of(recipe, c), RANK))
        return pps_fail(err, PPS_E_INPUT, "--ranks none: the command contains {rank}");
    if (ranks == NULL)
        return add_rank(orders, n, c, -1, err);
    if (nd_configuration_world(c) == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "%s: the stages are unknown; name the file by its degrees, as in "
                        "DP8_TP1_PP2.yaml",
                        c->path);
    return strcmp(ranks, "stages") == 0    ? add_stages(orders, n, c, err)
           : strcmp(ranks, "largest") == 0 ? add_largest(orders, n, c, err)
                                           : add_list(orders, n, c, ranks, err);
}

// ---- command ------------------------------------------------------------------------------------

// Appends a word as the shell reads it.
static void add_word(struct text_buffer *out, const char *word)
{
    if (word[0] != '\0' &&
        word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789_-+./,:@%=")] == '\0') {
        text_buffer_add(out, "%s", word);
        return;
    }
    text_buffer_add(out, "'");
    for (const char *at = word; *at != '\0'; at++)
        if (*at == '\'')
            text_buffer_add(out, "'\\''");
        else
            text_buffer_add_bytes(out, at, 1);
    text_buffer_add(out, "'");
}

static void add_value(struct text_buffer *out, enum placeholder placeholder,
                      const struct nd_recipe *recipe, const struct nd_order *order,
                      const struct nd_place *place)
{
    const struct nd_configuration *c = order->configuration;
    switch (placeholder) {
    case FILE_:
        add_word(out, c->path);
        break;
    case NAME:
        add_word(out, c->name);
        break;
    case LOG:
        add_word(out, place->log);
        break;
    case DEVICES:
        text_buffer_add(out, "%s", place->devices);
        break;
    case RANK:
        text_buffer_add(out, "%lld", (long long)(order->rank < 0 ? 0 : order->rank));
        break;
    case WORLD:
        text_buffer_add(out, "%lld", (long long)nd_configuration_world(c));
        break;
    case PORT:
        text_buffer_add(out, "%d", place->port);
        break;
    case FOLDER:
        add_word(out, recipe->folders[c->framework]);
        break;
    case N_PLACEHOLDERS:
        break;
    }
}

// Variables are exported in the command itself, so that the command can be repeated by hand.
static void add_variables(struct text_buffer *out, const struct nd_recipe *recipe,
                          const struct nd_order *order, const struct nd_place *place)
{
    if (place->devices[0] != '\0')
        text_buffer_add(out, "export ASCEND_RT_VISIBLE_DEVICES=%s CUDA_VISIBLE_DEVICES=%s\n",
                        place->devices, place->devices);
    if (place->port > 0)
        text_buffer_add(out, "export MASTER_PORT=%d\n", place->port);
    if (recipe->dry_run)
        nd_launcher_simulate(out, order->configuration->framework, order->rank, order->i_rank,
                             nd_configuration_world(order->configuration));
}

void nd_recipe_command(struct text_buffer *out, const struct nd_recipe *recipe,
                       const struct nd_order *order, const struct nd_place *place)
{
    char word[16];
    const struct nd_configuration *c = order->configuration;
    const char *template = template_of(recipe, c), *from = template;
    if (recipe->folders[c->framework] != NULL) {
        text_buffer_add(out, "cd ");
        add_word(out, recipe->folders[c->framework]);
        text_buffer_add(out, " || exit\n");
    }
    add_variables(out, recipe, order, place);
    for (const char *at = template; next_word(&at, word); at++) {
        const int placeholder = find_placeholder(word);
        if (placeholder < 0)
            continue;
        text_buffer_add_bytes(out, from, (size_t)(at - from));
        add_value(out, (enum placeholder)placeholder, recipe, order, place);
        from = at + strlen(word) + 2;
    }
    text_buffer_add(out, "%s", from);
}
