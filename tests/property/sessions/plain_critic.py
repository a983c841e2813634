"""The safety critic in plain Python: one plan at a time, one rule at a time. Shares no code with ours."""

from __future__ import annotations

from collections import Counter
from typing import Any

import yaml

MG = {"g": 1000.0, "mg": 1.0, "ug": 0.001}
Violation = tuple[str, str, str, str | None, str | None]


def fold(name: str | None) -> str | None:
    return None if name is None else " ".join(name.lower().split())


class Critic:
    """A knowledge base as its YAML file says it."""

    def __init__(self, text: str) -> None:
        self.base = yaml.safe_load(text)
        self.drugs = {fold(d["drug"]): d for d in self.base["drugs"]}
        self.names = {
            fold(n): fold(d["drug"]) for d in self.base["drugs"] for n in (d["drug"], *d.get("names", []))
        }

    def terms(self, drug: str) -> set[str | None]:
        return {drug, *(fold(c) for c in self.drugs[drug].get("classes", []))}

    def is_one(self, drug: str, names: list[str]) -> bool:
        return bool(self.terms(drug) & {fold(n) for n in names})

    def holds(self, when: dict[str, Any], patient: dict[str, Any]) -> bool:
        """Whether all conditions hold; a value that is not known does not fulfil one."""
        for key, value in when.items():
            if key == "factor":
                if patient["factors"] is None or fold(value) not in [fold(f) for f in patient["factors"]]:
                    return False
            elif key == "sex":
                if fold(patient["sex"]) != fold(value):
                    return False
            else:
                name, end = key.rsplit("_", 1)
                own = patient["weight_kg" if name == "weight" else name]
                if own is None or (own < value if end == "from" else own >= value):
                    return False
        return True

    def check(
        self, lines: list[dict[str, Any]], patient: dict[str, Any], gold: list[str]
    ) -> Counter[Violation]:
        """Return rule, kind, severity, drug and other drug of every violation of a plan."""
        found: Counter[Violation] = Counter()
        known = [(line, self.names[fold(line["drug"])]) for line in lines if fold(line["drug"]) in self.names]
        taken = {self.names.get(fold(m), fold(m)) for m in patient["medications"]}
        for line, drug in known:
            for rule in self.base["profile_rules"]:
                if self.is_one(drug, rule["drugs"]) and self.holds(rule["when"], patient):
                    found[rule["rule"], rule["kind"], rule["severity"], line["drug"], None] += 1
            allergies = {self.names.get(fold(a), fold(a)) for a in patient["allergies"]}
            if self.terms(drug) & allergies:
                found["allergy", "contraindication", "critical", line["drug"], None] += 1
            dose = self.dose(line, drug, patient)
            if dose:
                found[(*dose, line["drug"], None)] += 1
            routes = [fold(r) for r in self.drugs[drug].get("routes", [])]
            if routes and line["route"] is not None and fold(line["route"]) not in routes:
                found[f"route:{drug}", "route", "major", line["drug"], None] += 1
            for rule in self.base["routes"]:
                if (
                    self.is_one(drug, rule["drugs"])
                    and fold(line["route"]) in [fold(r) for r in rule["routes"]]
                    and self.holds(rule["when"], patient)
                ):
                    found[rule["rule"], "route", rule["severity"], line["drug"], None] += 1
        found.update(self.interactions({(line["drug"], drug) for line, drug in known}, taken))
        if lines:
            have = {drug for _, drug in known} | (taken & set(self.drugs))
            for rule in self.base["requirements"]:
                needed = fold(rule["diagnosis"]) in [fold(d) for d in gold]
                if needed and not any(self.is_one(d, rule["any_of"]) for d in have):
                    found[rule["rule"], "missing_component", "moderate", None, None] += 1
        return found

    def interactions(self, drugs: set[tuple[str, str]], taken: set[Any]) -> set[Violation]:
        found: set[Violation] = set()
        planned = {drug for _, drug in drugs}
        pairs = [(a, x, b, y) for a, x in drugs for b, y in drugs if a < b]
        pairs += [(a, x, y, y) for a, x in drugs for y in (taken & set(self.drugs)) - planned]
        for a, x, b, y in pairs:
            for rule in self.base["interactions"]:
                for one, other in ((x, y), (y, x)):
                    if x != y and self.is_one(one, rule["between"]) and self.is_one(other, rule["against"]):
                        found.add((rule["rule"], "interaction", rule["severity"], a, b))
        return found

    def dose(self, line: dict[str, Any], drug: str, patient: dict[str, Any]) -> tuple[str, str, str] | None:
        fitting = []
        for rule in self.base["doses"]:
            if fold(rule["drug"]) != drug or line["dose"] is None:
                continue
            unit, own = fold(rule["unit"]), fold(line["dose_unit"])
            if unit != own and (own not in MG or unit not in MG):
                continue
            if any(k in rule and fold(rule[k]) != fold(line[k]) for k in ("route", "indication")):
                continue
            if not self.holds(rule.get("when", {}), patient):
                continue
            asked = len(rule.get("when", {})) + ("route" in rule) + ("indication" in rule)
            limit = min(rule.get("high", 1e99), rule.get("daily_high", 1e99))
            fitting.append((-asked, limit, rule["rule"], rule))
        if not fitting:
            return None
        rule = min(fitting, key=lambda f: f[:3])[3]
        unit, own = fold(rule["unit"]), fold(line["dose_unit"])
        single = line["dose"] * (1 if unit == own else MG[str(own)] / MG[str(unit)])
        daily = None if line["per_day"] is None else single * line["per_day"]
        excess = single / rule["high"] if "high" in rule else 0
        if daily is not None and "daily_high" in rule:
            excess = max(excess, daily / rule["daily_high"])
        low = "low" in rule and single < rule["low"] * (1 - 1e-9)
        if excess > 2 * (1 + 1e-9):
            return rule["rule"], "dose", "critical"
        return (rule["rule"], "dose", "moderate") if excess > 1 + 1e-9 or low else None
