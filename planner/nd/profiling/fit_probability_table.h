// Made by measured_steps --memory.
// clang-format off
{"megatron", 1381, 0.047, 0.133},
{"", 1769, -0.084, 0.139},
    // clang-format on
