// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tidegauge {

// Why something failed, in terms a caller can act on.
enum class Reason {
  Gone,         // the process or file vanished or was never there: skip it, or say so
  Denied,       // not permitted: say so once, carry on without it
  Malformed,    // the bytes are not in the documented form
  Unsupported,  // this kernel, libc or interpreter does not offer it
  Failed,       // anything else the system said no to
  NoRoom,       // the disk is full, or somebody's share of it: go on without, try again
};

struct Error {
  Reason reason = Reason::Failed;
  std::string what;  // "812/smaps: permission denied"
};

// ENOENT and ESRCH are Gone, EACCES and EPERM Denied, ENOSYS and EOPNOTSUPP Unsupported, ENOSPC and
// EDQUOT NoRoom, the rest Failed.
Error from_errno(int err, std::string_view subject);

struct Ok {};

// A value or the reason there is none. The subset of std::expected that we use, under the names it
// has there, until the compiler we build with has it.
template <class T = Ok>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace tidegauge
