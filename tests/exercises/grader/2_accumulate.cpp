// Grades exercise 2, the sum of gradients in a slot: contributions come to slots in some order;
// then the slots hold their sums, and the contributions are as they were.
#include <memory>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

void add_to(const Memory& sum, const Memory& contribution) {
  for (std::size_t j = 0; j < contribution->size(); ++j) (*sum)[j] += (*contribution)[j];
}

const std::vector<Mistake<Accumulate>> accumulate_mistakes = {
    {"every contribution overwrites: of a value that is used twice one path is lost; is written "
     "set to true?",
     [](SharedSlot& slot, const Memory& contribution) { *slot.values = *contribution; }},
    {"only the first contribution is kept: a value that is used twice has a term for each use",
     [](SharedSlot& slot, const Memory& contribution) {
       if (!slot.written) *slot.values = *contribution;
       slot.written = true;
     }},
    {"the first contribution is added too: what the memory held before the step is in the sum",
     [](SharedSlot& slot, const Memory& contribution) { add_to(slot.values, contribution); }},
    {"the first contribution counts twice: it is copied, then added to the copy",
     [](SharedSlot& slot, const Memory& contribution) {
       if (!slot.written) *slot.values = *contribution;
       slot.written = true;
       add_to(slot.values, contribution);
     }},
    {"the sum is made in a contribution's memory, which other slots may hold too: their gradients "
     "change with it",
     [](SharedSlot& slot, const Memory& contribution) {
       if (slot.written) return add_to(slot.values, contribution);
       slot.values = contribution;
       slot.written = true;
     }},
};

struct Write {
  std::size_t slot;
  Index contribution;
};

// Slots a, b, ... after the writes; and the rows of contributions, which must not have changed.
Results run(Accumulate* f, const Tensor& contributions, const std::vector<Write>& writes) {
  std::vector<Memory> given;
  for (Index i = 0; i < contributions.shape().rows(); ++i) {
    const Tensor row = contributions[i];
    given.push_back(std::make_shared<std::vector<real>>(row.values().begin(), row.values().end()));
  }
  std::vector<SharedSlot> slots(2);
  for (SharedSlot& slot : slots)  // with numbers of an earlier step
    slot.values = std::make_shared<std::vector<real>>(given[0]->size(), real(7));
  for (const auto& [slot, contribution] : writes)
    f(slots[slot], given[engine::unsigned_size(contribution)]);

  const auto tensor = [n = contributions.shape().cols()](const Memory& x) {
    engine::check(x != nullptr && std::ssize(*x) == n,
                  "a slot or a contribution has another size than before");
    return Tensor::of({n}, std::span(*x));
  };
  std::vector<Tensor> after;
  for (const Memory& x : given) after.push_back(tensor(x));
  return {{"da", tensor(slots[0].values)},
          {"db", tensor(slots[1].values)},
          {"contributions", engine::concat(after, 0).reshape(contributions.shape())}};
}

}  // namespace

Exercise accumulate(Accumulate* yours) {
  Exercise exercise{"2_accumulate", "expected", {}, {}};
  gradient::Maker make(10);
  const auto trial = [&](const char* what, const Shape& shape, const std::vector<Write>& writes) {
    const Tensor contributions = make.uniform(shape).detach();
    std::vector<Tensor> sums(2, Tensor::zeros({shape.cols()}));
    for (const auto& [slot, contribution] : writes)
      sums[slot] = sums[slot] + contributions[contribution];
    add_trial(exercise, yours, accumulate_mistakes, what,
              {{"da", sums[0]}, {"db", sums[1]}, {"contributions", contributions}},
              [=](Accumulate* f) { return run(f, contributions, writes); });
  };
  constexpr std::size_t a = 0, b = 1;
  trial("dy to a and to b, then another contribution to a", {2, 3}, {{a, 0}, {b, 0}, {a, 1}});
  trial("three contributions to a, the first of them to b as well", {3, 4},
        {{a, 0}, {a, 1}, {b, 0}, {a, 2}});
  trial("numbers: one to a; the other to b, twice", {2, 1}, {{a, 0}, {b, 1}, {b, 1}});
  return exercise;
}

int grade_accumulate(Accumulate* yours) { return report(accumulate(yours)); }

}  // namespace exercises
