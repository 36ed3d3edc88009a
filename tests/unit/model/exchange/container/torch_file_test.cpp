// Files of torch.save: a checkpoint that PyTorch wrote, what our writer writes, and that damaged or
// hostile files are refused.
#include "model/exchange/container/torch_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/utf8.h"
#include "engine/random/generator.h"
#include "tests/catch.h"
#include "tests/pieces.h"

using engine::Index;
using engine::real;
using model::Pickle;
using model::PickleWriter;
using model::TensorEntry;
using model::TorchFile;
using model::TorchWriter;

namespace {

// Written by PyTorch 1.13: see tests/data/make_torch_file.py.
std::string checkpoint() {
  std::ifstream in("tests/data/torch_1_13.pt", std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<real> values(const TensorEntry& entry) {
  std::vector<real> all(static_cast<std::size_t>(entry.count()));
  copy_values(entry, all);
  return all;
}

// All that a checkpoint holds, as text; tensors with their bytes. Its depth is known.
std::string described(const TorchFile& file, Pickle::Value value, int depth = 6) {
  const auto children = [&] {
    std::string all = "[";
    for (const Pickle::Value element : value.elements())
      all += described(file, element, depth - 1) + ", ";
    return all + "]";
  };
  if (depth == 0) return "...";
  switch (value.type()) {
    case Pickle::Type::none: return "None";
    case Pickle::Type::boolean: return value.boolean() ? "True" : "False";
    case Pickle::Type::integer: return engine::joined(value.integer());
    case Pickle::Type::number: return engine::joined(value.number());
    case Pickle::Type::text: return engine::in_quotes(value.text());
    case Pickle::Type::list:
    case Pickle::Type::tuple: return children();
    case Pickle::Type::dict: {
      std::string all = "{";
      for (const auto [key, member] : value.members())
        all += described(file, key, depth - 1) + ": " + described(file, member, depth - 1) + ", ";
      return all + "}";
    }
    default: break;
  }
  if (!file.is_tensor(value)) return "something";
  try {
    const TensorEntry entry = file.tensor(value, "x");
    return engine::joined(model::shape_text(entry.shape), " ", model::crc32(entry.data));
  } catch (const engine::Error& error) {
    return error.what();
  }
}

std::string described(const std::string& bytes) {
  const TorchFile file(bytes);
  return described(file, file.root());
}

// The description, or the error, which must be one printable line.
std::string outcome(const std::string& bytes) {
  try {
    return described(bytes);
  } catch (const engine::Error& error) {
    const std::string_view line = error.what();
    REQUIRE(!line.empty());
    REQUIRE(line.size() < 2000);
    REQUIRE(engine::valid_utf8_prefix(line) == line.size());
    REQUIRE(std::none_of(line.begin(), line.end(), [](char c) { return c >= 0 && c < ' '; }));
    return error.what();
  }
}

// A file of one tensor, with whatever its pickle shall say.
struct Saved {
  std::string word = "storage", module = "torch", storage = "FloatStorage", key = "0";
  std::int64_t elements = 6, offset = 0;
  std::vector<std::int64_t> shape = {2, 3}, strides = {3, 1};
  bool parameter = false, list = false;
  int more_arguments = 0, more_id = 0, more_parameter = 0;
  std::string byteorder, name = "x";
  std::vector<float> values = {1, 2, 3, 4, 5, 6};

  std::string bytes() const {
    PickleWriter out;
    const auto write_indices = [&](const std::vector<std::int64_t>& all) {
      out.begin_tuple();
      for (const std::int64_t i : all) out.integer(i);
      out.end_tuple();
    };
    if (parameter) {
      out.global("torch._utils", "_rebuild_parameter");
      out.begin_tuple();
    }
    out.global("torch._utils", "_rebuild_tensor_v2");
    out.begin_tuple();
    out.begin_tuple();
    out.text(word);
    out.global(module, storage);
    out.text(key);
    out.text("cuda:0");
    out.integer(elements);
    for (int i = 0; i < more_id; ++i) out.none();
    out.end_tuple();
    out.persistent_id();
    out.integer(offset);
    write_indices(shape);
    write_indices(strides);
    out.boolean(true);
    out.none();
    for (int i = 0; i < more_arguments; ++i) out.none();
    out.end_tuple();
    out.call();
    if (parameter) {
      out.boolean(true);
      out.none();
      for (int i = 0; i < more_parameter; ++i) out.none();
      out.end_tuple();
      out.call();
    }
    const std::string pickle = out.finish();
    model::ZipWriter zip;
    zip.add(name + "/data.pkl", pickle);
    if (!byteorder.empty()) zip.add(name + "/byteorder", byteorder);
    zip.add(name + "/data/0",
            {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
    zip.add(name + "/.format_version", "1");
    return joined_pieces(zip.pieces());
  }

  std::string error() const {
    const std::string file = bytes();
    try {
      const TorchFile torch(file);
      torch.tensor(torch.root(), "w");
    } catch (const engine::Error& error) {
      return error.what();
    }
    return "accepted";
  }
};

template <class Change>
std::string error_after(Change change) {
  Saved saved;
  change(saved);
  return saved.error();
}

}  // namespace

TEST_CASE("torch_file: a checkpoint like nanoGPT's, written by PyTorch 1.13") {
  const std::string bytes = checkpoint();
  const TorchFile file(bytes);
  const Pickle::Value root = file.root();
  CHECK(root.at("iter_num").integer() == 250);
  CHECK(root.at("model_args").at("vocab_size").integer() == 5);
  CHECK(root.at("model_args").at("bias").boolean());
  CHECK(root.at("model_args").at("dropout").number() == 0);
  CHECK(root.at("config").at("out_dir").text() == "out");
  CHECK(root.at("config").at("learning_rate").number() == 1e-3);
  CHECK(root.at("config").at("seed").integer() == -1);

  const Pickle::Value model = root.at("model");
  CHECK(model.size() == 3);
  const TensorEntry wte = file.tensor(model.at("wte.weight"), "wte.weight");
  CHECK(wte.name == "wte.weight");
  CHECK(wte.dtype == model::Dtype::f32);
  CHECK(wte.shape == std::vector<Index>{5, 2});
  const std::vector<real> weights = values(wte);
  for (std::size_t i = 0; i < weights.size(); ++i)
    CHECK(weights[i] == (static_cast<real>(i) - 8) / 16);
  CHECK(file.tensor(model.at("lm_head.weight"), "").data.data() == wte.data.data());
  const TensorEntry norm = file.tensor(model.at("ln_f.weight"), "");
  CHECK(norm.shape == std::vector<Index>{2});
  CHECK(values(norm) == std::vector<real>{real(0.125), real(0.1875)});

  const TensorEntry loss = file.tensor(root.at("best_val_loss"), "");
  CHECK(loss.shape.empty());
  CHECK(values(loss) == std::vector<real>{1.5});

  const Pickle::Value state = root.at("optimizer").at("state");
  CHECK(state.size() == 2);
  CHECK(values(file.tensor(state.find(0)->at("step"), "")) == std::vector<real>{1});
  CHECK(file.tensor(state.find(1)->at("exp_avg_sq"), "").shape == std::vector<Index>{2});
  const Pickle::Value group = *root.at("optimizer").at("param_groups").elements().begin();
  CHECK(group.at("lr").number() == 1e-3);
  CHECK(group.at("params").size() == 2);
  CHECK(group.at("foreach").type() == Pickle::Type::none);

  CHECK(file.is_tensor(root.at("parameter")));
  CHECK(values(file.tensor(root.at("parameter"), "")) == values(norm));
  const TensorEntry part = file.tensor(root.at("part"), "");
  CHECK(values(part) == std::vector<real>(weights.begin() + 2, weights.begin() + 6));
  CHECK_FALSE(file.is_tensor(model));
  CHECK(file.tensor(root.at("integers"), "ids").dtype == model::Dtype::i64);
  CHECK_THROWS_WITH(file.tensor(root.at("transposed"), "t"),
                    "tensor \"t\" of shape (3, 2) has strides (1, 3), expected its elements one "
                    "after another: save tensor.contiguous()");
  CHECK_THROWS_WITH(file.tensor(root, "d"), "tensor \"d\": no tensor at byte 2 of data.pkl");
}

TEST_CASE("torch_file: truncations of PyTorch's file are refused, flipped bits harmless or found") {
  const std::string bytes = checkpoint();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO("cut to " << size << " of " << bytes.size() << " bytes");
    CHECK_THROWS_AS(TorchFile(std::string_view(bytes).substr(0, size)), engine::Error);
  }
  CHECK_THROWS_AS(TorchFile(bytes + "x"), engine::Error);

  const model::ZipFile zip(bytes);
  std::string in_entry(bytes.size(), ' ');
  for (const model::ZipEntry& entry : zip.entries())
    in_entry.replace(static_cast<std::size_t>(entry.data.data() - bytes.data()), entry.data.size(),
                     entry.data.size(), '*');
  std::size_t harmless = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    try {
      const TorchFile file(damaged);
    } catch (const engine::Error&) {
      continue;
    }
    ++harmless;  // and so in no entry, of which the file is made
    INFO("byte " << bit / 8 << ", bit " << bit % 8);
    CHECK(in_entry[bit / 8] == ' ');
    const model::ZipFile again(damaged);
    CHECK(std::ranges::equal(again.entries(), zip.entries(), [](auto& a, auto& b) {
      return a.name == b.name && a.data == b.data;
    }));
  }
  CHECK(harmless < 8 * bytes.size() / 2);
}

TEST_CASE("torch_file: 10,000 mutations of PyTorch's file are refused or read") {
  const std::string bytes = checkpoint();
  const model::ZipFile zip(bytes);
  engine::Generator random(1);
  const auto mutate = [&](std::string text) {
    for (engine::Index times = 1 + static_cast<Index>(random.random32() % 4); times > 0; --times) {
      const std::size_t at = random.random32() % text.size();
      switch (random.random32() % 4) {
        case 0: text[at] = static_cast<char>(random.random32()); break;
        case 1: text[at] = static_cast<char>(text[at] ^ 1 << random.random32() % 8); break;
        case 2: text.erase(at, random.random32() % 9); break;
        default:
          text.insert(at, text.substr(random.random32() % text.size(), random.random32() % 20));
      }
      if (text.empty()) text = "x";
    }
    return text;
  };
  int read = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (i % 4 == 0) {
      outcome(mutate(bytes));
      continue;
    }
    // Mutations of the pickle, behind a CRC-32 that is right.
    const std::string pickle = mutate(std::string(zip.find("torch_1_13/data.pkl")->data));
    model::ZipWriter writer;
    for (const model::ZipEntry& entry : zip.entries())
      writer.add(entry.name, entry.name.ends_with("data.pkl") ? pickle : entry.data);
    read += outcome(joined_pieces(writer.pieces())).starts_with("{");
  }
  CHECK(read > 100);
}

TEST_CASE("torch_file: what is written is read back; tied tensors share a storage") {
  const std::vector<float> weight = {1, -2.5f, 3, 0, 1e-30f, 6}, loss = {1.5f};
  const std::vector<double> moment = {0.1, -1e300};
  const auto write = [&] {
    TorchWriter out;
    out.begin_dict();
    out.text("model");
    out.begin_ordered_dict();
    const Index shape[] = {2, 3};
    out.text("transformer.wte.weight");
    out.tensor(shape, weight);
    out.text("lm_head.weight");
    out.tensor(shape, weight);
    out.end_dict();
    out.text("moment");
    out.tensor(std::vector<Index>{1, 2}, moment);
    out.text("nothing");
    out.tensor(std::vector<Index>{0, 7}, std::span<const float>());
    out.text("best_val_loss");
    out.tensor({}, loss);
    out.text("iter_num");
    out.integer(1000);
    out.end_dict();
    return joined_pieces(out.pieces("ckpt"));
  };
  const std::string bytes = write();
  CHECK(write() == bytes);
  const TorchFile file(bytes);
  const Pickle::Value model = file.root().at("model");
  const TensorEntry wte = file.tensor(model.at("transformer.wte.weight"), "");
  CHECK(wte.shape == std::vector<Index>{2, 3});
  CHECK(wte.data == std::string_view(reinterpret_cast<const char*>(weight.data()), 24));
  CHECK(file.tensor(model.at("lm_head.weight"), "").data.data() == wte.data.data());
  const TensorEntry second = file.tensor(file.root().at("moment"), "");
  CHECK(second.dtype == model::Dtype::f64);
  CHECK(second.shape == std::vector<Index>{1, 2});
  CHECK(second.data == std::string_view(reinterpret_cast<const char*>(moment.data()), 16));
  CHECK(file.tensor(file.root().at("nothing"), "").count() == 0);
  CHECK(file.tensor(file.root().at("best_val_loss"), "").shape.empty());
  CHECK(file.root().at("iter_num").integer() == 1000);

  const model::ZipFile zip(bytes);
  std::string names;
  for (const model::ZipEntry& entry : zip.entries()) names += entry.name + ' ';
  CHECK(names ==
        "ckpt/data.pkl ckpt/byteorder ckpt/data/0 ckpt/data/1 ckpt/data/2 ckpt/data/3 "
        "ckpt/version ");
  CHECK(zip.find("ckpt/version")->data == "3\n");

  TorchWriter wrong;
  CHECK_THROWS_WITH(wrong.tensor(std::vector<Index>{2, 2}, weight),
                    "tensor of shape (2, 2) has 6 values");
  TorchWriter unnamed;
  unnamed.none();
  CHECK_THROWS_WITH(unnamed.pieces("a/b"), "an archive named \"a/b\", expected a name without '/'");
  CHECK_THROWS_WITH(unnamed.pieces(""), "an archive named \"\", expected a name without '/'");
}

TEST_CASE("torch_file: parameters, strides of axes of size 1, empty tensors") {
  const auto accepted = [](auto change) { return error_after(change) == "accepted"; };
  CHECK(accepted([](Saved&) {}));
  CHECK(accepted([](Saved& s) { s.parameter = true; }));
  CHECK(accepted([](Saved& s) { s.byteorder = "little"; }));
  CHECK(accepted([](Saved& s) {
    s.shape = {1, 6, 1};
    s.strides = {-5, 1, 77};
  }));
  CHECK(accepted([](Saved& s) {
    s.shape = {3, 0, std::int64_t{1} << 62};
    s.strides = {1, 1, 1};
    s.offset = 6;
  }));
  CHECK(accepted([](Saved& s) {
    s.shape = {1};
    s.strides = {1};
    s.offset = 5;
  }));
}

TEST_CASE("torch_file: hostile numbers are refused") {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  const std::string storage = "tensor \"w\": storage \"0\" has 24 bytes, expected ";
  CHECK(error_after([](Saved& s) { s.elements = huge; }) ==
        storage + "4611686018427387904 elements of 4 bytes");
  CHECK(error_after([](Saved& s) { s.elements = -6; }) == storage + "-6 elements of 4 bytes");
  CHECK(error_after([](Saved& s) { s.elements = 5; }) == storage + "5 elements of 4 bytes");
  CHECK(error_after([](Saved& s) { s.storage = "DoubleStorage"; }) ==
        storage + "6 elements of 8 bytes");
  CHECK(error_after([](Saved& s) {
          s.storage = "DoubleStorage";
          s.values.pop_back();
          s.elements = 2;
        }) == "tensor \"w\": storage \"0\" has 20 bytes, expected 2 elements of 8 bytes");
  for (const std::int64_t offset : {std::int64_t{1}, std::int64_t{-1}, huge, -huge})
    CHECK(error_after([&](Saved& s) { s.offset = offset; }) ==
          engine::joined("tensor \"w\" of 6 elements begins at element ", offset,
                         " of a storage of 6"));
  CHECK(error_after([](Saved& s) {
          s.shape = {2, 4}, s.strides = {4, 1};
        }) == "tensor \"w\" of shape (2, 4) does not fit its storage of 6 elements");
  CHECK(error_after([](Saved& s) {
          s.shape = {huge, 4}, s.strides = {4, 1};
        }) ==
        "tensor \"w\" of shape (4611686018427387904, 4) does not fit its storage of 6 elements");
  CHECK(error_after([](Saved& s) {
          s.shape = {-2, 3};
        }) == "tensor \"w\" has shape (-2, 3), expected 0 or more");
  CHECK(error_after([](Saved& s) {
          s.shape = {0, -3};
        }) == "tensor \"w\" has shape (0, -3), expected 0 or more");
  CHECK(error_after([](Saved& s) { s.strides = {3}; }) ==
        "tensor \"w\" of shape (2, 3) has strides (3)");
  const std::string contiguous =
      ", expected its elements one after another: save "
      "tensor.contiguous()";
  CHECK(error_after([](Saved& s) {
          s.strides = {-3, 1};
        }) == "tensor \"w\" of shape (2, 3) has strides (-3, 1)" + contiguous);
  CHECK(error_after([](Saved& s) {
          s.strides = {0, 0};
        }) == "tensor \"w\" of shape (2, 3) has strides (0, 0)" + contiguous);
}

TEST_CASE("torch_file: calls that are not quite PyTorch's are refused") {
  CHECK_THAT(error_after([](Saved& s) { s.more_arguments = 1; }),
             Catch::StartsWith("tensor \"w\": 7 values at byte ") &&
                 Catch::EndsWith(" of data.pkl, expected 6"));
  CHECK_THAT(error_after([](Saved& s) { s.more_id = 1; }),
             Catch::StartsWith("tensor \"w\": 6 values at byte ") &&
                 Catch::EndsWith(" of data.pkl, expected 5"));
  CHECK_THAT(error_after([](Saved& s) { s.parameter = true, s.more_parameter = 1; }),
             Catch::StartsWith("tensor \"w\": 4 values at byte ") &&
                 Catch::EndsWith(" of data.pkl, expected 3"));
  CHECK(error_after([](Saved& s) { s.word = "module"; }) ==
        "tensor \"w\": torch.FloatStorage in \"module\", expected a storage");
  CHECK(error_after([](Saved& s) {
          s.module = "torch._utils";
          s.storage = "_rebuild_parameter";
        }) == "tensor \"w\": torch._utils._rebuild_parameter in \"storage\", expected a storage");
  CHECK_THAT(error_after([](Saved& s) { s.storage = "BFloat16Storage"; }),
             Catch::EndsWith(" elements of 2 bytes"));
  CHECK(error_after([](Saved& s) { s.storage = "UntypedStorage"; }) ==
        "data.pkl: byte 49: the pickle asks for torch.UntypedStorage, which is not on the list of "
        "what may be in this file");
  CHECK(error_after([](Saved& s) { s.key = "../../1"; }) ==
        "the archive has no entry \"x/data/../../1\"");
  CHECK(error_after([](Saved& s) { s.byteorder = "big"; }) ==
        "byteorder is \"big\", expected \"little\"");
}

TEST_CASE("torch_file: archives that are none of torch.save, and its old format") {
  const auto error_of = [](std::string_view bytes) {
    try {
      TorchFile file(bytes);
    } catch (const engine::Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using namespace std::string_literals;
  CHECK(error_of("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03."s) ==
        "is in the format before PyTorch 1.6: open it with torch.load and save it with torch.save "
        "of a newer PyTorch");
  const auto archive = [](const std::vector<std::string>& names) {
    model::ZipWriter zip;
    for (const std::string& name : names) zip.add(name, "\x80\2N.");
    return joined_pieces(zip.pieces());
  };
  CHECK(error_of(archive({"a/data.pkl"})) == "accepted");
  CHECK(error_of(archive({"a/data.pkl", "a/b/data.pkl", "data.pkl", "a/xdata.pkl"})) == "accepted");
  const std::string none = "is no file of torch.save: the archive has no data.pkl";
  CHECK(error_of(archive({})) == none);
  CHECK(error_of(archive({"data.pkl", "a/b/data.pkl", "a/data.pkl2"})) == none);
  CHECK(error_of(archive({"a/data.pkl", "b/data.pkl"})) ==
        "is no file of torch.save: it has both \"a/data.pkl\" and \"b/data.pkl\"");
  model::ZipWriter evil;
  const std::string pickle = "\x80\2cos\nsystem\n(X\2\0\0\0lstR."s;
  evil.add("a/data.pkl", pickle);
  CHECK(error_of(joined_pieces(evil.pieces())) ==
        "data.pkl: byte 2: the pickle asks for os.system, which is not on the list of what may be "
        "in this file");
}

TEST_CASE("torch_file: a tensor of many axes, or an entry with a long name, is refused unread") {
  const auto axes = [](std::size_t count) {
    return error_after([&](Saved& saved) {
      saved.shape.assign(count, 1);
      saved.strides.assign(count, 1);
    });
  };
  CHECK(axes(8) == "accepted");
  CHECK(axes(9) == "tensor \"w\" has 9 axes, expected 8 at most");
  CHECK(axes(4000) == "tensor \"w\" has 4000 axes, expected 8 at most");
  CHECK(error_after([](Saved& saved) { saved.strides.assign(3000, 1); }) ==
        "tensor \"w\" has 3000 axes, expected 8 at most");
  CHECK(error_after([](Saved& saved) { saved.name = std::string(60'000, 'x'); }) ==
        "is no file of torch.save: an entry has a name of 60009 bytes, expected 1000 at most");
}
