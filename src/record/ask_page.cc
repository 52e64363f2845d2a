// SPDX-License-Identifier: Apache-2.0
#include "record/ask_page.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "record/sealed_memory.h"

namespace tidegauge::record {

namespace {

// A whole answer, or nothing while it is being written. A listener that dies in the middle of it
// stays out of the list: what it wrote is no answer.
std::optional<tidegauge_listener> copy_of(tidegauge_ask_header* page, std::size_t index) {
  auto* const place = tidegauge_ask_listener(page, index);
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    tidegauge_listener copy;
    const auto before = __atomic_load_n(&place->seq, __ATOMIC_ACQUIRE);
    std::memcpy(&copy, place, sizeof copy);
    // Adding nothing reads it so that nothing that was read above can come after it.
    const auto after = __atomic_fetch_add(&place->seq, 0, __ATOMIC_ACQ_REL);
    if (before % 2 == 0 && after == before) return copy;
  }
  return {};
}

std::optional<Answer> answer_of(std::uint32_t state) {
  switch (state) {
    case TIDEGAUGE_LISTENS:
      return Answer::Listens;
    case TIDEGAUGE_SAVING:
      return Answer::Saving;
    case TIDEGAUGE_SAVED:
      return Answer::Saved;
    case TIDEGAUGE_NOT_SAVED:
      return Answer::NotSaved;
    default:
      return {};
  }
}

std::optional<Listener> listener_of(const tidegauge_listener& found) {
  const auto answer = answer_of(found.state);
  const auto pid = static_cast<pid_t>(found.pid);
  if (!answer || pid <= 0) return {};
  const auto length = std::min<std::size_t>(found.text_bytes, sizeof found.text);
  return Listener{.who = {pid, found.start_ticks},
                  .answer = *answer,
                  .answered = found.answered,
                  .step = found.step,
                  .bytes = found.bytes,
                  .error = found.error,
                  .text = std::string(found.text, ::strnlen(found.text, length))};
}

}  // namespace

Result<AskPage> AskPage::create() {
  auto memory = sealed_memory("tidegauge-ask", TIDEGAUGE_ASK_SIZE_BYTES);
  if (!memory) return memory.error();
  const tidegauge_ask_header header{.magic = tidegauge_ask_magic(),
                                    .version = TIDEGAUGE_ASK_VERSION,
                                    .header_bytes = TIDEGAUGE_ASK_HEADER_BYTES,
                                    .size_bytes = TIDEGAUGE_ASK_SIZE_BYTES,
                                    .listeners = TIDEGAUGE_ASK_LISTENERS,
                                    .listener_bytes = TIDEGAUGE_ASK_LISTENER_BYTES,
                                    .reserved = {},
                                    .request = 0};
  std::memcpy(memory->words.get(), &header, sizeof header);
  Page page(tidegauge_ask_map(memory->fd.get()));
  if (!page) return Error{Reason::Failed, "mapping the page for requests"};
  return AskPage(std::move(memory->fd), std::move(page));
}

Result<AskPage> AskPage::open(const std::string& path) {
  Page page(tidegauge_ask_open(path.c_str()));
  if (!page) return Error{Reason::Malformed, printable(path) + " is no page for requests"};
  return AskPage(UniqueFd(), std::move(page));
}

std::uint64_t AskPage::ask(tidegauge_want want) {
  return tidegauge_ask_for(page_.get(), want);
}

std::vector<Listener> AskPage::listeners() const {
  std::vector<Listener> all;
  for (std::size_t i = 0; i < TIDEGAUGE_ASK_LISTENERS; ++i) {
    const auto copy = copy_of(page_.get(), i);
    if (!copy) continue;
    if (auto listener = listener_of(*copy)) all.push_back(*std::move(listener));
  }
  return all;
}

}  // namespace tidegauge::record
