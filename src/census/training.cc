// SPDX-License-Identifier: Apache-2.0
#include "census/training.h"

#include <unordered_map>
#include <utility>

#include "census/frames.h"
#include "census/locate.h"
#include "census/reader_process.h"
#include "census/references.h"
#include "census/wire.h"

namespace tidegauge::census {

namespace {

constexpr std::size_t kLongestName = 1000;
constexpr int kMostFunctions = 2000;  // a look must not take long, whatever is in that memory

// transformers' Trainer has a state, which counts. Before train() has begun it has one, too,
// without a step to go.
constexpr std::string_view kTrainerFile = "transformers/trainer.py";
constexpr std::string_view kState = "state";
struct Count {
  std::string_view attribute;
  double Training::*into;
};
constexpr Count kCounts[] = {{"global_step", &Training::step},
                             {"max_steps", &Training::steps},
                             {"epoch", &Training::passes}};

// What its methods do; the trainer is their first variable.
struct Method {
  std::string_view function;
  const char* phase;  // empty: training
};
constexpr Method kMethods[] = {{"train", ""},
                               {"_inner_training_loop", ""},
                               {"evaluate", "eval"},
                               {"predict", "predict"},
                               {"_save_checkpoint", "save"}};

// The value of an int of at most two digits (60 bits), or of a float.
std::optional<double> number_at(const Memory& memory, const Layout& layout, TypeTable& types,
                                Address object) {
  const auto* const type = types.type_of(memory, object);
  if (type == nullptr) return {};
  if (type->name == "float") return memory.get<double>(object + layout.header());
  if (type->shape != Shape::Int) return {};
  const auto size = memory.get<std::int64_t>(in_object(layout, object, object::kSize));
  if (!size) return {};
  const auto digits = layout.int_tag ? *size >> 3 : *size;
  const bool negative = layout.int_tag && (*size & 3) == 2;
  if (digits < 0 || digits > 2 || negative) return {};  // no count
  constexpr Address kDigits = 24;
  constexpr double kBase = 1U << 30;
  double value = 0;
  for (auto i = digits; i-- > 0;) {
    const auto digit =
        memory.get<std::uint32_t>(in_object(layout, object, kDigits) + 4 * static_cast<Address>(i));
    if (!digit) return {};
    value = value * kBase + *digit;
  }
  return value;
}

// In the process without rights.
class TrainerSearch {
 public:
  TrainerSearch(const Memory& memory, const Interpreter& python)
      : memory_(memory), python_(python), types_(memory, python) {}

  std::optional<Training> read() {
    std::vector<Address> trainers;
    const char* phase = "";
    int looked_at = 0;
    for (const auto interp : python_.interpreters) {
      for_each_thread(memory_, layout(), interp, [&](Address thread) {
        for_each_running(memory_, layout(), types_, thread, [&](const RunningFunction& running) {
          if (++looked_at > kMostFunctions) return false;
          const auto* const method = method_of(running.code);
          if (method == nullptr) return true;
          // The outermost phase counts: an evaluation may save, a checkpoint may evaluate.
          if (*method->phase != '\0') phase = method->phase;
          trainers.push_back(self_of(running));
          return true;
        });
      });
    }
    for (const auto trainer : trainers) {
      auto training = count_of(trainer);
      if (!training) continue;
      training->phase = phase;
      return training;
    }
    return {};
  }

 private:
  Address self_of(const RunningFunction& running) const {
    constexpr Address kTag = 3;
    return memory_.pointer(running.locals) & ~kTag;
  }

  std::optional<Training> count_of(Address trainer) {
    Address state = 0;
    for_each_attribute(trainer, [&](const std::string& name, Address value) {
      if (name == kState) state = value;
    });
    Training training;
    for_each_attribute(state, [&](const std::string& name, Address value) {
      for (const auto& count : kCounts) {
        if (name != count.attribute) continue;
        if (const auto number = number_at(memory_, layout(), types_, value)) {
          training.*count.into = *number;
        }
      }
    });
    const bool under_way = training.steps > 0 && training.step <= training.steps;
    return under_way ? std::optional(training) : std::nullopt;
  }

