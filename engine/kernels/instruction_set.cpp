#include "engine/kernels/instruction_set.h"

void engine::kernels::link_with_objects_built_for_vectors(
    std::integral_constant<int, vector_bytes>) {}
