"""The questions that an import leaves open: what was found, and which option answers it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.naming import counted
from analysis.ingest.importers.pipeline.profile import MetricProfile, Profile
from analysis.ingest.importers.pipeline.question import SHOWN, Option, Question, quoted
from analysis.ingest.importers.pipeline.rules import Reading, candidates, reading_of


def profile_questions(profile: Profile, choices: Choices) -> list[Question]:
    """Return what the staged samples leave open, before names are put together."""
    found = [
        *_model_questions(profile, choices),
        *_primary_questions(profile, choices),
        *_metric_questions(profile, choices),
    ]
    if profile.perturbed and choices.perturbed is None:
        found.append(
            Question(
                "perturbed",
                counted(profile.perturbed, "sample is a perturbed version", "samples are perturbed versions")
                + " of other items. How do they count?",
                (
                    Option("--perturbed items", "each is an item of its own", {"perturbed": "items"}),
                    Option("--perturbed exclude", "they are left out, and counted", {"perturbed": "exclude"}),
                ),
            )
        )
    if profile.open_world and choices.items is None:
        n = sum(profile.open_world.values())
        found.append(
            Question(
                "items",
                counted(n, "resolved item is listed", "resolved items are listed")
                + ", but not what was asked: items that a list lacks were "
                "not resolved, or not asked. Which items were asked?",
                (
                    Option("--items FILE", "those of a file, one identifier a line (or a JSON list)"),
                    Option(
                        "--items union", "all that any of the models resolved or lists", {"items": "union"}
                    ),
                ),
            )
        )
    return found


def _model_questions(profile: Profile, choices: Choices) -> list[Question]:
    logs = {s.key: s.log for s in profile.states}
    lacking = [logs[key] for key in profile.unnamed]
    if not lacking:
        return []
    options = [Option("--model NAME", "one name" + (" for all of them" if len(lacking) > 1 else ""))]
    for log in lacking[:SHOWN]:
        name = log.suggested_model
        pattern = log.name
        options.append(
            Option(
                quoted("--model", f"{pattern}={name or 'NAME'}"),
                f"name the model of {log.name}" + (f" after {name!r}, found in its path" if name else ""),
                {"model": {pattern: name}} if name else {},
            )
        )
    roles = sorted({role for log in lacking for role in log.roles})
    for role in roles:
        options.append(
            Option(quoted("--model-role", role), f"take the model of role {role!r}", {"model_role": role})
        )
    names = ", ".join(log.name for log in lacking[:3]) + (" ..." if len(lacking) > 3 else "")
    return [
        Question(
            "model",
            counted(len(lacking), "log does", "logs do") + f" not say which model answered ({names}). Which?",
            tuple(options),
        )
    ]


def _primary_questions(profile: Profile, choices: Choices) -> list[Question]:
    """Ask for the primary metric once for all tasks that have the same candidates."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for task in profile.tasks:
        names = [m.metric for m in candidates(profile, task, choices)]
        if len(names) > 1 and choices.primary_of(task, profile.of(task)) is None:
            alike.setdefault(tuple(names), []).append(task)
    found = []
    for group, tasks in alike.items():
        where = _where(tasks, len(profile.tasks))
        several = len(alike) > 1
        options = []
        for name in group:
            entries = [f"{task}={name}" for task in tasks] if several else [name]
            shown = entries if len(entries) <= 2 else [name]
            flags = quoted(*[part for entry in shown for part in ("--primary", entry)])
            options.append(Option(flags, _described(profile.of(tasks[0])[name]), {"primary": entries}))
        text = (
            counted(len(group), "metric")
            + f"{where}. Which one is the primary? The others are kept as metrics."
        )
        found.append(Question("primary", text, tuple(options)))
    return found or _different_primaries(profile, choices)


def _different_primaries(profile: Profile, choices: Choices) -> list[Question]:
    """Ask where each task has one metric, but not the same, and one of them is graded.

    Metrics that each say success or failure of their task's answers are the same question asked in
    different ways; a mean of graded values beside them is not.
    """
    single = _only_metrics(profile, choices)
    if len(set(single.values())) < 2:
        return []
    readings = [reading_of(profile.of(task)[metric], choices) for task, metric in single.items()]
    if not any(r.fractional or r.outside or r.unknown_texts for r in readings):
        return []
    metrics = list(dict.fromkeys(single.values()))
    tasks = {m: [t for t, name in single.items() if name == m] for m in metrics}
    shown = "; ".join(f"{m} ({_some(tasks[m])})" for m in metrics[:SHOWN])
    flags = quoted(*[part for m in metrics for part in ("--primary", m)])
    return [
        Question(
            "primary",
            f"The tasks have one metric each, but not the same: {shown}. Do they together make the "
            "primary metric?",
            (Option(flags, "yes, each task its own", {"primary": metrics}),),
        )
    ]


def _only_metrics(profile: Profile, choices: Choices) -> dict[str, str]:
    """Return the tasks that have one candidate, where no choice names it."""
    found = {}
    for task in profile.tasks:
        names = [m.metric for m in candidates(profile, task, choices)]
        if len(names) == 1 and choices.primary_of(task, profile.of(task)) is None:
            found[task] = names[0]
    return found


