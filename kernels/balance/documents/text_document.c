// SPDX-License-Identifier: Apache-2.0
// Reads documents that may be YAML.
#include "kernels/balance/documents/text_document.h"

#include <stddef.h>

bool text_document_open(struct text_document *open,
                        const struct pps_document *document,
                        struct pps_fault *fault)
{
    *open = (struct text_document){.root = document->root};
    if (document->root != NULL)
        return true;
    if (!plaindoc_parse(&open->yaml, PLAINDOC_YAML, document->text, document->n, fault)) {
        open->yaml = (struct plaindoc){.text = NULL};
        return false;
    }
    open->root = open->yaml.root;
    return true;
}

void text_document_free(struct text_document *open)
{
    plaindoc_free(&open->yaml);
    *open = (struct text_document){.root = NULL};
}

void text_document_place(const struct text_document *open, struct pps_fault *fault)
{
    const struct plaindoc *yaml = &open->yaml;
    if (yaml->root == NULL || fault->item == NULL)
        return;
    const struct pps_json json = {.text = yaml->text,
                                  .n = yaml->n,
                                  .root = yaml->root,
                                  .places = yaml->places,
                                  .n_places = yaml->n_places};
    struct pps_error at;
    (void)(fault->at_key ? pps_json_fail_key(&json, fault->item, &at, "-")
                         : pps_json_fail(&json, fault->item, &at, "-"));
    fault->line = at.line;
    fault->column = at.column;
    fault->item = NULL;
}
