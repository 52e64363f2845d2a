// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/train/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verdict/features.h"
#include "verdict/model.h"

namespace tidegauge::bench {

namespace {

constexpr std::size_t kPerLine = 12;

std::int16_t rounded(double value) {
  return static_cast<std::int16_t>(
      std::clamp(std::lround(value * verdict::kValueUnit), -32767L, 32767L));
}

// The forest in the table's own numbers.
struct Arrays {
  double base = 0;
  std::vector<float> edges{};
  std::vector<std::uint16_t> edge_begins{};
  std::vector<verdict::Split> splits{};
  std::vector<std::int16_t> split_values{};
  std::vector<std::int16_t> leaf_values{};
  std::vector<verdict::TreeBegin> trees{};

  verdict::Table table() const {
    return {base, edges, edge_begins, splits, split_values, leaf_values, trees};
  }
};

// Splits and leaves of a tree are numbered each for themselves; a leaf's number has a bit set.
std::vector<std::uint8_t> numbered(const std::vector<TreeNode>& tree) {
  std::vector<std::uint8_t> out;
  int splits = 0;
  int leaves = 0;
  for (const auto& node : tree) {
    out.push_back(
        static_cast<std::uint8_t>(node.feature >= 0 ? splits++ : verdict::kLeafBit | leaves++));
  }
  return out;
}

void add_tree(const std::vector<TreeNode>& tree, Arrays& out) {
  const auto code = numbered(tree);
  out.trees.push_back({static_cast<std::uint16_t>(out.splits.size()),
                       static_cast<std::uint16_t>(out.leaf_values.size())});
  for (const auto& node : tree) {
    if (node.feature < 0) {
      out.leaf_values.push_back(rounded(node.value));
      continue;
    }
    out.splits.push_back(
        {static_cast<std::uint8_t>(node.feature), static_cast<std::uint8_t>(node.edge),
         code[static_cast<std::size_t>(node.below)], code[static_cast<std::size_t>(node.above)]});
    out.split_values.push_back(rounded(node.value));
  }
}

Arrays arrays_of(const Forest& forest) {
  Arrays out{.base = forest.base};
  for (const auto& list : forest.edges) {
    out.edge_begins.push_back(static_cast<std::uint16_t>(out.edges.size()));
    out.edges.insert(out.edges.end(), list.begin(), list.end());
  }
  out.edge_begins.push_back(static_cast<std::uint16_t>(out.edges.size()));
  for (const auto& tree : forest.trees) {
    if (tree.size() > 1) {
      add_tree(tree, out);
    } else {  // no question was worth asking
      out.base += tree.front().value;
    }
  }
  return out;
}

std::string text_of(float value) {
  return fmt::format("{:a}F", value);
}
std::string text_of(const verdict::Split& split) {
  return fmt::format("{{{}, {}, {}, {}}}", split.feature, split.edge, split.below, split.above);
}
std::string text_of(const verdict::TreeBegin& begin) {
  return fmt::format("{{{}, {}}}", begin.split, begin.leaf);
}
std::string text_of(int value) {
  return fmt::format("{}", value);
}

template <class Value>
std::string array_of(const char* type, const char* name, const std::vector<Value>& values) {
  std::string out = fmt::format("const {} {}[] = {{", type, name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += i % kPerLine == 0 ? "\n    " : " ";
    out += text_of(values[i]) + ",";
  }
  return out + "\n};\n";
}

}  // namespace

std::string to_source(const Forest& forest, const std::string& how) {
  const Arrays arrays = arrays_of(forest);
  return fmt::format(
             "// SPDX-License-Identifier: Apache-2.0\n// Generated: do not edit. Made by\n//   {}\n"
             "// clang-format off\n#include \"verdict/model.h\"\n\n"
             "namespace tidegauge::verdict {{\n\nnamespace {{\n\n",
             how) +
         array_of("float", "kEdges", arrays.edges) +
         array_of("std::uint16_t", "kEdgeBegins", arrays.edge_begins) +
         array_of("Split", "kSplits", arrays.splits) +
         array_of("std::int16_t", "kSplitValues", arrays.split_values) +
         array_of("std::int16_t", "kLeafValues", arrays.leaf_values) +
         array_of("TreeBegin", "kTrees", arrays.trees) +
         fmt::format(
             "\n}}  // namespace\n\nconst Table& learned_table() {{\n"
             "  static const Table table{{{:a}, kEdges, kEdgeBegins, kSplits, kSplitValues,\n"
             "                           kLeafValues, kTrees}};\n  return table;\n}}\n\n"
             "std::uint64_t learned_checksum() {{\n  return {:#x};\n}}\n\n"
             "}}  // namespace tidegauge::verdict\n",
             arrays.base, verdict::checksum(arrays.table()));
}

}  // namespace tidegauge::bench
