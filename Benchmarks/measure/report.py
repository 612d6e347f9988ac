"""Figures as data, and as the table of docs/reference/performance.md."""

import statistics


def figure(id, what, unit, values, against, against_values, goal=None, at_most=False,
           cpu_micros=None, against_cpu_micros=None):
    """One comparison: medians of both sides, their ratio, and whether the goal is met.

    `goal` is a bound on the ratio; None where none is set yet. `cpu_micros`: of the process that
    is measured, for one event or push.
    """
    value = statistics.median(values)
    against_value = statistics.median(against_values)
    ratio = value / against_value if against_value else None
    met = None
    if goal is not None and ratio is not None:
        met = ratio <= goal if at_most else ratio >= goal
    return {
        "id": id,
        "what": what,
        "value": round(value, 3),
        "unit": unit,
        "spread": [round(min(values), 3), round(max(values), 3)],
        "against": against,
        "against_value": round(against_value, 3),
        "against_spread": [round(min(against_values), 3), round(max(against_values), 3)],
        "ratio": None if ratio is None else round(ratio, 3),
        "goal": None if goal is None else ("<= " if at_most else ">= ") + str(goal),
        "met": met,
        "rounds": len(values),
        "cpu_micros": _median(cpu_micros),
        "against_cpu_micros": _median(against_cpu_micros),
    }


HEAD = ["id", "what", "Islet", "against", "that", "ratio", "goal", "met", "CPU each"]


def table(figures):
    """Markdown to be pasted into the page as it is; the spread in brackets behind each median."""
    rows = [HEAD]
    for item in figures:
        rows.append([
            item["id"],
            item["what"],
            _quantity(item["value"], item["spread"], item["unit"]),
            item["against"],
            _quantity(item["against_value"], item["against_spread"], item["unit"]),
            "–" if item["ratio"] is None else f'{item["ratio"]:.2f}',
            _goal(item["goal"]),
            {True: "yes", False: "**no**", None: "–"}[item["met"]],
            _cpu(item["cpu_micros"], item["against_cpu_micros"]),
        ])
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
             for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def conditions(rounds, cores, load, stolen):
    """The sentence below the table."""
    return (f"Medians of {rounds} rounds [lowest to highest] on {cores} cores, which load generators share. "
            f"The load was {load:.1f} before the first round,\nand the host kept {stolen:.1%} of the cores' "
            "time to itself.")


def p99(values):
    return statistics.quantiles(values, n=100)[98]


def _median(values):
    return None if values is None else round(statistics.median(values), 2)


def _cpu(ours, theirs):
    if ours is None:
        return "–"
    return f"{ours:.1f} µs" + ("" if theirs is None else f" ({theirs:.1f})")


def _goal(goal):
    return "–" if goal is None else goal.replace("<=", "≤").replace(">=", "≥")


def _quantity(value, spread, unit):
    median = f"{_number(value)} {unit}"
    if spread[0] == spread[1]:
        return median
    return f"{median} [{_number(spread[0])} to {_number(spread[1])}]"


def _number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"
