// SPDX-License-Identifier: Apache-2.0
#include "proc/secret_options.h"

namespace tidegauge::proc {

std::span<const SecretOption> secret_options() {
  static constexpr SecretOption kOptions[] = {
      {"mysql", "", "-p", Form::Attached},
      {"mysqldump", "", "-p", Form::Attached},
      {"mysqladmin", "", "-p", Form::Attached},
      {"mysqlimport", "", "-p", Form::Attached},
      {"mysqlcheck", "", "-p", Form::Attached},
      {"mariadb", "", "-p", Form::Attached},
      {"mariadb-dump", "", "-p", Form::Attached},
      {"mongo", "", "-p", Form::Either},
      {"mongosh", "", "-p", Form::Either},
      {"mongodump", "", "-p", Form::Either},
      {"mongorestore", "", "-p", Form::Either},
      {"redis-cli", "", "-a", Form::Next},
      {"sshpass", "", "-p", Form::Either},
      {"docker", "login", "-p", Form::Either},
      {"podman", "login", "-p", Form::Either},
      {"helm", "login", "-p", Form::Either},
      {"az", "login", "-p", Form::Next},
      {"oc", "login", "-p", Form::Either},
      {"twine", "", "-p", Form::Either},
      {"curl", "", "-u", Form::Pair},
      {"curl", "", "--user", Form::Pair},
      {"curl", "", "-U", Form::Pair},
      {"curl", "", "--proxy-user", Form::Pair},
      {"http", "", "-a", Form::Pair},
      {"https", "", "-a", Form::Pair},
      {"lftp", "", "-u", Form::Pair},
      {"ldapsearch", "", "-w", Form::Either},
      {"ldapmodify", "", "-w", Form::Either},
      {"ldapadd", "", "-w", Form::Either},
      {"unzip", "", "-P", Form::Either},
      {"zip", "", "-P", Form::Either},
      {"7z", "", "-p", Form::Attached},
      {"7za", "", "-p", Form::Attached},
      {"sqlcmd", "", "-P", Form::Either},
      {"bcp", "", "-P", Form::Either},
      {"snowsql", "", "-p", Form::Either},
      {"mosquitto_pub", "", "-P", Form::Either},
      {"mosquitto_sub", "", "-P", Form::Either},
      {"openssl", "", "-k", Form::Next},
      {"openssl", "", "-K", Form::Next},
      {"openssl", "", "-pass", Form::Next},
      {"useradd", "", "-p", Form::Either},
      {"usermod", "", "-p", Form::Either},
      {"ipmitool", "", "-P", Form::Either},
      {"smbclient", "", "-U", Form::Pair},
      {"rsync", "", "--password", Form::Next},
      {"", "", "-u", Form::LikelyPair},
  };
  return kOptions;
}

}  // namespace tidegauge::proc
