// SPDX-License-Identifier: Apache-2.0
// What a torchtitan configuration says about time and memory is evaluated, or the reader names it: schedules,
// recomputation, numbers of products, keys that no model counts, and starts that torchtitan refuses.
#include "tests/unit/support/kernels/framework_cases.h"

#include <criterion/criterion.h>

#define CHECK(rows) framework_cases_check(PLAINDOC_TOML, rows, sizeof rows / sizeof *(rows))

#define LLAMA    "[model]\nname = 'llama3'\nflavor = '8B'\n"
#define DEEPSEEK "[model]\nname = 'deepseek_v3'\nflavor = '16B'\n"
#define DEBUG    "[model]\nname = 'llama3'\nflavor = 'debugmodel'\n" // 6 layers
#define DEGREES  "[parallelism]\n"
#define PIPELINE                                                                               \
    DEGREES "data_parallel_shard_degree = 1\npipeline_parallel_degree = 2\n"                   \
            "pipeline_parallel_schedule = "

Test(torchtitan_believed, schedules)
{
    static const struct framework_case rows[] = {
        {DEBUG PIPELINE "'1F1B'\n", "{'baseline':{'schedule':null,'vp':1}}", "", NULL},
        {DEBUG PIPELINE "'Interleaved1F1B'\n", "{'baseline':{'schedule':null,'vp':2}}", "",
         NULL},
        // Equal rounds that are no whole numbers of ranks.
        {DEBUG PIPELINE "'Interleaved1F1B'\n[training]\nlocal_batch_size = 3\n",
         "{'baseline':{'schedule':'interleaved','vp':2,'micro_batches':3}}", "", NULL},
        {DEBUG PIPELINE "'GPipe'\n", "{'baseline':{'schedule':'gpipe','vp':1}}", "", NULL},
        {DEBUG PIPELINE "'LoopedBFS'\n",
         "{'baseline':{'schedule':'pytorch_bfs','layers':[[1,2],[2,1]]}}", "", NULL},
        {DEBUG PIPELINE "'DualPipeV'\n",
         "{'baseline':{'schedule':'dualpipev','layers':[[1,2],[1,2]]}}", "", NULL},
        {DEBUG PIPELINE "'InterleavedZeroBubble'\n",
         "{'baseline':{'schedule':'pytorch_zb','vp':2}}", "", NULL},
        {DEBUG PIPELINE "'ZBVZeroBubble'\n",
         "{'baseline':{'schedule':'pytorch_zbv','layers':[[1,2],[1,2]]}}", "", NULL},
        {DEBUG PIPELINE "'PipelineScheduleMulti'\npipeline_parallel_schedule_csv = 'o.csv'\n",
         "{'baseline':{'schedule':null,'vp':2}}",
         "8:1 parallelism.pipeline_parallel_schedule_csv=o.csv", NULL},
        // Without a pipeline the schedule has no meaning.
        {DEBUG DEGREES "pipeline_parallel_schedule = 'GPipe'\n",
         "{'baseline':{'schedule':null}}", "", NULL},
        // Overlap of expert exchanges.
        {DEEPSEEK PIPELINE "'DualPipeV'\nexpert_parallel_degree = 1\n"
                           "pipeline_parallel_expert_parallel_overlap = true\n",
         "{'baseline':{'schedule':'dualpipev'}}", "", NULL},
        {DEEPSEEK DEGREES "data_parallel_shard_degree = 2\npipeline_parallel_degree = 2\n"
                          "pipeline_parallel_schedule = 'DualPipeV'\nexpert_parallel_degree = "
                          "2\npipeline_parallel_expert_parallel_overlap = true\n",
         "{'baseline':{'schedule':'dualpipev'}}",
         "9:1 parallelism.pipeline_parallel_expert_parallel_overlap=true", NULL},
    };
    CHECK(rows);
}

Test(torchtitan_believed, parts_without_layers)
{
    static const struct framework_case rows[] = {
        {DEBUG PIPELINE "'Interleaved1F1B'\nmodule_fqns_per_model_part = "
                        "[['tok_embeddings'],['layers.0','layers.1.attention',"
                        "'layers.1.feed_forward','layers.2'],['layers.3','layers.4',"
                        "'layers.5'],['norm','output']]\n",
         "{'baseline':{'vp':2,'layers':[[0,3],[3,0]]}}", "", NULL},
        {DEBUG PIPELINE "'Interleaved1F1B'\npipeline_parallel_layers_per_stage = 2\n"
                        "pipeline_parallel_first_stage_less_layers = 2\n"
                        "pipeline_parallel_last_stage_less_layers = 0\n",
         "{'baseline':{'vp':2,'layers':[[0,2],[2,2]]}}", "", NULL},
        {DEBUG PIPELINE
         "'1F1B'\npipeline_parallel_split_points = ['norm']\n[activation_checkpoint]\n"
         "mode = 'full'\n",
         "{'baseline':{'vp':1,'layers':[[6,0]],'recompute':[[6,0]]}}", "", NULL},
    };
    CHECK(rows);
}