  // Calls `call(name, value)`, wherever this version of CPython keeps an instance's attributes.
  template <class Call>
  void for_each_attribute(Address object, Call&& call) {
    if (object == 0) return;
    const auto* const type = types_.type_of(memory_, object);
    if (type == nullptr || type->shape != Shape::Plain) return;
    constexpr std::size_t kMostBody = 1024;  // with the values behind it
    std::vector<std::byte> body(kMostBody);
    if (!memory_.read(object, body)) return;
    const auto tell = [&](Address key_at, Address value) {
      call(read_text(memory_, layout(), memory_.pointer(key_at), kLongestName), value);
      return true;
    };
    const auto is_dict = [&](Address other) {
      return shape_of(memory_, types_, other) == Shape::Dict;
    };
    for_each_reference(ObjectView{object, type, body}, memory_, layout(), [&](const Reference& to) {
      if (to.kind == Reference::Kind::Attribute) {
        tell(to.detail, to.target);
      } else if (to.kind == Reference::Kind::Dict && is_dict(to.target)) {
        for_each_item(memory_, layout(), to.target, tell);
      }
    });
  }

  // The same functions run again and again: what a code object stands for is remembered.
  const Method* method_of(Address code) {
    constexpr std::size_t kMostRemembered = 4096;
    if (methods_.size() >= kMostRemembered) methods_.clear();
    const auto [place, is_new] = methods_.try_emplace(code, nullptr);
    if (!is_new) return place->second;
    const auto text = [&](std::uint64_t offset) {
      return read_text(memory_, layout(), memory_.pointer(code + offset), kLongestName);
    };
    const auto function = text(layout().code_name);
    for (const auto& method : kMethods) {
      if (function == method.function && text(layout().code_filename).ends_with(kTrainerFile)) {
        place->second = &method;
      }
    }
    return place->second;
  }

  const Layout& layout() const { return *python_.layout; }

  const Memory& memory_;
  const Interpreter& python_;
  TypeTable types_;
  std::unordered_map<Address, const Method*> methods_{};  // by code; null: none of them
};

void answer_questions(const Target& target, const ReaderLine& line) {
  const FileMemory memory(target.memory.get(), devices_in(target.regions));
  const auto python = locate(target, memory);
  if (!python) return line.say(Word::Failed, wire::to_bytes(python.error()));
  TrainerSearch search(memory, *python);
  line.say(Word::Ready);
  while (line.hear()) {
    const auto found = search.read();
    line.say(found ? Word::Training : Word::NoTraining,
             found ? wire::to_bytes(*found) : std::string());
  }
}

// One that does not answer is not asked again.
constexpr double kPatienceSeconds = 5;

class Reader final : public TrainingReader {
 public:
  explicit Reader(ReaderProcess process) : process_(std::move(process)) {}

  std::optional<Training> read() override {
    if (!answers_ || !process_.say(Word::Ask)) return {};
    const auto said = process_.hear(kPatienceSeconds);
    answers_ = said && (said->word == Word::Training || said->word == Word::NoTraining);
    if (!answers_ || said->word == Word::NoTraining) return {};
    return wire::training_in(said->text);
  }

 private:
  ReaderProcess process_;
  bool answers_ = true;
};

}  // namespace

std::unique_ptr<TrainingReader> TrainingReader::open(pid_t pid) {
  const auto target = open_target(pid);
  if (!target) return {};
  auto process = ReaderProcess::start(
      *target, [&](const ReaderLine& line) { answer_questions(*target, line); });
  if (!process) return {};
  const auto said = process->hear(kPatienceSeconds);
  if (!said || said->word != Word::Ready) return {};
  return std::make_unique<Reader>(*std::move(process));
}

}  // namespace tidegauge::census
