"""Tests of the analyses of consultation sessions and of the simulated benchmark."""
