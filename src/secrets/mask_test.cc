// SPDX-License-Identifier: Apache-2.0
#include "secrets/mask.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>

#include "secrets/names.h"

namespace tidegauge::secrets {
namespace {

struct Case {
  std::vector<std::string> arguments;
  std::string shown;
};

void expect_all(const std::vector<Case>& cases) {
  for (const auto& [arguments, shown] : cases) EXPECT_EQ(masked_command(arguments), shown);
}

// Made up, in the shape that each maker uses. Put together here so that no scanner of repositories
// takes them for real ones.
std::string made(const std::string& prefix, std::size_t length) {
  static const std::string kBody = "Q7Z5M3X9T2B8K4V6N1W0R5J7H3D9F2G8";
  std::string token = prefix;
  for (std::size_t i = 0; i < length; ++i) token += kBody[i % kBody.size()];
  return token;
}

TEST(MaskedCommand, HidesTheValuesOfSecretOptions) {
  expect_all({
      {{"a", "--password", "x y z"}, "a --password ***"},
      {{"a", "--password=x y z"}, "a --password=***"},
      {{"a", "--password=\"x y\" z"}, "a --password=***"},
      {{"a", "--db-password", "hunter2", "-v"}, "a --db-password *** -v"},
      {{"a", "--token=abc"}, "a --token=***"},
      {{"a", "--hf_token", "abc", "--lr", "3e-4"}, "a --hf_token *** --lr 3e-4"},
      {{"a", "--apiKey", "abc"}, "a --apiKey ***"},
      {{"a", "--api-key=abc"}, "a --api-key=***"},
      {{"a", "api_key=abc"}, "a api_key=***"},
      {{"a", "+wandb.api_key=abc", "lr=0.1"}, "a +wandb.api_key=*** lr=0.1"},
      {{"env", "SECRET=abc def", "a"}, "env SECRET=*** a"},
      {{"env", "HF_TOKEN=abc", "MYSQL_PWD=q", "python", "t.py"},
       "env HF_TOKEN=*** MYSQL_PWD=*** python t.py"},
      {{"a", "--secret-id", "abc123def456"}, "a --secret-id ***"},
      {{"a", "--client-secret=-abc"}, "a --client-secret=***"},
      {{"a", "--private-key", "MIIEvQIBADANB"}, "a --private-key ***"},
      {{"a", "--basic-auth", "joe:abc"}, "a --basic-auth joe:***"},
      {{"vault", "login", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"}, "vault login ***"},
      {{"wandb", "login", "--relogin", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"},
       "wandb login --relogin ***"},
  });
}

TEST(MaskedCommand, HidesAKeyOfAnyNameWhereItLooksLikeOne) {
  const std::string hex = "0123456789abcdef0123456789abcdef01234567";
  const std::string uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
  expect_all({
      {{"a", "--wandb-key", hex, "--lr", "1"}, "a --wandb-key *** --lr 1"},
      {{"a", "--wandb-key=" + hex}, "a --wandb-key=***"},
      {{"a", "tracker.key=" + hex}, "a tracker.key=***"},
      {{"a", "--ingest_key", uuid}, "a --ingest_key ***"},
      {{"a", "--sort-key", "name"}, "a --sort-key name"},
      {{"a", "--group-key", "resnet50-imagenet-2024-run7"},
       "a --group-key resnet50-imagenet-2024-run7"},
      {{"a", "--host-key", "/etc/keys/" + hex}, "a --host-key /etc/keys/" + hex},
      {{"a", "--by-key", "--out", "runs0123456789abcdef0123456789"},
       "a --by-key --out runs0123456789abcdef0123456789"},
  });
}

TEST(MaskedCommand, KnowsVariablesWhoseNamesAreOneWord) {
  expect_all({
      {{"env", "PGPASSWORD=abc", "psql", "-h", "db"}, "env PGPASSWORD=*** psql -h db"},
      {{"env", "REDISCLI_AUTH=abc", "redis-cli"}, "env REDISCLI_AUTH=*** redis-cli"},
      {{"env", "SSHPASS=abc", "sshpass", "-e", "ssh", "h"}, "env SSHPASS=*** sshpass -e ssh h"},
      {{"sh", "-c", "PGPASSWORD=abc psql -h db"}, "sh -c PGPASSWORD=*** psql -h db"},
      {{"env", "PGPASSFILE=/home/joe/.pgpass", "psql"}, "env PGPASSFILE=/home/joe/.pgpass psql"},
  });
}

TEST(MaskedCommand, HidesTheKeyOfAServiceWhateverItLooksLike) {
  expect_all({
      {{"a", "--wandb-key", "abc", "--lr", "1"}, "a --wandb-key *** --lr 1"},
      {{"a", "--wandb_key=abc"}, "a --wandb_key=***"},
      {{"env", "WANDB_KEY=abc", "a"}, "env WANDB_KEY=*** a"},
      {{"a", "--comet-key", "~/.comet"}, "a --comet-key ~/.comet"},
  });
}

TEST(MaskedCommand, HidesABareKeyUnlessItIsAName) {
  expect_all({
      {{"a", "--key", "abc123def456"}, "a --key ***"},
      {{"a", "--key=abc123def456", "--lr", "1"}, "a --key=*** --lr 1"},
      {{"a", "https://h/x?key=abc123def456&page=2"}, "a https://h/x?key=***&page=2"},
      {{"a", "--key", "resnet50-imagenet-2024"}, "a --key resnet50-imagenet-2024"},
      {{"a", "--key=tls/0123456789abcdef.pem"}, "a --key=tls/0123456789abcdef.pem"},
      {{"a", "--key-column", "abc123def456"}, "a --key-column abc123def456"},
      {{"a", "--sort-key", "abc123def456"}, "a --sort-key abc123def456"},
  });
}

TEST(MaskedCommand, HidesWhatProvesWhoOneIsAndNotHow) {
  expect_all({
      {{"a", "--auth", "abc", "-v"}, "a --auth *** -v"},
      {{"a", "--auth=abc"}, "a --auth=***"},
      {{"a", "--auth=-abc"}, "a --auth=***"},
      {{"a", "--auth", "joe:ab://c"}, "a --auth joe:***"},
      {{"a", "--auth", "joe:abc"}, "a --auth joe:***"},
      {{"a", "{\"auth\": \"am9lOng\", \"lr\": 1}"}, "a {\"auth\": \"***\", \"lr\": 1}"},
      {{"a", "{\"auth\": {\"user\": \"joe\"}}"}, "a {\"auth\": {\"user\": \"joe\"}}"},
      {{"initdb", "--auth=scram-sha-256"}, "initdb --auth=scram-sha-256"},
      {{"a", "--auth", "Basic", "--auth-type", "x"}, "a --auth Basic --auth-type x"},
      {{"a", "--auth", "~/.netrc"}, "a --auth ~/.netrc"},
      {{"a", "--auth", "https://h:8443/login"}, "a --auth https://h:8443/login"},
      {{"mongod", "--auth", "--port", "27017"}, "mongod --auth --port 27017"},
      {{"a", "--no-auth", "model.bin"}, "a --no-auth model.bin"},
      {{"gh", "auth", "status"}, "gh auth status"},
  });
}

TEST(MaskedCommand, HidesThePasswordAfterAUserOfAnyProgram) {
  expect_all({
      {{"wrk", "-u", "joe:hunter2", "h"}, "wrk -u joe:*** h"},
      {{"sh", "-c", "a -u 'joe@h.org:hunter2' h"}, "sh -c a -u 'joe@h.org:***' h"},
      {{"curl", "-u", "joe:1234", "h"}, "curl -u joe:*** h"},
      {{"curl", "-u", made("sk_live_", 24) + ":", "h"}, "curl -u *** h"},
      {{"docker", "run", "-u", "1000:1000", "x"}, "docker run -u 1000:1000 x"},
      {{"a", "-u", "localhost:8080"}, "a -u localhost:8080"},
      {{"a", "-u", "localhost:8080/metrics"}, "a -u localhost:8080/metrics"},
      {{"a", "-u", "http://h:8080/x"}, "a -u http://h:8080/x"},
      {{"rsync", "-u", "h:/data/x", "."}, "rsync -u h:/data/x ."},
      {{"date", "-u", "+%H:%M"}, "date -u +%H:%M"},
      {{"python", "-u", "-m", "a:b"}, "python -u -m a:b"},
      {{"python", "-u", "train.py", "a:b"}, "python -u train.py a:b"},
      {{"mysql", "-u", "root", "-phunter2"}, "mysql -u root -p***"},
  });
}

TEST(MaskedCommand, KnowsTheShortOptionsOfSomePrograms) {
  expect_all({
      {{"mysql", "-uroot", "-phunter2", "db"}, "mysql -uroot -p*** db"},
      {{"/usr/bin/mysqldump", "-p", "db"}, "/usr/bin/mysqldump -p db"},  // asks for it
      {{"sudo", "sshpass", "-p", "hunter2", "ssh", "h"}, "sudo sshpass -p *** ssh h"},
      {{"sshpass", "-phunter2", "ssh", "h"}, "sshpass -p*** ssh h"},
      {{"redis-cli", "-h", "h", "-a", "hunter2"}, "redis-cli -h h -a ***"},
      {{"docker", "login", "-u", "joe", "-p", "hunter2"}, "docker login -u joe -p ***"},
      {{"docker", "run", "-p", "8080:80", "x"}, "docker run -p 8080:80 x"},
      {{"curl", "-u", "joe:hunter2", "h"}, "curl -u joe:*** h"},
      {{"curl", "-ujoe:hunter2", "h"}, "curl -ujoe:*** h"},
      {{"curl", "--user=joe:hunter2", "h"}, "curl --user=joe:*** h"},
      {{"openssl", "enc", "-k", "abc", "-pass", "pass:abc"}, "openssl enc -k *** -pass pass:***"},
      {{"smbclient", "-U", "joe%hunter2"}, "smbclient -U joe%***"},
      {{"mkdir", "-p", "out/run7"}, "mkdir -p out/run7"},
      {{"ssh", "-p", "2222", "h"}, "ssh -p 2222 h"},
  });
}

TEST(MaskedCommand, LooksIntoHeadersScriptsAndJson) {
  expect_all({
      {{"curl", "-H", "Authorization: Bearer abc.def", "h"}, "curl -H Authorization: Bearer *** h"},
      {{"curl", "-H", "authorization:Basic am9lOng=", "h"}, "curl -H authorization:Basic *** h"},
      {{"curl", "-H", "Cookie: a=b; c=d", "h"}, "curl -H Cookie: *** h"},
      {{"curl", "-H", "X-Api-Key: abc", "h"}, "curl -H X-Api-Key: *** h"},
      {{"curl", "-H", "Authorization:", "Bearer", "abc"}, "curl -H Authorization: Bearer ***"},
      {{"sh", "-c", "HF_TOKEN=abc python t.py --lr 3"}, "sh -c HF_TOKEN=*** python t.py --lr 3"},
      {{"sh", "-c", "curl -H \"Authorization: Bearer abc\" h/v1 | jq ."},
       "sh -c curl -H \"Authorization: Bearer ***\" h/v1 | jq ."},
      {{"bash", "-lc", "mysql -phunter2 db; a --password 'x y' --lr 3"},
       "bash -lc mysql -p*** db; a --password '***' --lr 3"},
      {{"a", "{\"api_key\": \"abc\", \"lr\": 0.1}"}, "a {\"api_key\": \"***\", \"lr\": 0.1}"},
      {{"a", "{\\\"token\\\":\\\"abc\\\",\\\"lr\\\":1}"},
       "a {\\\"token\\\":\\\"***\\\",\\\"lr\\\":1}"},
      {{"python", "-c", "login(token='abc', add=True)"}, "python -c login(token='***', add=True)"},
      {{"python", "-c", "password = \"abc\"; print(1)"}, "python -c password = \"***\"; print(1)"},
      {{"psql", "host=h password=abc user=joe"}, "psql host=h password=*** user=joe"},
  });
}

TEST(MaskedCommand, HidesWhatStandsInAddresses) {
  expect_all({
      {{"a", "https://joe:hunter2@h/x?y=1"}, "a https://joe:***@h/x?y=1"},
      {{"a", "redis://:hunter2@h:6379/0"}, "a redis://:***@h:6379/0"},
      {{"a", "--db=postgres://joe:hunt/er2@h/db"}, "a --db=postgres://joe:***@h/db"},
      {{"git", "clone", "https://joe@h/x.git"}, "git clone https://joe@h/x.git"},
      {{"git", "clone", "ssh://git@h:22/x.git"}, "git clone ssh://git@h:22/x.git"},
      {{"a", "https://h/x?token=abc&page=2"}, "a https://h/x?token=***&page=2"},
      {{"a", "https://h/x?se=2026&sig=ab%2Fc%3D&sp=r"}, "a https://h/x?se=2026&sig=***&sp=r"},
      {{"a", "https://h/x?X-Amz-Date=1&X-Amz-Signature=abc"},
       "a https://h/x?X-Amz-Date=1&X-Amz-Signature=***"},
      {{"a", "--data=https://h/x?X-Goog-Signature=abc&y=1"},
       "a --data=https://h/x?X-Goog-Signature=***&y=1"},
      {{"sh", "-c", "curl 'https://h/x?signature=abc' -o x"},
       "sh -c curl 'https://h/x?signature=***' -o x"},
      {{"a", "https://h:8080/user@example"}, "a https://h:8080/user@example"},
      {{"a", "joe:hunter2@h:5672/vhost"}, "a joe:***@h:5672/vhost"},
      {{"a", "https://" + made("", 24) + "@h/x"}, "a https://***@h/x"},
  });
}

TEST(MaskedCommand, KnowsTokensByTheirMake) {
  for (const auto& token :
       {made("AKIA", 16), made("hf_", 34), made("ghp_", 36), made("github_pat_", 40),
        made("glpat-", 20), made("sk-", 48), made("sk-ant-api03-", 60), made("sk-proj-", 60),
        made("xoxb-", 40), made("AIza", 35), made("npm_", 36), made("nvapi-", 60),
        made("eyJ", 20) + "." + made("eyJ", 40) + "." + made("", 30)}) {
    EXPECT_EQ(masked_command({"a", token, "b"}), "a *** b") << token;
    EXPECT_EQ(masked_command({"a", "--x=" + token}), "a --x=***") << token;
    EXPECT_EQ(masked_command({"a", "--x-" + token}), "a --x-***") << token;
    EXPECT_EQ(masked_command({"a", "['" + token + "']"}), "a ['***']") << token;
    EXPECT_EQ(masked_command({token}), "***") << token;
  }
  EXPECT_EQ(masked_command({"a",
                            "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH "
                            "PRIVATE KEY-----",
                            "b"}),
            "a *** b");
  EXPECT_EQ(
      masked_command({"a", "https://hooks.slack.com/services/T01ABCDEF/B01ABCDEF/" + made("", 24)}),
      "a https://hooks.slack.com/services/***/***/***");
}

TEST(MaskedCommand, LeavesAloneWhatIsNoSecret) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"python", "train.py", "--tokenizer", "bert-base-uncased", "--max-tokens", "512"},
           {"python", "train.py", "--num_tokens=3", "--max_new_tokens", "64", "--lr", "3e-4"},
           {"python", "train.py", "--pad_token", "<pad>", "--eos-token=</s>", "--mask_token=[M]"},
           {"python", "train.py", "--use_auth_token", "True", "--token_type_ids", "2"},
           {"python", "train.py", "--use-auth-token", "--lr", "1"},
           {"python", "train.py", "--hf_token", "$HF_TOKEN", "--n-pass", "3", "--two_pass=4"},
           {"git", "checkout", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"},
           {"a", "--commit=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"},
           {"a", "--password-file", "/run/secrets/db", "--token-path=x"},
           {"a", "--private-key", "~/.ssh/id_ed25519", "--client-key", "tls/client.pem"},
           {"env", "GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp.json", "PWD=/home/joe", "a"},
           {"python", "-m", "torch.distributed.run", "--rdzv_endpoint=10.0.0.1:29500"},
           {"docker", "run", "repo/image:tag@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"},
           {"a", "--monkey", "x", "--key", "loss", "--sort-key=name", "--keyboard", "us"},
           {"a", "s3://bucket/path/model-00001-of-00003.safetensors", "user@host:dir/file"},
           {"a", "--data", "/data/secrets/x.bin", "--compass", "n", "--bypass", "y"},
           {"ffmpeg", "-pass", "2", "--passes", "3", "-i", "in.mp4"},
           {"python", "x.py", "--pw_conv", "3", "--key_padding_mask", "1", "--query_key", "a"},
           {"a", "--sk-learn", "sk-learn-contrib", "--hf_model", "hf_internal_testing_tiny"},
           {"serve", "--signature", "serving_default", "--sig=0.5", "signature=train"},
           {"a", "time=12:30:00", "--map", "a:b:c", "--ratio=16:9"},
       }) {
    std::string joined;
    for (const auto& word : arguments) joined += (joined.empty() ? "" : " ") + word;
    EXPECT_EQ(masked_command(arguments), joined);
  }
}

TEST(MaskedCommand, IsBounded) {
  const auto line = masked_command({"a", std::string(5000, 'x')});
  EXPECT_EQ(line.size(), 4096u);
  EXPECT_TRUE(line.ends_with("x…"));
  std::string accents;
  for (int i = 0; i < 3000; ++i) accents += "é";
  const auto cut = masked_command({"a", accents});
  EXPECT_LE(cut.size(), 4096u);
  EXPECT_TRUE(cut.ends_with("é…"));
  EXPECT_TRUE(masked_command(std::vector<std::string>(200000, "x")).ends_with("x…"));
  EXPECT_EQ(masked_command({}), "");
  EXPECT_EQ(masked_command({"", "", ""}), "  ");
}

// Whatever stands around it, the value of a secret option is not shown.
TEST(MaskedCommand, NeverShowsASecretWhateverStandsAroundIt) {
  EXPECT_TRUE(rc::check([] {
    const auto before =
        *rc::gen::container<std::vector<std::string>>(rc::gen::string<std::string>());
    const auto after =
        *rc::gen::container<std::vector<std::string>>(rc::gen::string<std::string>());
    const auto option = *rc::gen::element<std::string>("--password", "--api-key", "--hf_token",
                                                       "--clientSecret", "--db.passwd");
    const auto secret = "S" + std::to_string(*rc::gen::inRange(100000000, 999999999)) + "~z";
    const auto attached = *rc::gen::arbitrary<bool>();
    std::vector<std::string> arguments = before;
    if (attached) {
      arguments.push_back(option + "=" + secret);
    } else {
      arguments.push_back(option);
      arguments.push_back(secret);
    }
    arguments.insert(arguments.end(), after.begin(), after.end());
    RC_ASSERT(masked_command(arguments).find(secret) == std::string::npos);
  }));
}

// What is shown can be shown again: nothing in it asks to be hidden.
TEST(MaskedCommand, MaskingTwiceChangesNothingMore) {
  EXPECT_TRUE(rc::check([] {
    const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "--password", "--token=abc", "x", "a=b", "https://u:p@h", "login", "-H", "Cookie: x=y",
        "--lr", "3", "-u", "--auth", "--key", "h?sig=abc", "api_key:", "hf_" + std::string(30, 'a'),
        "-c", "mysql", "-pabc"));
    const auto once = masked_command(words);
    std::vector<std::string> again;
    std::string_view rest = once;
    while (!rest.empty()) {
      const auto blank = rest.find(' ');
      again.emplace_back(rest.substr(0, blank));
      rest.remove_prefix(blank == rest.npos ? rest.size() : blank + 1);
    }
    RC_ASSERT(masked_command(again) == once);
  }));
}