Test(torchtitan_believed, recomputation)
{
    static const struct framework_case rows[] = {
        {DEBUG "[activation_checkpoint]\nmode = 'none'\nselective_ac_option = 'op'\n",
         "{'baseline':{'recompute':[[0]],'select_recompute':[[0]]},'training':{'stack':null}}",
         "", NULL},
        {DEBUG "[activation_checkpoint]\nmode = 'selective'\nselective_ac_option = 'op'\n"
               "preserve_rng_state = true\n"
               "per_op_sac_force_recompute_mm_shapes_by_fqns = ['moe.router.gate']\n",
         "{'baseline':{'recompute':[[0]],'select_recompute':[[6]]}}", "", NULL},
        {DEBUG "[activation_checkpoint]\nselective_ac_option = 'op'\n"
               "per_op_sac_force_recompute_mm_shapes_by_fqns = ['attention.wq']\n",
         "{'baseline':{'select_recompute':[[6]]}}",
         "6:1 "
         "activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns=[\"attention.wq\"]",
         NULL},
        {DEBUG "[activation_checkpoint]\nmode = 'full'\nearly_stop = false\n",
         "{'baseline':{'recompute':[[6]]},'training':{'stack':{'name':'fsdp','early_stop':"
         "false}}}",
         "", NULL},
        {DEBUG "[activation_checkpoint]\nmode = 'memory_budget'\nmemory_budget = 0.3\n",
         "{'baseline':{'recompute':null,'select_recompute':null}}",
         "5:1 activation_checkpoint.mode=memory_budget", NULL},
        {DEBUG "[activation_checkpoint]\nmode = 'memory_budget'\nmemory_budget = 0\n",
         "{'baseline':{'recompute':[[6]]}}", "", NULL},
        {DEBUG "[activation_checkpoint]\nmode = 'memory_budget'\nmemory_budget = 1.0\n",
         "{'baseline':{'recompute':[[0]]}}", "", NULL},
        // The model is in another document.
        {"[activation_checkpoint]\nmode = 'full'\n", "{'baseline':{'recompute':null}}",
         "2:1 activation_checkpoint.mode=full", NULL},
        {"[activation_checkpoint]\nmode = 'none'\n", "{'baseline':{'recompute':null}}", "",
         NULL},
    };
    CHECK(rows);
}

