// Grades exercise 15, backward of an embedding, by differences of engine::embedding.
#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// How often token v is among the first `end` ids.
Index count(Targets ids, Index end, Index v) {
  Index n = 0;
  for (Index t = 0; t < end; ++t) n += ids[t] == v;
  return n;
}

// f(dweight(ids[t], c), dy(t, c), t) in the order of t
template <class F>
void for_each_token(Targets ids, Matrix dy, MutableMatrix dweight, F f) {
  for (Index t = 0; t < ids.size; ++t)
    for (Index c = 0; c < dy.cols; ++c) f(dweight(ids[t], c), dy(t, c), t);
}

const std::vector<Mistake<EmbeddingBackward>> embedding_mistakes = {
    {"a token that occurs again overwrites its row; it was used several times, so its rows of dy "
     "are "
     "summed",
     [](Targets ids, Matrix dy, MutableMatrix dweight) {
       for_each_token(ids, dy, dweight, [](real& sum, real d, Index) { sum = d; });
     }},
    {"only a token's first occurrence counts; each of them is a use",
     [](Targets ids, Matrix dy, MutableMatrix dweight) {
       for_each_token(ids, dy, dweight, [=](real& sum, real d, Index t) {
         if (count(ids, t, ids[t]) == 0) sum = d;
       });
     }},
    {"the rows of a token are averaged; the chain rule asks for their sum",
     [](Targets ids, Matrix dy, MutableMatrix dweight) {
       for_each_token(ids, dy, dweight, [=](real& sum, real d, Index t) {
         sum += d / static_cast<real>(count(ids, ids.size, ids[t]));
       });
     }},
    {"dy is read at row ids[t] and written at row t: y(t, c) is weight(ids[t], c), so dy(t, c) "
     "goes "
     "to dweight(ids[t], c)",
     [](Targets ids, Matrix dy, MutableMatrix dweight) {
       for (Index t = 0; t < ids.size; ++t)
         for (Index c = 0; c < dy.cols; ++c) dweight(t, c) += dy(ids[t], c);
     }},
    {"row t of dy is added to row t of dweight: the rows are those of tokens, not of places",
     [](Targets ids, Matrix dy, MutableMatrix dweight) {
       for (Index t = 0; t < ids.size; ++t)
         for (Index c = 0; c < dy.cols; ++c) dweight(t, c) += dy(t, c);
     }},
};

}  // namespace

Exercise embedding(EmbeddingBackward* yours) {
  Exercise exercise{"15_embedding", "by differences", {}, {}};
  gradient::Maker make(17);
  const auto trial = [&](const char* what, const std::vector<std::int32_t>& ids, Index V, Index C) {
    const Shape shape{std::ssize(ids)};
    const Tensor weight = make.uniform({V, C}), dy = make.uniform({shape[0], C}).detach();
    const gradient::Case c{what, {weight}, [=] { return engine::embedding(weight, ids, shape); }};
    add_trial(exercise, yours, embedding_mistakes, what, by_differences(c, dy, {"dweight"}),
              [=](EmbeddingBackward* f) {
                const Results out = {{"dweight", Tensor::zeros(weight.shape())}};
                f({"ids", ids.data(), std::ssize(ids)}, matrix("dy", dy), mutable_matrix(out[0]));
                return out;
              });
  };
  trial("ids 2 0 2 1 2 of 4 tokens, 3 channels", {2, 0, 2, 1, 2}, 4, 3);
  trial("ids 1 1 of 5 tokens, 2 channels", {1, 1}, 5, 2);
  trial("ids 3 of 4 tokens, 2 channels", {3}, 4, 2);
  return exercise;
}

int grade_embedding(EmbeddingBackward* yours) { return report(embedding(yours)); }

}  // namespace exercises
