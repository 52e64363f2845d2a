// SPDX-License-Identifier: Apache-2.0
// The asking side of the page (record/ask.h, docs/asking.md): makes it, asks, and reads what became
// of it. Anybody who was given the page can write anything there: nothing found in it is believed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "record/ask.h"
#include "record/sample.h"

namespace tidegauge::record {

enum class Answer { Listens, Saving, Saved, NotSaved };

// What one process of the job says.
struct Listener {
  ProcessId who{};
  Answer answer = Answer::Listens;
  std::uint64_t answered = 0;  // the request that this is about, or the last one before it came
  std::int64_t step = -1;
  std::uint64_t bytes = 0;  // 0: not known
  int error = 0;
  std::string text{};  // where it was saved, or why not; any bytes
};

class AskPage {
 public:
  static Result<AskPage> create();
  // Malformed: `path` names no such page.
  static Result<AskPage> open(const std::string& path);

  int fd() const { return fd_.get(); }  // -1 of one that was opened
  // For those who may not allocate: record/ask.h has what can be done with it.
  tidegauge_ask_header* raw() const { return page_.get(); }
  // The number of the request.
  std::uint64_t ask(tidegauge_want want);
  // Those that were ever there, gone or not; one that is just writing is left out.
  std::vector<Listener> listeners() const;

 private:
  struct Close {
    void operator()(tidegauge_ask_header* page) const { tidegauge_ask_close(page); }
  };
  using Page = std::unique_ptr<tidegauge_ask_header, Close>;
  AskPage(UniqueFd fd, Page page) : fd_(std::move(fd)), page_(std::move(page)) {}

  UniqueFd fd_;
  Page page_;
};

}  // namespace tidegauge::record
