# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced, from the project's root, by what calls node or npm. Where the machine has none, PyPI's does: it is
# there in seconds, while Debian's npm is 355 packages and a minute.

# Any node of 18 or later that brings npm.
good_node() {
  command -v npm >/dev/null && node -e 'process.exit(process.versions.node.split(".")[0] < 18 ? 1 : 0)' 2>/dev/null
}

with_node() {
  local python
  good_node || { python=$(tools/venv node) && PATH=$(dirname "$python"):$PATH; }
}