Test(torchtitan_believed, numbers_of_products)
{
    static const struct framework_case rows[] = {
        // Files of torchtitan have the section without a converter.
        {LLAMA "converters = []\n[quantize.linear.float8]\nenable_fsdp_float8_all_gather = "
               "true\nfilter_fqns = ['output']\n",
         "{'training':{'precision':null}}", "", NULL},
        {LLAMA "converters = ['quantize.linear.float8']\n[quantize.linear.float8]\n"
               "recipe_name = 'rowwise'\nfilter_fqns = ['output']\n",
         "{'training':{'precision':'fp8'}}", "", NULL},
        {LLAMA "converters = ['float8']\n[float8]\nenable_fsdp_float8_all_gather = true\n"
               "precompute_float8_dynamic_scale_for_fsdp = true\n"
               "filter_fqns = ['attention.wk', 'output']\n",
         "{'training':{'precision':'fp8'}}",
         "6:1 float8.enable_fsdp_float8_all_gather=true; "
         "8:1 float8.filter_fqns=[\"attention.wk\",\"output\"]",
         NULL},
        // Converters may be arguments of the command.
        {LLAMA DEGREES "[quantize.linear.float8]\nenable_fsdp_float8_all_gather = false\n"
                       "precompute_float8_dynamic_scale_for_fsdp = true\n",
         "{'training':{'precision':'fp8'}}", "", NULL},
        {LLAMA DEGREES "[float8]\nenable_fsdp_float8_all_gather = false\n"
                       "filter_fqns = ['output']\n",
         "{'training':{'precision':null}}", "", NULL},
        {LLAMA DEGREES "[float8]\nenable_float8_linear = true\n",
         "{'training':{'precision':'fp8'}}", "", NULL},
        {LLAMA DEGREES "[float8]\nenable_float8_linear = false\n"
                       "enable_fsdp_float8_all_gather = true\n",
         "{'training':{'precision':null}}", "", NULL},
        {DEEPSEEK DEGREES "[quantize.linear.float8]\nfilter_fqns = ['output', 'router.gate']\n"
                          "[quantize.grouped_mm.float8]\nfqns = ['experts']\n",
         "{'training':{'precision':null}}", "", NULL},
        {LLAMA "converters = ['mx']\n[mx]\nrecipe_name = 'mxfp4_cutlass'\n",
         "{'training':{'precision':'mxfp8'}}", "6:1 mx.recipe_name=mxfp4_cutlass", NULL},
        // Most products of a model with experts are theirs.
        {DEEPSEEK "converters = ['quantize.linear.float8']\n",
         "{'training':{'precision':null}}",
         "4:1 model.converters: linear layers, counted in bf16", NULL},
        {DEEPSEEK "converters = ['quantize.linear.mx', 'quantize.grouped_mm.mx']\n"
                  "[quantize.grouped_mm.mx]\nfqns = ['experts']\n",
         "{'training':{'precision':'mxfp8'}}", "", NULL},
        {DEEPSEEK "converters = ['quantize.grouped_mm.float8']\n"
                  "[quantize.grouped_mm.float8]\nfqns = 'experts'\n",
         "{'training':{'precision':'fp8'}}",
         "4:1 model.converters: linear layers, counted in fp8", NULL},
        {LLAMA "converters = ['lora']\n[lora]\nrank = 4\nalpha = 16\ndropout = 0.1\n",
         "{'training':{'lora_rank':4,'lora_modules':['linear_proj','linear_fc2','linear_q',"
         "'linear_k','linear_v','linear_fc1_gate','linear_fc1_up']}}",
         "8:1 lora.dropout=0.1", NULL},
        {DEEPSEEK "converters = ['lora']\n",
         "{'training':{'lora_rank':8,'lora_modules':['linear_proj','linear_q','linear_k',"
         "'linear_v']}}",
         "", NULL},
    };
    CHECK(rows);
}

Test(torchtitan_believed, other_keys)
{
    static const struct framework_case rows[] = {
        {LLAMA "hf_assets_path = 'a'\n[job]\ndump_folder = 'x'\n[metrics]\nlog_freq = 1\n"
               "[checkpoint]\nenable = true\ninterval = 5\n[optimizer]\nname = 'AdamW'\nlr = "
               "1e-4\nimplementation = 'fused'\n[training]\ndataset = 'c4'\nsteps = 5\n"
               "[training.dataloader]\nnum_workers = 2\n[comm]\ntrain_timeout_seconds = 1\n"
               "[validation]\nenable = true\n[profiling]\nenable_profiling = true\n[debug]\n"
               "seed = 1\n",
         NULL, "", NULL},
        {LLAMA "[training]\nenable_cpu_offload = true\n[parallelism]\n"
               "fsdp_reshard_after_forward = 'never'\n",
         "{'training':{'offload_parameters':null}}", "5:1 training.enable_cpu_offload=true",
         NULL},
        {LLAMA "[training]\nenable_cpu_offload = true\nmixed_precision_reduce = 'bfloat16'\n"
               "[optimizer]\nearly_step_in_backward = true\nname = 'Muon'\n[debug]\n"
               "deterministic = true\n[compile]\nenable = false\n",
         "{'training':{'offload_parameters':true}}",
         "6:1 training.mixed_precision_reduce=bfloat16; "
         "8:1 optimizer.early_step_in_backward=true; 9:1 optimizer.name=Muon; "
         "11:1 debug.deterministic=true; 13:1 compile.enable=false",
         NULL},
        {LLAMA "[compile]\nenable = true\ncomponents = ['loss']\nbackend = 'aot_eager'\n", NULL,
         "7:1 compile.backend=aot_eager; 6:1 compile.components=[\"loss\"]", NULL},
        // A key counts only with the degree that it changes.
        {LLAMA DEGREES "enable_async_tensor_parallel = true\ncontext_parallel_rotate_method = "
                       "'alltoall'\ndisable_loss_parallel = true\n",
         "{'training':{'stack':null}}", "", NULL},
        {LLAMA DEGREES "tensor_parallel_degree = 2\ncontext_parallel_degree = 2\n"
                       "enable_async_tensor_parallel = true\n"
                       "context_parallel_rotate_method = 'alltoall'\ndisable_loss_parallel = "
                       "true\n",
         "{'training':{'stack':{'name':'fsdp','whole_logits':true}}}",
         "7:1 parallelism.enable_async_tensor_parallel=true; "
         "8:1 parallelism.context_parallel_rotate_method=alltoall",
         NULL},
        // Keys that nobody knows: a section is one key.
        {LLAMA "[parallelism]\nnew_switch = 3\n[peft]\nrank = 8\nalpha = 16\n[empty]\n", NULL,
         "5:1 parallelism.new_switch=3; 6:2 peft", NULL},
    };
    CHECK(rows);
}

