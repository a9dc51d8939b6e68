// SPDX-License-Identifier: Apache-2.0
// Keeps what a kernel finds doubtful in documents: warnings for the user and for the manifest.
#include "engine/experiment/documents_private.h"

#include "base/text/say.h"
#include "base/text/text_buffer.h"

#include <stdlib.h>

enum { DOUBTS_MOST = 64 };

// The place is for the user, the name of the document for the manifest: files may move.
static void keep(struct pps_opening *o, const struct pps_fault *doubt,
                 struct text_buffer *notes)
{
    struct pps_documents *inputs = o->inputs;
    const struct pps_source *source = &inputs->sources[doubt->document];
    struct text_buffer text = {.text = NULL};
    struct pps_error at;
    (void)pps_document_fail(o, doubt, &at);
    pps_one_line(at.file);
    text_buffer_add(notes, "warning   ");
    if (at.line > 0)
        text_buffer_add(notes, "%s:%d:%d: ", at.file, at.line, at.column);
    text_buffer_add(notes, "%s\n", at.text);
    text_buffer_add(&text, "%s %s: %s", inputs->base->slots[source->slot].name, source->name,
                    doubt->text);
    cJSON_AddItemToArray(inputs->doubts, cJSON_CreateString(text.text));
    notes->failed = notes->failed || text.failed;
    text_buffer_free(&text);
}

enum pps_status pps_documents_doubt(struct pps_opening *o, const struct pps_document *documents)
{
    struct pps_documents *inputs = o->inputs;
    struct pps_fault *doubts = calloc(DOUBTS_MOST, sizeof *doubts);
    struct text_buffer notes = {.text = NULL};
    inputs->doubts = cJSON_CreateArray();
    bool good = doubts != NULL && inputs->doubts != NULL;
    const int n = good ? inputs->base->doubts(documents, inputs->n, inputs->kernel.shared,
                                              doubts, DOUBTS_MOST)
                       : 0;
    for (int i = 0; i < n; i++)
        keep(o, &doubts[i], &notes);
    good = good && !notes.failed && cJSON_GetArraySize(inputs->doubts) == n;
    inputs->notes = notes.text;
    free(doubts);
    return good ? PPS_OK : pps_fail_memory(o->err, "the inputs");
}

const cJSON *pps_documents_doubts(const struct pps_documents *inputs)
{
    return inputs != NULL ? inputs->doubts : NULL;
}

void pps_documents_warn(const struct pps_documents *inputs, FILE *out)
{
    if (inputs != NULL && inputs->notes != NULL)
        fputs(inputs->notes, out);
}