def primary_notes(profile: Profile, choices: Choices) -> list[str]:
    """Say which metric is primary where nobody had to choose it."""
    single = _only_metrics(profile, choices)
    metrics = list(dict.fromkeys(single.values()))
    return [
        f"metric {m} is the primary: the only one"
        + (f" of {_some(t for t, name in single.items() if name == m)}" if len(profile.tasks) > 1 else "")
        for m in metrics
    ]


def primaries(profile: Profile, choices: Choices) -> dict[str, str]:
    """Return the primary metric of every task that has one chosen, or only one."""
    found = {}
    for task in profile.tasks:
        chosen = choices.primary_of(task, profile.of(task))
        names = [m.metric for m in candidates(profile, task, choices)]
        if chosen is not None:
            found[task] = chosen
        elif len(names) == 1:
            found[task] = names[0]
    return found


def _metric_questions(profile: Profile, choices: Choices) -> list[Question]:
    """Ask how the primary metrics are read, each metric once."""
    by_metric: dict[str, list[MetricProfile]] = {}
    for task, metric in primaries(profile, choices).items():
        by_metric.setdefault(metric, []).append(profile.of(task)[metric])
    found = []
    for metric, entries in by_metric.items():
        readings = [reading_of(e, choices) for e in entries]
        found += _one_metric(metric, entries, readings, choices)
    return found


def _one_metric(
    metric: str, entries: Sequence[MetricProfile], readings: Sequence[Reading], choices: Choices
) -> list[Question]:
    unknown = list(dict.fromkeys(t for r in readings for t in r.unknown_texts))
    if unknown:
        return [_value_question(metric, unknown, entries)]
    if all(r.rule.kind == "stated" for r in readings):
        return []
    rule = readings[0].rule
    lows = [e.low for e in entries if e.low is not None]
    highs = [e.high for e in entries if e.high is not None]
    between = f"from {min(lows):g} to {max(highs):g}" if lows else ""
    threshold = Option(
        quoted("--threshold", f"{metric}=VALUE"), "success from that value on, on the metric's own scale"
    )
    if any(e.lower_is_better for e in entries) and rule.scale is None and rule.threshold is None:
        return [
            Question(
                "range",
                f"Of the metric {metric} ({between}) the lower value is the better. How does it count?",
                (
                    Option(quoted("--range", f"{metric}=WORST:BEST"), "scaled, 1 at BEST"),
                    Option(quoted("--threshold", f"{metric}=VALUE"), "success up to that value"),
                ),
            )
        ]
    if any(r.outside for r in readings) and rule.threshold is None:
        return [
            Question(
                "range",
                f"The metric {metric} goes {between}, not from 0 to 1. How does it count?",
                (
                    Option(quoted("--range", f"{metric}=WORST:BEST"), "scaled, 0 at WORST, 1 at BEST"),
                    threshold,
                ),
            )
        ]
    if (any(r.fractional for r in readings) or rule.scale is not None) and not (
        rule.graded or rule.threshold is not None
    ):
        shown = between or "partial credit among others"
        return [
            Question(
                "graded",
                f"The metric {metric} is graded ({shown}). How does it count?",
                (
                    Option(
                        quoted("--graded", metric),
                        "as it is: the mean of the values is the estimate; only 1 is correct",
                        {"graded": [metric]},
                    ),
                    threshold,
                ),
            )
        ]
    return []


def _value_question(metric: str, unknown: Sequence[str], entries: Sequence[MetricProfile]) -> Question:
    counts = {t: sum(e.texts.get(t, 0) for e in entries) for t in unknown}
    shown = ", ".join(f"{t!r} ({counts[t]:,})" for t in unknown[:SHOWN])
    more = f" and {len(unknown) - SHOWN:,} more" if len(unknown) > SHOWN else ""
    example = quoted(*[p for t in unknown[:SHOWN] for p in ("--value", f"{metric}:{t}=1|0|exclude|unscored")])
    return Question(
        "value",
        f"The metric {metric} has values that are text: {shown}{more}. What does each count?",
        (Option(example, "a number from 0 to 1, or exclude, or unscored, for each of them"),),
    )


def _described(metric: MetricProfile) -> str:
    parts = [f"{metric.n_scored:,} scored"]
    if metric.n > metric.n_scored:
        parts.append(f"{metric.n - metric.n_scored:,} unscored")
    if metric.mean is not None:
        parts.append(f"mean {metric.mean:.4g}, from {metric.low:g} to {metric.high:g}")
    if metric.texts:
        parts.append("values " + ", ".join(repr(t) for t in list(metric.texts)[:4]))
    if metric.lower_is_better:
        parts.append("lower is better")
    return "; ".join(parts)


def _where(tasks: Sequence[str], n_tasks: int) -> str:
    named = [t for t in tasks if t]
    if not named:
        return ""
    return f" in {'every task' if len(tasks) == n_tasks and n_tasks > 1 else _some(named)}"


def _some(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more tasks" if len(names) > 3 else "")


def as_json(questions: Sequence[Question]) -> str:
    """Return the questions as JSON."""
    return json.dumps([q.to_dict() for q in questions], ensure_ascii=False, indent=1)