// torchtitan refuses these starts; model and training are read.
Test(torchtitan_believed, starts_that_cannot_run)
{
    static const struct framework_case rows[] = {
        {DEGREES "tensor_parallel_degree = 4\nexpert_parallel_degree = 2\n"
                 "expert_tensor_parallel_degree = 2\n",
         "{'baseline':{'tp':4}}", "",
         "4:33 expert_tensor_parallel_degree = 2: expected 1 or tensor_parallel_degree (4)"},
        {DEGREES "data_parallel_shard_degree = 4\nexpert_parallel_degree = 8\n",
         "{'cluster':{'world_size':4}}", "",
         "3:26 expert_parallel_degree = 8: shards times context and tensor ranks (4) must be a "
         "multiple of expert ranks times expert tensor ranks (8)"},
        {DEGREES "data_parallel_shard_degree = 4\n[training]\nglobal_batch_size = 40\n",
         "{'training':{'gbs':40}}", "",
         "4:21 global_batch_size = 40: expected a multiple of local_batch_size times the "
         "data-parallel degrees (32)"},
        {DEGREES "pipeline_parallel_degree = 2\npipeline_parallel_microbatch_size = 3\n", NULL,
         "",
         "3:37 pipeline_parallel_microbatch_size = 3: a local batch of 8 sequences is not a "
         "multiple"},
        {"[training]\nbatch_size = 6\n[experimental]\npipeline_parallel_degree = 4\n", NULL, "",
         "4:28 a local batch of 6 sequences does not split into 4 equal micro-batches"},
        {DEGREES
         "pipeline_parallel_degree = 2\nmodule_fqns_per_model_part = [['a'],['b'],['c']]\n",
         NULL, "", "3:30 3 parts of the model do not divide evenly among 2 pipeline ranks"},
        {DEGREES "pipeline_parallel_degree = 2\nmodule_fqns_per_model_part = "
                 "[['a'],['b'],['c'],['d']]\n",
         NULL, "",
         "3:30 1F1B needs one part per pipeline rank; the model has 4 parts for 2 ranks"},
        {LLAMA DEGREES "pipeline_parallel_degree = 2\nmodule_fqns_per_model_part = "
                       "[['layers.0'],['layers.1']]\n[activation_checkpoint]\nmode = 'full'\n",
         "{'model':{'num_layers':32},'training':{'zero_level':2},'baseline':{'layers':null,"
         "'recompute':null}}",
         "", "6:30 the parts have 2 layers, llama3 8B has 32"},
        {LLAMA DEGREES "pipeline_parallel_degree = 2\n"
                       "pipeline_parallel_split_points = ['layers.40']\n",
         NULL, "",
         "6:35 pipeline_parallel_split_points: expected \"layers.N\", N growing and below 32"},
        {LLAMA DEGREES "pipeline_parallel_degree = 64\n"
                       "pipeline_parallel_first_stage_less_layers = 2\n",
         NULL, "", "5:28 32 layers are too few for 64 parts of the model"},
        // The shorter ends need a layer's place in every part.
        {DEBUG PIPELINE "'1F1B'\npipeline_parallel_last_stage_less_layers = 9\n", NULL, "",
         "6:28 6 layers are too few for 2 parts of the model"},
        {DEBUG PIPELINE "'ZBVZeroBubble'\npipeline_parallel_layers_per_stage = 1\n", NULL, NULL,
         "8:38 ZBVZeroBubble needs two parts per pipeline rank; the model has 8 parts for 2 "
         "ranks"},
        {DEBUG PIPELINE "'PipelineScheduleSingle'\n", NULL, "",
         "7:30 PipelineScheduleSingle has no order of its own: it needs "
         "pipeline_parallel_schedule_csv"},
        {DEBUG PIPELINE "'Interleaved1F1B'\n[training]\nlocal_batch_size = 7\n", NULL, "",
         "7:30 Interleaved1F1B cannot run 7 micro-batches on 2 ranks in 3 rounds of equal "
         "size"},
    };
    CHECK(rows);
}
