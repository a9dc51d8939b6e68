// SPDX-License-Identifier: Apache-2.0
// ppsweep dynaplan tables: cost tables of a model by models of the hardware.
#include "base/edit/json_write.h"
#include "base/text/say.h"
#include "kernels/dynapipe/costs/model_tables.h"
#include "kernels/dynapipe/documents/cost_tables_write.h"
#include "planner/dynapipe/commands.h"
#include "planner/dynapipe/request.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <stdlib.h>
#include <string.h>

enum { DEGREES_MOST = 16, PATH = 4096, LONGEST = 32768 };

static const struct pps_opt options[] = {
    {"tp", 0, "LIST", "tensor-parallel degrees (1,2,4,8, as far as they divide the heads)"},
    {"longest", 0, "N", "tokens of the longest sample (32768)"},
    {"output", 'o', "FILE", "the cost tables, as JSON (MODEL-costs.json)"},
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "MODEL and CLUSTER (h100) are names or files as in ppsweep nd. Times of layers, and memory\n"
    "that they keep, come from models of the hardware: ms and MB (10^6 bytes) of one layer for\n"
    "micro-batches of 1 to 256 samples of 64 to --longest tokens. Cells of more than 2^20 tokens are\n"
    "null. The parameters of the output head are not part of the tables.\n"
    "\n"
    "  ppsweep dynaplan tables llama2-7b h100 -o llama2-7b-costs.json\n";

static enum pps_status read_degrees(const struct pps_args *args, int32_t *degrees, int *n,
                                    bool *given, struct pps_error *err)
{
    const char *rest = pps_arg(args, "tp"), *word;
    size_t length;
    *given = rest != NULL;
    rest = rest != NULL ? rest : "1,2,4,8";
    for (*n = 0; (word = plan_next_word(&rest, &length)) != NULL;) {
        const long degree = strtol(word, NULL, 10);
        if (degree < 1 || degree > 65536 || *n == DEGREES_MOST)
            return pps_fail(err, PPS_E_INPUT,
                            "--tp: expected degrees from 1 up, as in 1,2,4,8");
        degrees[(*n)++] = (int32_t)degree;
    }
    return PPS_OK;
}

static enum pps_status write_tables(const struct pps_args *args, const int32_t *degrees, int n,
                                    bool given, int32_t longest, struct text_buffer *text,
                                    struct pps_error *err)
{
    const char *model = pps_arg_word(args, 0),
               *cluster = pps_arg_words(args) > 1 ? pps_arg_word(args, 1) : "h100";
    struct network network;
    int written = 0;
    for (int k = 0; k < n; k++) {
        struct cost_tables tables;
        const enum pps_status status =
            dynaplan_model_tables(model, cluster, degrees[k], longest, &network, &tables, err);
        if (status == PPS_E_INPUT && !given && written > 0)
            continue; // the degree does not divide the heads
        if (status != PPS_OK)
            return status;
        if (written++ == 0) {
            text_buffer_add(text, "{\"name\": ");
            json_write_text(text, model);
            text_buffer_add(
                text,
                ", \"source\": \"ppsweep dynaplan tables %s %s: modelled, not "
                "measured\",\n\"network\": {\"encoder_layers\": %d, \"decoder_layers\": %d, "
                "\"hidden\": %d, \"element_bytes\": %d},\n\"tables\": [",
                model, cluster, (int)network.encoders, (int)network.decoders,
                (int)network.hidden, (int)network.element_bytes);
        }
        text_buffer_add(text, written > 1 ? ",\n" : "\n");
        cost_tables_write(&tables, text);
        cost_tables_free(&tables);
    }
    text_buffer_add(text, "\n]}\n");
    return PPS_OK;
}

static enum pps_status tables_main(const struct pps_args *args, struct pps_error *err)
{
    const char *model = pps_arg_word(args, 0), *slash = strrchr(model, '/'),
               *output = pps_arg(args, "output");
    int32_t degrees[DEGREES_MOST];
    int n;
    bool given;
    uint64_t longest = LONGEST;
    char path[PATH];
    struct text_buffer text = {0};
    enum pps_status status = read_degrees(args, degrees, &n, &given, err);
    snprintf(path, sizeof path, "%s-costs.json", slash != NULL ? slash + 1 : model);
    output = output != NULL ? output : path;
    if (status == PPS_OK)
        status = pps_arg_count(args, "longest", 64, MODEL_TABLES_TOKENS, &longest, err);
    if (status == PPS_OK)
        status = write_tables(args, degrees, n, given, (int32_t)longest, &text, err);
    if (status != PPS_OK) {
        text_buffer_free(&text);
        return status;
    }
    status = plan_write_text(output, &text, pps_arg_gate(args), err);
    if (status == PPS_OK && strcmp(output, "-") != 0)
        pps_say(stdout, "costs     %s: modelled, not measured", output);
    return status;
}

const struct pps_command dynaplan_tables_command = {
    .name = "dynaplan tables",
    .summary = "write cost tables of a model, modelled for a cluster",
    .usage = "[options] MODEL [CLUSTER]",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = 2,
    .main = tables_main,
};
