"""How the tables were made, from what, and where to get them."""

from __future__ import annotations

from analysis.ingest.importers.provenance import read_import
from analysis.reporting.downloads import offered_tables
from analysis.reporting.markup import block, escape
from analysis.reporting.numbers import count, plural
from analysis.reporting.results import interval_name
from analysis.reporting.static_table import Column, static_table, table_float
from analysis.reporting.view import View, absent


def methods(view: View) -> str:
    """Return every table with its method and its size, to download."""
    rows = []
    for name in offered_tables(view.results.folder):
        frame, about = view.results.table(name), view.results.metadata(name)
        if not about:
            continue
        link = f'<a href="{escape(view.tables_link)}/{name}.parquet" download><code>{name}</code></a>'
        n = 0 if frame is None else frame.height
        rows.append(
            {
                "table": link,
                "method": f'<span class="words">{escape(about.get("method", ""))}</span>',
                "n": count(n),
            }
        )
    if not rows:
        return absent("There are no derived tables.")
    columns = [Column("table", "Table (Parquet)"), Column("method", "Method"), Column("n", "Rows", "right")]
    return table_float(
        "tbl-methods", static_table("methods-table", columns, rows), "Derived tables and their methods."
    )


MOST_LOGS = 40
"""Imported logs that are listed one by one."""


def imported(view: View) -> str:
    """Return what the import of other tools' logs read, left out and decided; empty where there was none."""
    record = read_import(view.results.folder)
    if record is None:
        return ""
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in record.sentences)
    refused = "".join(f"<li>{escape(f['name'])}: {escape(f['reason'])}</li>" for f in record.refused)
    said += f"<p>Refused files:</p><ul>{refused}</ul>" if refused else ""
    titles = {"name": "Log", "tool": "Tool", "model": "Model", "task": "Task", "sha256": "SHA-256"}
    columns = [Column(name, title) for name, title in titles.items()]
    columns += [Column("rows_read", "Rows read", "right"), Column("rows_written", "Written", "right")]
    shown = record.sources[:MOST_LOGS]
    rows = [{column.key: escape(_short(source[column.key])) for column in columns} for source in shown]
    more = len(record.sources) - len(shown)
    rest = f"<p>{plural(more, 'more log')}: see <code>import.json</code>.</p>" if more else ""
    table = static_table("imported-table", columns, rows)
    summary = plural(len(record.sources), "imported log")
    return block(
        f'{said}<details class="more provenance"><summary>{summary}</summary>{table}{rest}</details>'
    )


def _short(value: object) -> str:
    """Return a value as text, a hash by its first twelve digits."""
    text = "" if value is None else str(value)
    return text[:12] if len(text) == 64 and " " not in text else text


def provenance(view: View) -> str:
    """Return settings, versions and hashes, as they stand in the tables' metadata."""
    results = view.results
    about = results.metadata("model_scores") or results.metadata("verdicts")
    if not about:
        return absent("The tables hold no provenance.")
    stated = about.get("settings", {})
    intervals = ", ".join(interval_name(m, full=True) for m in stated.get("intervals", []))
    facts = [
        ("Benchmark", f"<code>{escape(about['benchmark'])}</code>"),
        ("Verdict Atlas", escape(about["version"])),
        ("Configuration (SHA-256)", f"<code>{escape(about['config_sha256'])}</code>"),
        ("Seed", str(about["seed"])),
        ("Confidence level", _plain(stated.get("level"))),
        ("Family-wise error rate", _plain(stated.get("alpha"))),
        ("Bootstrap resamples", _plain(stated.get("resamples"))),
        ("Permutations, where no exact test exists", _plain(stated.get("permutations"))),
        ("Interval methods, the primary first", escape(intervals)),
        ("Policy for missing cells", f"<code>{results.card.missing}</code>"),
        ("An item is solved at", f"{results.card.solved_at:g}"),
    ]
    if results.card.cluster:
        facts.append(("Cluster", f"<code>{escape(results.card.cluster)}</code>"))
    table = static_table(
        "provenance-table",
        [Column("what", "Setting"), Column("value", "Value")],
        [{"what": what, "value": value} for what, value in facts],
    )
    return block(f'<div class="provenance">{table}</div>') + _inputs(about.get("inputs", {}))


def _plain(value: object) -> str:
    return count(value) if isinstance(value, int) else escape(value if value is not None else "\u2013")


def _inputs(inputs: dict[str, str]) -> str:
    rows = [
        {"file": f"<code>{escape(name)}</code>", "hash": f"<code>{escape(digest)}</code>"}
        for name, digest in sorted(inputs.items())
    ]
    if not rows:
        return ""
    table = static_table("inputs-table", [Column("file", "File"), Column("hash", "SHA-256")], rows)
    summary = f"{plural(len(rows), 'input file')} with {'its hash' if len(rows) == 1 else 'their hashes'}"
    return block(f'<details class="more provenance"><summary>{summary}</summary>{table}</details>')
