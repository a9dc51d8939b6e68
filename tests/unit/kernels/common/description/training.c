// SPDX-License-Identifier: Apache-2.0
// Training: defaults, values that a document changes, and errors.
#include "tests/unit/support/documents.h"

#include "kernels/common/description/training.h"

#include <criterion/criterion.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static struct training training_of(const char *text)
{
    struct pps_json json = document_of(text);
    struct training training;
    struct pps_fault fault;
    training_default(&training);
    cr_assert(training_read(&training, json.root, &fault), "%s: %s", text, fault.text);
    pps_json_free(&json);
    return training;
}

Test(training, defaults)
{
    struct training t = training_of("{}");
    cr_assert(t.gbs == 1024 && t.n_mbs == 3 && t.mbs[0] == 1 && t.mbs[1] == 2 && t.mbs[2] == 4);
    cr_assert(t.zero_level == 1 && t.distributed_optimizer);
    cr_assert(t.bytes_param == 2 && t.bytes_grad == 4 && t.bytes_optim == 12);
    cr_assert(!t.expert_tensor_parallel && t.flash_attention && t.fused_cross_entropy);
    cr_assert(!t.low_mem_vpp && !t.dummy_wgrad && t.schedule == TRAINING_ANY_SCHEDULE);
    cr_assert_eq(t.loss_chunks, 1);
}

Test(training, values)
{
    struct training t = training_of(
        "{'gbs':3840,'mbs_options':[8,1],'zero_level':3,'use_distributed_optimizer':false,"
        "'bytes_param':1,'bytes_grad':2,'bytes_optim':8.5,'expert_tensor_parallel':'tp',"
        "'flash_attention':false,'fused_cross_entropy':0,'low_mem_vpp':1,'dummy_wgrad':true,"
        "'schedule':'vpp'}");
    cr_assert(t.gbs == 3840 && t.n_mbs == 2 && t.mbs[0] == 8 && t.mbs[1] == 1);
    cr_assert(t.zero_level == 3 && !t.distributed_optimizer);
    cr_assert(t.bytes_param == 1 && t.bytes_grad == 2 && t.bytes_optim == 8.5);
    cr_assert(t.expert_tensor_parallel && !t.flash_attention && !t.fused_cross_entropy);
    cr_assert(t.low_mem_vpp && t.dummy_wgrad && t.schedule == TRAINING_VPP);
    cr_assert_not(training_of("{'expert_tensor_parallel':1}").expert_tensor_parallel);
    cr_assert_eq(training_of("{'schedule':'1f1b'}").schedule, TRAINING_1F1B);
    cr_assert_eq(training_of("{'loss_chunks':8}").loss_chunks, 8);
    t = training_of("{'lora_rank':8}");
    cr_assert(t.frozen && t.lora_rank == 8 && t.lora_modules == 15);
    t = training_of("{'lora_rank':8,'lora_modules':['linear_v','linear_proj']}");
    cr_assert(t.frozen && t.lora_modules == (TRAINING_LINEAR_V | TRAINING_LINEAR_PROJ));
    t = training_of("{'frozen':true}");
    cr_assert(t.frozen && t.lora_rank == 0 && t.lora_modules == 0);
    t = training_of("{'mbs_options':4,'gbs':null}");
    cr_assert(t.n_mbs == 1 && t.mbs[0] == 4 && t.gbs == 1024);
    t = training_of("{'mbs_options':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}");
    cr_assert(t.n_mbs == TRAINING_MBS_MAX && t.mbs[15] == 16);
}

// A refused document leaves what there was.
Test(training, faults)
{
    static const char *const rows[][2] = {
        {"{'gbs':0}", "gbs: expected a whole number 1 ... 16777216"},
        {"{'gbs':1.5}", "gbs: expected a whole number 1 ... 16777216"},
        {"{'loss_chunks':0}", "loss_chunks: expected a whole number 1 ... 1048576"},
        {"{'zero_level':4}", "zero_level: expected a whole number 0 ... 3"},
        {"{'bytes_param':0}", "bytes_param: expected a number above 0, at most 64"},
        {"{'bytes_grad':-1}", "bytes_grad: expected a number 0 ... 64"},
        {"{'flash_attention':'on'}", "flash_attention: expected true or false"},
        {"{'expert_tensor_parallel':2}", "expert_tensor_parallel: expected 1 or \"tp\""},
        {"{'schedule':'gpipe'}",
         "schedule: expected \"1f1b\", \"vpp\", \"zero_bubble\" or \"dualpipe\""},
        {"{'recompute_modules':[]}",
         "recompute_modules: expected a list, as in [\"layernorm\", \"moe_act\"]"},
        {"{'recompute_modules':['mla']}",
         "recompute_modules: expected core_attn, layernorm, moe_act, mla_up_proj, mlp, moe or shared_experts"},
        {"{'lora_rank':8,'lora_modules':['router']}",
         "lora_modules: expected linear_qkv, linear_proj, linear_fc1, linear_fc2, linear_q, "
         "linear_k, linear_v, linear_fc1_gate or linear_fc1_up"},
        {"{'lora_modules':['linear_qkv']}", "lora_modules: there is no lora_rank"},
        {"{'precision':'fp4'}", "precision: expected bf16, fp8 or mxfp8"},
        {"{'mbs_options':[]}",
         "mbs_options: an empty list; write at least one size, as in [1, 2]"},
        {"{'gbs':2,'mbs_options':[1,0]}", "mbs_options: expected whole numbers 1 ... 16777216"},
        {"{'mbs_options':[1.5]}", "mbs_options: expected whole numbers 1 ... 16777216"},
        {"{'mbs_options':'1'}", "mbs_options: expected whole numbers 1 ... 16777216"},
        {"{'mbs_options':[1,2,1]}", "mbs_options: 1 appears twice"},
        {"{'mbs_options':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}",
         "mbs_options: more than 16 sizes"},
        {"{'gsb':1}", "gsb: there is no such key in training; did you mean gbs?"},
        {"3", "expected an object that describes training"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pps_json json = document_of(rows[i][0]);
        struct training training;
        struct pps_fault fault;
        training_default(&training);
        cr_assert_not(training_read(&training, json.root, &fault), "%s", rows[i][0]);
        cr_assert_str_eq(fault.text, rows[i][1], "%s: %s", rows[i][0], fault.text);
        cr_assert(training.gbs == 1024 && training.n_mbs == 3, "%s", rows[i][0]);
        pps_json_free(&json);
    }
}
