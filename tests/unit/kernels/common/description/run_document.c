// SPDX-License-Identifier: Apache-2.0
// Documents of whole runs: nested, flat, dotted and mixed.
#include "tests/unit/support/documents.h"

#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/run_document.h"
#include "kernels/common/description/training.h"

#include <criterion/criterion.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

// The same run in every form.
Test(rundoc, forms)
{
    static const char *const rows[] = {
        "{'model':{'L':2,'h':8,'A':4,'V':9},'cluster':{'world_size':16},"
        "'training':{'gbs':32},'strategy':{'PP':false}}",
        "{'L':2,'h':8,'A':4,'V':9,'world_size':16,'gbs':32,'PP':false}",
        "{'world_size':16,'h':8,'strategy':{'PP':false},'model':{'A':4,'V':9},'training.gbs':"
        "32,"
        "'model.L':2}",
        "{'model.L':2,'model.h':8,'model.A':4,'model.V':9,'cluster.world_size':16,"
        "'training.gbs':32,'strategy.PP':false}",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pps_json json = document_of(rows[i]);
        struct rundoc run;
        struct pps_fault fault;
        struct modeldesc model;
        struct cluster cluster;
        struct training training;
        training_default(&training);
        cr_assert(rundoc_split(&run, json.root, &fault), "%s: %s", rows[i], fault.text);
        cr_assert(modeldesc_read(&model, run.model, &fault), "%s: %s", rows[i], fault.text);
        cr_assert(cluster_read(&cluster, run.cluster, &fault), "%s: %s", rows[i], fault.text);
        cr_assert(training_read(&training, run.training, &fault), "%s: %s", rows[i],
                  fault.text);
        cr_assert(model.num_layers == 2 && model.hidden == 8 && model.vocab == 9);
        cr_assert(cluster.world_size == 16 && training.gbs == 32);
        cr_assert(cJSON_IsFalse(pps_json_member(run.strategy, "PP")));
        pps_json_free(&json);
    }
}

Test(rundoc, parts)
{
    struct rundoc run;
    struct pps_fault fault;
    struct pps_json json = document_of("{}");
    cr_assert(rundoc_split(&run, json.root, &fault));
    cr_assert(!run.model && !run.cluster && !run.training && !run.strategy);
    pps_json_free(&json);
    json = document_of("{'model':'llama3-8b','training':null}");
    cr_assert(rundoc_split(&run, json.root, &fault));
    cr_assert(cJSON_IsString(run.model) && run.training == NULL);
    pps_json_free(&json);
    json = document_of("{'model_type':'llama','torch_dtype':'x','world_size':4}");
    cr_assert(rundoc_split(&run, json.root, &fault));
    cr_assert(run.model == json.root && run.cluster == NULL);
    pps_json_free(&json);
}

// A moved item still has its place in the text.
Test(rundoc, places)
{
    struct pps_json json = document_of("{\n'L':2,\n  'gbs':0}");
    struct rundoc run;
    struct pps_fault fault;
    struct training training;
    struct pps_error err;
    training_default(&training);
    cr_assert(rundoc_split(&run, json.root, &fault));
    cr_assert_not(training_read(&training, run.training, &fault));
    pps_json_fail(&json, fault.item, &err, "%s", fault.text);
    cr_assert(err.line == 3 && err.column == 9, "%d:%d", err.line, err.column);
    pps_json_free(&json);
}

Test(rundoc, faults)
{
    static const char *const rows[][2] = {
        {"[]", "expected an object that describes a run"},
        {"{'models':{}}", "models: there is no such key in a run; did you mean model?"},
        {"{'world_sice':8}",
         "world_sice: there is no such key in a run; did you mean world_size?"},
        {"{'model.whatever':8}", "model.whatever: there is no such key in a run"},
        {"{'what':8}", "what: there is no such key in a run"},
        {"{'hidden_size':64,'what':8}", "what: there is no such key in a model"},
        {"{'what':8,'hidden_size':64,'gbs':8}", "what: there is no such key in a run"},
        {"{'model':{},'hidden_size':64,'what':8}", "what: there is no such key in a run"},
        {"{'cluster':'big'}", "cluster: expected an object"},
        {"{'model':[]}", "model: expected an object"},
        {"{'model':'llama','h':8}", "model: expected an object, as keys of it are given too"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pps_json json = document_of(rows[i][0]);
        struct rundoc run;
        struct pps_fault fault;
        cr_assert_not(rundoc_split(&run, json.root, &fault), "%s", rows[i][0]);
        cr_assert_str_eq(fault.text, rows[i][1], "%s: %s", rows[i][0], fault.text);
        pps_json_free(&json);
    }
}
