#include "train/run/kept_model.h"

#include <string_view>

#include "model/base/files.h"
#include "model/base/setting.h"
#include "model/model_file.h"
#include "train/loop/evaluation.h"

namespace train {
namespace {

constexpr std::string_view loss_key = "measured_val_loss", tokens_key = "measured_val_tokens";

}  // namespace

bool estimates_loss(const Plan& plan, const Corpus& corpus) {
  return plan.eval_iters > 0 ||
         (plan.eval_tokens > 0 && plan.eval_tokens < corpus.size(Split::validation));
}

KeptLoss measure_kept_model(const RunFiles& files, const Plan& plan, const Corpus& corpus) {
  const model::FileBytes bytes = model::read_large_file(files.model, model::max_file_size());
  const model::SafetensorsFile file(view(bytes));
  const WindowLoss measured =
      window_loss(model::load_model(file).gpt, corpus, Split::validation, plan.batch_size,
                  engine::ceil_div(most_measured_tokens, plan.block_size));
  model::SafetensorsWriter writer;
  for (const auto& [key, value] : file.metadata())
    if (key != loss_key && key != tokens_key) writer.add_metadata(key, value);
  writer.add_metadata(loss_key, model::value_text(measured.loss));
  writer.add_metadata(tokens_key, model::value_text(measured.tokens));
  for (const model::TensorEntry& tensor : file.tensors())
    writer.add(tensor.name, tensor.shape, tensor.dtype, tensor.data);
  model::replace_file(files.model, writer.pieces());
  return {measured.loss, measured.tokens};
}

std::optional<KeptLoss> kept_loss(const model::Metadata& metadata) {
  if (metadata.contains(loss_key))
    return KeptLoss{model::metadata_value<double>(metadata, loss_key),
                    model::metadata_value<Index>(metadata, tokens_key)};
  if (metadata.contains("val_loss"))
    return KeptLoss{model::metadata_value<double>(metadata, "val_loss")};
  return {};
}

}  // namespace train
