// Made by measured_steps --memory.
// clang-format off
{"megatron", 1381, 0.059, 0.121},
{"", 1769, -0.031, 0.121},
    // clang-format on
