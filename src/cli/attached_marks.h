// SPDX-License-Identifier: Apache-2.0
// Marks of a job that runs already: the hooks are put into its Python, on request.
#pragma once

#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"
#include "cli/job_marks.h"

namespace tidegauge::cli {

class AttachedMarks {
 public:
  static Result<AttachedMarks> make();

  // CPython 3.14 and later (PEP 768). Nothing is written anywhere but into the process: code and
  // library are files of ours that it opens, so that it may live in another root.
  Result<> attach_to(pid_t pid);
  JobMarks& marks() { return marks_; }

 private:
  AttachedMarks(JobMarks marks, UniqueFd library)
      : marks_(std::move(marks)), library_(std::move(library)) {}

  JobMarks marks_;
  UniqueFd library_;
};

}  // namespace tidegauge::cli
