#include "engine/base/real.h"

void engine::link_with_objects_built_for(real) {}
