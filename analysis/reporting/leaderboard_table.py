"""The leaderboard as a real HTML table: complete without scripts, sortable with them."""

from __future__ import annotations

from typing import Any

from analysis.reporting.leaderboard_rows import Board, Detail
from analysis.reporting.markup import escape
from analysis.reporting.numbers import NONE, count, money
from analysis.reporting.sections.scores import letters, rank_span
from analysis.reporting.view import View, metric_head
from analysis.reporting.whisker import axis_for, axis_head, whisker


def board_table(view: View, board: Board) -> str:
    """Return the leaderboard's table in its scrolling container."""
    ends = [row[key] for row in board.rows for key in ("estimate", "ci_low", "ci_high")]
    bounded = view.scale.kind == "percent" or view.metric == "score"
    axis = axis_for(ends, width=170, bounded=bounded)
    heads = [_head("Order", "num")] if board.compared else []
    heads.append(_head("Model", "model"))
    if board.compared:
        heads += [_head("Rank", "num"), _head("Ties"), _head("Tier", "num")]
    heads += [
        _head(metric_head(view.metric), "num down"),
        _head(view.ci.replace(" ", "\u00a0")),
        f'<th scope="col" data-orderable="false">{axis_head(axis, view.scale)}</th>',
        _head("Items", "num down"),
    ]
    n_fixed = len(heads)
    spanners = "".join(
        f'<th scope="colgroup" data-dt-order="disable" colspan="{len(g.columns)}">{g.head}</th>'
        for g in board.groups
    )
    more = "".join(
        _head(c.head, "num" if c.scale is None else "num down", group=g.key)
        for g in board.groups
        for c in g.columns
    )
    body = []
    for row in board.rows:
        cells = _fixed_cells(view, row, board, axis) + "".join(
            _detail_cell(c, row["model"], g.key) for g in board.groups for c in g.columns
        )
        data = "".join(f' data-{key}="{escape(row[key] or "")}"' for key in ("weights", "vendor", "family"))
        body.append(f"<tr{data}>{cells}</tr>")
    top = (
        f'<tr class="spanners"><td colspan="{n_fixed}" data-dt-order="disable"></td>{spanners}</tr>'
        if spanners
        else ""
    )
    return (
        '<div class="scroll" data-label="Leaderboard"><table id="leaderboard" class="board-table">'
        f'<caption class="sr-only">Leaderboard of {escape(view.results.title)}</caption>'
        f"<thead>{top}<tr>{''.join(heads)}{more}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _head(text: str, css: str = "", *, group: str = "") -> str:
    classes = " ".join(filter(None, (css, f"group-{group}" if group else "")))
    return f'<th scope="col"{f" class={chr(34)}{classes}{chr(34)}" if classes else ""}>{text}</th>'


def _cell(text: str, order: object, css: str = "num") -> str:
    key = "" if order is None else order
    return f'<td class="{css}" data-order="{escape(key)}">{text}</td>'


def _fixed_cells(view: View, row: dict[str, Any], board: Board, axis: Any) -> str:
    sub = [row["vendor"], row["weights"]]
    if view.results.names.get(row["model"], row["model"]) != row["model"]:
        sub.insert(0, row["model"])
    below = " \u00b7 ".join(f"<bdi>{escape(s)}</bdi>" for s in sub if s)
    model = view.name(row["model"]) + (f'<span class="sub">{below}</span>' if below else "")
    shown = escape(view.results.names.get(row["model"], row["model"]))
    name = f'<th scope="row" data-order="{shown}">{model}</th>'
    best = bool(row["in_best_set"]) and board.compared
    tag = '<br><span class="tag best">best set</span>' if best else ""
    parts = []
    if board.compared:
        parts.append(_cell(f'<span class="muted">{row["rank"]}</span>', row["rank"]))
    parts.append(name)
    if board.compared:
        parts += [
            _cell(f"<strong>{rank_span(row)}</strong>{tag}", row["rank_low"] * 10000 + row["rank_high"]),
            _cell(letters(row["letters"]), row["letters"], ""),
            _cell(str(row["tier"]), row["tier"]),
        ]
    picture = whisker(row["estimate"], row["ci_low"], row["ci_high"], axis, best=best)
    parts += [
        _cell(f"<strong>{view.scale.bare(row['estimate'])}</strong>", row["estimate"]),
        _cell(
            f'<span class="range">{view.scale.interval(row["ci_low"], row["ci_high"])}</span>',
            row["ci_low"],
            "",
        ),
        f'<td class="picture-cell">{picture}</td>',
        _cell(count(row["n_items"]), row["n_items"]),
    ]
    return "".join(parts)


def _detail_cell(column: Detail, model: str, group: str) -> str:
    value = column.values.get(model)
    low, high = column.intervals.get(model, (None, None))
    text, tip = (money(value), "") if column.scale is None else (column.scale.bare(value), "")
    if column.scale is not None and low is not None:
        tip = f' title="{column.scale.interval(low, high)}"'
    key = "" if value is None else f"{value!r}"
    return f'<td class="num group-{group}" data-order="{key}"{tip}>{text or NONE}</td>'