// Of 40 random letters and digits nothing is shown, but for one in two hundred that happens to look
// like a name; of a name in the same place, all.
TEST(MaskedCommand, TellsWhatIsRandomFromNames) {
  constexpr int kTries = 10'000;
  std::mt19937 random(7);
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  int shown = 0;
  for (int i = 0; i < kTries; ++i) {
    std::string word;
    while (word.size() < 40) word += letters[random() % letters.size()];
    shown += masked_command({"a", "--extra", word}) == "a --extra ***" ? 0 : 1;
  }
  EXPECT_LE(shown, kTries / 200);
  for (const std::string name :
       {"ResNet50V2BatchNormMomentum099LabelSmoothing01Epochs300", "LlamaForCausalLMWithValueHead2",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "getElementsByTagNameNS2000AndMore",
        "kernel-1f0c7d52-3b44-4a0e-9f3b-7a2b6d1c9e10", "x86_64-unknown-linux-gnu-gcc-12.3.0"}) {
    EXPECT_EQ(masked_command({"a", "--extra", name}), "a --extra " + name);
  }
}

TEST(SecrecyOf, IsByWordsNotByLetters) {
  EXPECT_EQ(secrecy_of("passWord"), Secrecy::Secret);
  EXPECT_EQ(secrecy_of("--dbPassword"), Secrecy::Secret);
  EXPECT_EQ(secrecy_of("OPENAI_API_KEY"), Secrecy::File);
  EXPECT_EQ(secrecy_of("TOKENIZERS_PARALLELISM"), Secrecy::None);
  EXPECT_EQ(secrecy_of(""), Secrecy::None);
  EXPECT_EQ(secrecy_of("---"), Secrecy::None);
}

}  // namespace
}  // namespace tidegauge::secrets
