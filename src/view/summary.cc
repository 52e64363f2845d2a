// SPDX-License-Identifier: Apache-2.0
#include "view/summary.h"

#include "view/accounts.h"
#include "view/summary_text.h"

namespace tidegauge::view {

struct Summary::State {
  Accounts accounts{};
  record::LedgerKeeper ledgers{};  // where nobody brings one
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
  state_->accounts.add(entry, ledgers);
}

std::string Summary::text(const verdict::Verdicts& verdicts, const Paint& paint) const {
  return summary_text(state_->accounts, verdicts, paint);
}

std::string Summary::markdown(const verdict::Verdicts& verdicts, const std::string& recording,
                              const std::string& picture) const {
  return summary_markdown(state_->accounts, verdicts, recording, picture);
}

std::string Summary::json() const {
  return summary_json(state_->accounts);
}

const Accounts& Summary::accounts() const {
  return state_->accounts;
}

}  // namespace tidegauge::view
