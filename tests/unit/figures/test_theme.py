"""Colours: enough contrast, told apart in normal sight and without red, green or blue cones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from analysis.figures.theme import (
    DARK,
    LIGHT,
    Theme,
    channels,
    contrast,
    interpolate,
    luminance,
    text_on,
    vega_config,
)

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])

# Machado, Oliveira and Fernandes (2009), doi:10.1109/TVCG.2009.113, severity 1, for linear RGB
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                            [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip


def oklab(colour: str, sight: np.ndarray) -> np.ndarray:
    """Place a colour in Oklab, as an eye sees it (B. Ottosson, 2020)."""
    rgb = np.array(channels(colour)) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(sight @ linear, 0, 1)
    cones = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                      [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
    lab = np.array([[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
                    [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip
    return lab @ np.cbrt(cones @ linear)


@THEMES
@pytest.mark.parametrize("sight", SIGHT)
def test_any_two_models_differ(theme: Theme, sight: str) -> None:
    places = [oklab(c, SIGHT[sight]) for c in theme.series]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(places, 2))
    assert nearest > 0.08  # about four times what is just noticeable in Oklab


@THEMES
def test_marks_and_text_have_contrast(theme: Theme) -> None:
    for colour in (*theme.series, theme.neutral, theme.accent, theme.alert):
        assert contrast(colour, theme.surface) >= 3
    for text in (theme.ink, theme.soft, theme.alert):
        assert contrast(text, theme.surface) >= 4.5
    assert contrast(theme.soft, theme.band) >= 4.5


@THEMES
def test_text_reads_on_every_step_of_the_scales(theme: Theme) -> None:
    for ramp in (theme.ramp, theme.diverging):
        worst = min(contrast(text_on(c, theme), c) for c in (interpolate(ramp, i / 100) for i in range(101)))
        assert worst >= 4.3


@THEMES
def test_sequential_scale_moves_away_from_the_background(theme: Theme) -> None:
    steps = [contrast(c, theme.surface) for c in theme.ramp]
    assert steps == sorted(steps)


@THEMES
def test_ends_of_the_diverging_scale_are_as_strong_as_each_other(theme: Theme) -> None:
    low, high = luminance(theme.diverging[0]), luminance(theme.diverging[-1])
    assert 0.6 < (low + 0.05) / (high + 0.05) < 1.6


def test_a_hue_is_the_same_in_both_themes() -> None:
    for light, dark in zip(LIGHT.series, DARK.series, strict=True):
        a, b = (oklab(c, np.eye(3))[1:] for c in (light, dark))
        assert float(a @ b) > 0.5 * float(np.linalg.norm(a) * np.linalg.norm(b))


def test_configuration_names_no_web_font_and_no_legend_of_colours() -> None:
    config = vega_config(LIGHT)
    assert config["font"].endswith("sans-serif")
    assert "http" not in str(config)
