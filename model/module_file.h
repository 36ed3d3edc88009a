// A module of your own in a .safetensors file, under the names that its reflect gives:
//
//     model::save(network, "network.safetensors");
//     model::load(network, "network.safetensors");
//
// (A const module does not work, since reflect is not const.) Tied weights are in the file once.
// The file is replaced completely and durably, or not at all, and any safetensors reader opens it.
#pragma once

#include <string>
#include <vector>

#include "model/format/safetensors.h"
#include "nn/module.h"

namespace model {

// Throws Error, before anything is written, if there are no parameters (as in a module that was
// moved from), a value is not finite, two parameters have the same name, or a name is not UTF-8 or
// is `__metadata__`.
void save_parameters(const std::vector<nn::NamedParameter>& parameters, const std::string& path);

// Copies the file's values into the parameters, which keep their memory and gradient slots. The
// file must have exactly these names and shapes, and finite values; otherwise throws Error, naming
// the file and the tensor, and changes nothing.
void load_parameters(const std::vector<nn::NamedParameter>& parameters, const std::string& path);

template <class M>
void save(M& module, const std::string& path) {
  save_parameters(nn::parameters(module), path);
}
template <class M>
void load(M& module, const std::string& path) {
  load_parameters(nn::parameters(module), path);
}

// For files that hold more than parameters. The parameters must not move until the writer's pieces
// are written.
void add_parameters(SafetensorsWriter& writer, const std::vector<nn::NamedParameter>& parameters);

}  // namespace model
