/* SPDX-License-Identifier: Apache-2.0 */
/* python/tidegauge/_hooks.py as a string, so that a job needs no package of ours in its environment. */
    .section .rodata
    .global tidegauge_hooks_source
    .hidden tidegauge_hooks_source
tidegauge_hooks_source:
    .incbin "_hooks.py"
    .byte 0
    .section .note.GNU-stack, "", %progbits
