// SPDX-License-Identifier: Apache-2.0
// Sources, read in November 2026:
// - MindFormers, scripts/msrun_launcher.sh (github.com/mindspore-lab/mindformers): arguments are the
//   command, and then the number of workers, port, log folder, join and time-out. Without join the
//   script returns while the workers run.
// - MindFormers, run_mindformer.py: --config (relative to the script), --output_dir.
// - MindFormers documentation, "DryRun memory evaluation" (dry_run.sh), and MindSpore tutorial
//   "DryRun" (mindspore.cn/tutorials/en/master/debug/dryrun.html): MS_SIMULATION_LEVEL=1, RANK_SIZE,
//   RANK_ID = stage * (RANK_SIZE / stages), DEVICE_ID = stage, one process for each stage.
// - MindFormers toolkit, dry_run.sh: MS_MEMORY_STATISTIC=1, RANK_TABLE_FILE unset. Since MindSpore 2.5
//   MS_DEV_RUNTIME_CONF=memory_statistics:True has the same effect.
// - torchtitan, run_train.sh up to the version with TOML files (github.com/pytorch/torchtitan):
//   torchrun -m torchtitan.train --job.config_file; COMM_MODE=fake_backend runs one process on one
//   device with fake process groups, --comm.mode=fake_backend --training.steps=1. Later versions
//   take the simulated rank from RANK; earlier ones simulate rank 0 only.
// - Megatron-LM: launch scripts start torchrun themselves. A dry run is a run of a few steps, or with
//   --fake-process-group (core 0.16) one process with the variables RANK and WORLD_SIZE.
#include "planner/nd/runs/launchers.h"

static const struct nd_launcher profiles[] = {
    [FRAMEWORK_MINDFORMERS] = {.command = "bash {folder}/scripts/msrun_launcher.sh "
                                          "\"{folder}/run_mindformer.py --config {file} "
                                          "--output_dir {log}/output\" {world} {port} "
                                          "{log}/msrun_log True 7200",
                               .option = "mindformers-dir",
                               .needs = "scripts/msrun_launcher.sh"},
    [FRAMEWORK_MEGATRON] = {.command = "bash {file}", .option = "mindspeed-path"},
    [FRAMEWORK_TORCHTITAN] = {.command =
                                  "torchrun --nproc_per_node={world} --rdzv_backend c10d "
                                  "--rdzv_endpoint=localhost:0 --role rank --tee 3 "
                                  "--log-dir {log}/torchrun -m torchtitan.train "
                                  "--job.config_file {file} "
                                  "--job.dump_folder {log}/outputs",
                              .option = "torchtitan-path"},
};

static const struct nd_launcher dry_runs[] = {
    [FRAMEWORK_MINDFORMERS] = {.command = "python3 {folder}/run_mindformer.py --config {file} "
                                          "--output_dir {log}/output_{rank}",
                               .option = "mindformers-dir",
                               .needs = "run_mindformer.py",
                               .ranks = "stages"},
    [FRAMEWORK_MEGATRON] = {.command = "bash {file}", .option = "mindspeed-path"},
    [FRAMEWORK_TORCHTITAN] = {.command = "python3 -m torchtitan.train --job.config_file {file} "
                                         "--job.dump_folder {log}/outputs_{rank} "
                                         "--comm.mode=fake_backend --training.steps=1",
                              .option = "torchtitan-path",
                              .ranks = "0"},
};

const struct nd_launcher *nd_launcher(enum framework framework, bool dry_run)
{
    // Launch scripts start themselves.
    if (framework == FRAMEWORK_NONE || framework > FRAMEWORK_TORCHTITAN)
        framework = FRAMEWORK_MEGATRON;
    return dry_run ? &dry_runs[framework] : &profiles[framework];
}

static void simulate_mindspore(struct text_buffer *out, int64_t rank, int i_rank, int64_t world)
{
    text_buffer_add(out, "unset RANK_TABLE_FILE\nexport MS_SIMULATION_LEVEL=1");
    if (rank >= 0)
        text_buffer_add(out, " RANK_SIZE=%lld RANK_ID=%lld DEVICE_ID=%d", (long long)world,
                        (long long)rank, i_rank);
    text_buffer_add(out,
                    "\nexport MS_MEMORY_STATISTIC=${MS_MEMORY_STATISTIC:-1} "
                    "MS_DEV_RUNTIME_CONF=${MS_DEV_RUNTIME_CONF:-memory_statistics:True}\n");
}

void nd_launcher_simulate(struct text_buffer *out,
                          enum framework framework,
                          int64_t rank,
                          int i_rank,
                          int64_t world)
{
    if (framework == FRAMEWORK_MINDFORMERS)
        simulate_mindspore(out, rank, i_rank, world);
    else if (rank >= 0)
        text_buffer_add(out, "export WORLD_SIZE=%lld RANK=%lld LOCAL_RANK=0 NGPU=%lld\n",
                        (long long)world, (long long)rank, (long long)world);
}
