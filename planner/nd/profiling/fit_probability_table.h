// Made by measured_steps --memory.
// clang-format off
{"fsdp", 57, -0.165, 0.292},
{"megatron", 1381, 0.057, 0.133},
{"", 1769, -0.115, 0.175},
// clang-format on
