"""Notes that load and writer take, and how long each thing stood still."""

import bisect
import collections
import dataclasses

# An acknowledged event waits for its phone at least as long as aps.timestamp takes to move on.
PHONE_SECONDS = 2.0
TAKE_OVER_SECONDS = 15.0


class Notes:
    """What load and writer have printed so far."""

    def __init__(self, load, writer):
        self._files = [open(load, encoding="utf-8"), open(writer, encoding="utf-8")]
        self._rests = ["", ""]
        # Moments at which each of it happened.
        self.times = collections.defaultdict(list)
        # By kind of line: the newest moment.
        self.last = {}
        self.acked = {}
        # By order: moments and numbers.
        self.told = collections.defaultdict(list)
        self.shown = collections.defaultdict(list)
        self.refusals = []
        self.rows = []
        self.violations = []

    def read(self):
        """Takes in what is new."""
        for index, file in enumerate(self._files):
            *lines, self._rests[index] = (self._rests[index] + file.read()).split("\n")
            for line in lines:
                if index == 0:
                    self._take(*line.split(" "))
                else:
                    moment, number = line.split(" ")
                    self.rows.append(int(number))
                    self._note("row", float(moment))

    def _take(self, kind, moment, *rest):
        moment = float(moment)
        self._note(kind, moment)
        if kind == "ack":
            order, number, position, ident = rest
            if ident in self.acked:
                self.violations.append(f"{ident} was acknowledged to two merchants")
            self.acked[ident] = int(position)
            self.told[order].append((moment, int(number)))
        elif kind == "no":
            self.refusals.append((moment, rest[0]))
        elif kind == "show":
            order, number = rest[0], int(rest[1])
            if self.shown[order] and number < self.shown[order][-1][1]:
                self.violations.append(
                    f"the phone of {order} went from {self.shown[order][-1][1]} back to {number}")
            self.shown[order].append((moment, number))

    def _note(self, kind, moment):
        self.times[kind].append(moment)
        self.last[kind] = moment

    def longest(self, kind, start, end):
        """The longest time without it that touches a span."""
        times = self.times[kind]
        first = max(0, bisect.bisect_right(times, start) - 1)
        touched = times[first:bisect.bisect_left(times, end)] or [start]
        gaps = [after - before for before, after in zip(touched, touched[1:])]
        return max([*gaps, end - touched[-1]])

    def longest_wait(self, start, end):
        """The longest time that an acknowledged event waited for its phone to know of it."""
        longest = 0.0
        for order, told in self.told.items():
            shown = iter(self.shown[order] + [(end, float("inf"))])
            seen, known = next(shown)
            for moment, number in told:
                if moment > end:
                    break
                while known < number:
                    seen, known = next(shown)
                if seen > start:
                    longest = max(longest, min(seen, end) - moment)
        return longest

    def reasons(self, start, end):
        """What merchants got instead of an acknowledgement, with counts."""
        found = collections.Counter(reason for at, reason in self.refusals if start <= at <= end)
        return dict(found.most_common())


@dataclasses.dataclass
class Row:
    """One fault's line of the table; times in seconds."""

    fault: str
    writer: float
    acknowledgements: float
    folds: float
    pushes: float
    phone: float
    bound: float
    push_bound: float
    refused: dict
    # Without a fault nothing is bounded.
    is_calm: bool = False

    @property
    def phone_bound(self):
        return max(self.push_bound, TAKE_OVER_SECONDS) + PHONE_SECONDS

    @property
    def passed(self):
        return self.is_calm or (
            max(self.acknowledgements, self.folds) <= self.bound
            and self.pushes <= self.push_bound and self.phone <= self.phone_bound)


def measure(notes, fault, start, end):
    writer = notes.longest("row", start, end)
    bound = max(2 + 1.5 * writer, fault.bound_min)
    return Row(
        fault.title, writer, notes.longest("ack", start, end), notes.longest("fold", start, end),
        notes.longest("push", start, end), notes.longest_wait(start, end), bound,
        max(bound, fault.push_bound_min), notes.reasons(start, end), fault.is_calm)


HEADINGS = ("fault", "plain writer", "acknowledgements", "folds", "pushes", "bound",
            "one phone", "bound", "verdict", "instead of an acknowledgement")


def cells(row):
    bounds = ("", "") if row.is_calm else (f"{row.bound:.1f}", f"{row.phone_bound:.1f}")
    refused = ", ".join(f"{count} × {reason}" for reason, count in row.refused.items())
    verdict = "" if row.is_calm else "passed" if row.passed else "FAILED"
    return (row.fault, f"{row.writer:.1f}", f"{row.acknowledgements:.1f}", f"{row.folds:.1f}",
            f"{row.pushes:.1f}", bounds[0], f"{row.phone:.1f}", bounds[1], verdict, refused)


def markdown(rows):
    """The table, with seconds."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---" * len(HEADINGS) + "|"]
    return "\n".join(lines + ["| " + " | ".join(cells(row)) + " |" for row in rows])


def worst(rows):
    """Of several faults of a kind, the longest of each; `passed` only when each did."""
    found = {}
    for row in rows:
        found.setdefault(row.fault, []).append(row)
    table = []
    for fault, group in found.items():
        hardest = min(group, key=lambda row: (row.passed, row.bound - max(
            row.acknowledgements, row.folds, row.pushes)))
        title = fault if len(group) == 1 else f"{fault}, the worst of {len(group)}"
        refused = sum((collections.Counter(row.refused) for row in group), collections.Counter())
        table.append(dataclasses.replace(
            hardest, fault=title, refused=dict(refused.most_common())))
    return table
