// A module of one's own in a file: what is saved is loaded to the bit, and a file that does not fit
// changes nothing.
#include "model/module_file.h"

#include <limits>
#include <string>
#include <vector>

#include "engine/ops.h"
#include "engine/tape.h"
#include "model/base/files.h"
#include "model/gpt/gpt.h"
#include "nn/layers.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "tests/unit/model/error.h"

using namespace engine;

namespace {

// Three layers; two of them share a weight.
struct Network {
  nn::Embedding tokens{5, 3};
  std::vector<nn::Linear> hidden = {nn::Linear(3, 4), nn::Linear(4, 3, false)};
  nn::Linear head{3, 5};
  Network() { head.weight = tokens.weight; }
  void reflect(nn::Reflector& r) {
    r("tokens", tokens);
    r("hidden", hidden);
    r("head", head);
  }
};

Network network(std::uint64_t seed) {
  Network made;
  Generator generator(seed);
  nn::initialize(made, generator);
  return made;
}

std::vector<real> all_values(Network& module) {
  std::vector<real> all;
  for (const Tensor& t : nn::tensors(module))
    all.insert(all.end(), t.values().begin(), t.values().end());
  return all;
}

std::string read(const std::string& path) {
  return model::read_file(path, std::numeric_limits<std::int64_t>::max());
}

}  // namespace

TEST_CASE("module file: what is saved is loaded, to the bit, tied weights once") {
  const TemporaryDirectory directory;
  const std::string path = directory / "net.safetensors";
  Network one = network(1), other = network(2);
  one.tokens.weight.mutable_data()[0] = -real(0);
  one.tokens.weight.mutable_data()[1] = std::numeric_limits<real>::denorm_min();
  model::save(one, path);
  CHECK(all_values(other) != all_values(one));
  model::load(other, path);
  CHECK(all_values(other) == all_values(one));
  CHECK(std::signbit(other.tokens.weight.data()[0]));
  CHECK(other.head.weight.data() == other.tokens.weight.data());

  const std::string bytes = read(path);
  const model::SafetensorsFile file(bytes);
  std::string names;
  for (const model::TensorEntry& entry : file.tensors()) names += entry.name + " ";
  CHECK(names == "tokens.weight hidden.0.weight hidden.0.bias hidden.1.weight head.bias ");
  model::save(other, path);  // replaces
  CHECK(read(path) == bytes);
}

TEST_CASE("module file: of a model that was moved nothing is saved") {
  const TemporaryDirectory directory;
  model::GPT gpt(
      model::Config{.vocab_size = 5, .block_size = 4, .n_layer = 1, .n_head = 1, .n_embd = 4});
  const model::GPT moved = std::move(gpt);
  CHECK_THROWS_WITH(model::save(gpt, directory / "net.safetensors"),
                    Catch::Contains("the module has no parameters"));
  CHECK_FALSE(model::file_exists(directory / "net.safetensors"));
  Network other = network(1);
  model::save(other, directory / "net.safetensors");
  CHECK_THROWS(model::load(gpt, directory / "net.safetensors"));
}

TEST_CASE("module file: loading keeps a parameter's memory and slot, and counts as a change") {
  const TemporaryDirectory directory;
  const std::string path = directory / "net.safetensors";
  Network one = network(1), other = network(2);
  model::save(one, path);
  const nn::FlatParameters flat(other);
  const Tensor handle = other.hidden[0].weight;
  const Gradient slot = handle.gradient();
  Tape tape;
  const Tensor loss = sum(other.hidden[0](Tensor::ones({1, 3})));
  model::load(other, path);
  CHECK(other.hidden[0].weight.data() == handle.data());
  CHECK(other.hidden[0].weight.gradient() == slot);
  CHECK(flat.values()[flat.offset(flat.entries()[1])] == one.hidden[0].weight.data()[0]);
  CHECK_THROWS_WITH(tape.backward(loss), Catch::Contains("changed in place"));
}

TEST_CASE("module file: a file that does not fit is refused, and changes nothing") {
  const TemporaryDirectory directory;
  const std::string path = directory / "net.safetensors";
  Network net = network(1);
  const std::vector<real> before = all_values(net);
  const auto refused = [&] {
    const std::string message = error_of([&] { model::load(net, path); });
    CHECK(all_values(net) == before);
    return message;
  };
  // All parameters of another network, changed by `change`.
  const auto write = [&](auto change) {
    Network other = network(2);
    std::vector<nn::NamedParameter> list = nn::parameters(other);
    change(list);
    model::save_parameters(list, path);
  };
  write([](auto& list) { list.pop_back(); });
  CHECK(refused() == path + ": tensor \"head.bias\" is missing");
  write([](auto& list) { list.push_back({"more", Tensor::ones({1})}); });
  CHECK(refused() == path + ": tensor \"more\" is not part of the module");
  write([](auto& list) { list[3].tensor = list[3].tensor.reshape({4, 3}); });
  CHECK(refused() == path + ": tensor \"hidden.1.weight\" has shape (4, 3), expected (3, 4)");

  // A number that is not finite, in the last tensor, as another program may write it.
  write([](auto&) {});
  Network other = network(2);
  other.head.bias.mutable_data()[4] = std::numeric_limits<real>::infinity();
  model::SafetensorsWriter writer;
  model::add_parameters(writer, nn::parameters(other));
  model::write_file(path, writer.pieces());
  CHECK(refused() == path + ": tensor \"head.bias\": element 4 is inf, expected a finite number");

  model::save(other = network(2), path);
  std::string bytes = read(path);
  bytes.back() ^= 1;
  model::write_file(path, std::vector<std::string_view>{bytes});
  CHECK_THAT(refused(), Catch::StartsWith(path + ": damaged: the checksum"));
  model::remove_file(path);
  CHECK(refused() == path + ": cannot open: No such file or directory");
}

TEST_CASE("module file: what could not be loaded is not saved, and the old file stays") {
  const TemporaryDirectory directory;
  const std::string path = directory / "net.safetensors";
  Network net = network(1);
  model::save(net, path);
  const std::string before = read(path);
  net.head.bias.mutable_data()[1] = std::numeric_limits<real>::quiet_NaN();
  CHECK_THROWS_WITH(model::save(net, path),
                    Catch::StartsWith(path + ": tensor \"head.bias\" is not finite"));
  const Tensor one = Tensor::ones({1});
  CHECK_THROWS_WITH(model::save_parameters({{"w", one}, {"w", Tensor::ones({2})}}, path),
                    path + ": two parameters have the name \"w\"");
  CHECK_THROWS_WITH(model::save_parameters({{"\xff", one}}, path),
                    Catch::StartsWith(path + ": JSON string"));
  Network packed = network(1);
  packed.hidden[1].pack();
  CHECK_THROWS_WITH(model::save(packed, path), Catch::StartsWith("linear: a packed layer"));
  CHECK(read(path) == before);
  CHECK_THROWS_WITH(model::save(net = network(1), directory / "none/net"),
                    directory / "none" + ": cannot open: No such file or directory");
}
