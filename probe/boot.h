// SPDX-License-Identifier: Apache-2.0
#pragma once

// For an interpreter that runs already (site/sitecustomize.py, a script that it was asked to run):
// hooks the frameworks in it, with the ring that the environment names. 1 if that was done, 0 if
// somebody has done it before. Exported; the caller holds the interpreter's lock.
__attribute__((visibility("default"))) int tidegauge_python_boot(void);
