// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cerrno>
#include <cstring>

namespace tidegauge {

namespace {

Reason reason_of(int err) {
  switch (err) {
    case ENOENT:
    case ESRCH:
      return Reason::Gone;
    case EACCES:
    case EPERM:
      return Reason::Denied;
    case ENOSYS:
    case EOPNOTSUPP:
      return Reason::Unsupported;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Reason::NoRoom;
    default:
      return Reason::Failed;
  }
}

// The limits that somebody can raise, by the name under which a shell does.
std::string_view limit_behind(int err) {
  switch (err) {
    case EMFILE:
      return " (ulimit -n)";
    case EFBIG:
      return " (ulimit -f)";
    default:
      return {};
  }
}

}  // namespace

Error from_errno(int err, std::string_view subject) {
  char text[128] = "";
  return {reason_of(err), std::string(subject)
                              .append(": ")
                              .append(::strerror_r(err, text, sizeof text))
                              .append(limit_behind(err))};
}

}  // namespace tidegauge
