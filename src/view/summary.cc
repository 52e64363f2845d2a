// SPDX-License-Identifier: Apache-2.0
#include "view/summary.h"

#include <utility>
#include <variant>

#include "view/accounts.h"
#include "view/summary_text.h"

namespace tidegauge::view {

namespace {

constexpr std::uint64_t kMostPassed = 32;

}  // namespace

struct Summary::State {
  Accounts accounts{};
  record::LedgerKeeper ledgers{};  // where nobody brings one
  std::uint64_t passed = 0;        // samples that found all as it was, not yet in all accounts

  const Accounts& settled() {
    if (passed > 0) accounts.repeat(std::exchange(passed, 0));
    return accounts;
  }
};

Summary::Summary() : state_(std::make_unique<State>()) {}
Summary::Summary(Summary&&) noexcept = default;
Summary& Summary::operator=(Summary&&) noexcept = default;
Summary::~Summary() = default;

void Summary::begin(const record::Header& header) {
  state_->accounts.begin(header);
}

void Summary::add(const record::Entry& entry) {
  state_->ledgers.add(entry);
  add(entry, state_->ledgers);
}

void Summary::add(const record::Entry& entry, const record::LedgerKeeper& ledgers) {
  auto& state = *state_;
  const auto* sample = std::get_if<record::Sample>(&entry);
  if (sample && ledgers.as_before() && state.accounts.samples > 0) {
    state.accounts.pass(*sample);
    if (++state.passed == kMostPassed) state.settled();
    return;
  }
  state.settled();
  state.accounts.add(entry, ledgers);
}

std::string Summary::text(const verdict::Verdicts& verdicts, const Paint& paint) const {
  return summary_text(state_->settled(), verdicts, paint);
}

std::string Summary::markdown(const verdict::Verdicts& verdicts, const std::string& recording,
                              const std::string& picture) const {
  return summary_markdown(state_->settled(), verdicts, recording, picture);
}

std::string Summary::json() const {
  return summary_json(state_->settled());
}

const Accounts& Summary::accounts() const {
  return state_->settled();
}

}  // namespace tidegauge::view
