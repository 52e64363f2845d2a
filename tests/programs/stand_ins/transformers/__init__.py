# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the package of that name, for Pythons that have no frameworks: what we hook, and nothing else."""
