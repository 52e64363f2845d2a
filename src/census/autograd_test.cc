// SPDX-License-Identifier: Apache-2.0
#include "census/autograd.h"

#include <gtest/gtest.h>

#include "census/fake_memory.h"

namespace tidegauge::census {
namespace {

constexpr Address kLibrary = kFakeStart + 0x80000;

// A process in which a tensor has a graph, as one of two generations of torch lays it out.
class FakeTorch {
 public:
  explicit FakeTorch(Address stride) : stride_(stride) {}

  void put(Address at, std::uint64_t word) {
    std::memcpy(bytes_.data() + (at - kFakeStart), &word, sizeof word);
  }
  Address room(Address size) {
    put(next_ + 8, size + 16 + 1);  // as malloc keeps it
    const auto at = next_ + 16;
    next_ += size + 16;
    return at;
  }
  Address node(std::uint64_t height, const std::vector<Address>& leads_to) {
    const auto at = room(304);
    put(at, kLibrary + 64);
    put(at + (stride_ == 24 ? 32 : 24), height);
    if (leads_to.empty()) return at;
    const auto edges = room((leads_to.size() * stride_ + 15) / 16 * 16);
    for (std::size_t i = 0; i < leads_to.size(); ++i) put(edges + i * stride_, leads_to[i]);
    put(at + kEdges, edges);
    put(at + kEdges + 8, edges + leads_to.size() * stride_);
    put(at + kEdges + 16, edges + leads_to.size() * stride_);
    return at;
  }
  Address tensor(Address grad_fn) {
    const auto at = room(208);
    const auto meta = room(160);
    put(at, kLibrary + 128);
    put(at + 24, meta);
    put(meta, kLibrary + 256);
    put(meta + 48, grad_fn);
    return at;
  }
  FakeMemory memory() const { return {kFakeStart, bytes_}; }

  static constexpr Address kEdges = 88;

 private:
  Address stride_;
  Address next_ = kFakeStart + 0x100;
  std::vector<std::byte> bytes_ = std::vector<std::byte>(1 << 20);
};

class AutogradOf : public testing::TestWithParam<Address> {
 protected:
  FakeTorch torch_{GetParam()};
  const StretchMap libraries_{{{kLibrary, kLibrary + 0x1000}}};
};

std::vector<Address> next_of(const Autograd& autograd, Address node) {
  std::vector<Address> all;
  autograd.for_each_next(node, [&](Address next) { all.push_back(next); });
  return all;
}

TEST_P(AutogradOf, GraphsAreFollowedOnceTheyHaveProvedThemselves) {
  const auto leaf = torch_.node(0, {});
  const auto middle = torch_.node(1, {leaf, 0});
  const auto last = torch_.node(2, {middle, leaf});
  const auto saved = torch_.tensor(0);
  torch_.put(middle + 200, saved);
  const auto array = torch_.room(32);
  torch_.put(array + 16, saved);
  torch_.put(last + 160, array);
  torch_.put(last + 168, array + 32);
  torch_.put(last + 176, array + 32);
  const auto total = torch_.tensor(last);
  const auto memory = torch_.memory();
  Autograd autograd(memory, libraries_);
  EXPECT_EQ(autograd.of_tensor(total).grad_fn, 0U);  // nothing is known yet
  autograd.learn({.kind = Native::Kind::Tensor, .behind = total, .back = 56});
  autograd.learn_graph(saved);
  autograd.learn_graph(total);
  EXPECT_EQ(autograd.of_tensor(total).grad_fn, last);
  EXPECT_TRUE(autograd.of_tensor(total).requires_grad);
  EXPECT_FALSE(autograd.of_tensor(saved).requires_grad);
  EXPECT_EQ(next_of(autograd, last), (std::vector<Address>{middle, leaf}));
  EXPECT_EQ(next_of(autograd, middle), std::vector<Address>{leaf});
  EXPECT_TRUE(next_of(autograd, leaf).empty());
  EXPECT_EQ(autograd.node_bytes(last), 312U);
  for (const auto node : {middle, last}) {  // in the node, and in an array of its
    std::vector<Address> tensors;
    const auto own = autograd.own_fields();
    autograd.for_each_saved(node + own, autograd.node_bytes(node) - own,
                            [&](Address impl) { tensors.push_back(impl); });
    EXPECT_EQ(tensors, std::vector<Address>{saved});
  }
}

TEST_P(AutogradOf, NeighboursOfWhichOneLiesBehindTheOtherAreNoArray) {
  const auto leaf = torch_.node(0, {});
  const auto node = torch_.node(1, {leaf});
  const auto hook = torch_.room(64);
  const auto others = torch_.room(64);  // what somebody else keeps lies between
  const auto counter = torch_.room(64);
  const auto total = torch_.tensor(node);
  torch_.put(others, total);
  torch_.put(node + 160, hook);
  torch_.put(node + 168, counter);
  torch_.put(node + 176, counter + 32);
  const auto memory = torch_.memory();
  Autograd autograd(memory, libraries_);
  autograd.learn({.kind = Native::Kind::Tensor, .behind = total, .back = 56});
  autograd.learn_graph(total);
  ASSERT_EQ(autograd.of_tensor(total).grad_fn, node);
  const auto own = autograd.own_fields();
  autograd.for_each_saved(node + own, autograd.node_bytes(node) - own,
                          [&](Address impl) { ADD_FAILURE() << impl << " is another's"; });
}

TEST_P(AutogradOf, WhatDoesNotProveItselfIsNoGraph) {
  const auto leaf = torch_.node(3, {});  // no nearer to the leaves than what leads to it
  const auto last = torch_.node(3, {leaf});
  const auto no_node = torch_.room(304);
  const auto other = torch_.node(2, {no_node});
  const auto first = torch_.tensor(last);
  const auto second = torch_.tensor(other);
  const auto memory = torch_.memory();
  Autograd autograd(memory, libraries_);
  autograd.learn({.kind = Native::Kind::Tensor, .behind = first, .back = 56});
  for (const auto tensor : {first, second}) {
    autograd.learn_graph(tensor);
    EXPECT_EQ(autograd.of_tensor(tensor).grad_fn, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, AutogradOf, testing::Values(16, 24));

}  // namespace
}  // namespace tidegauge::census
