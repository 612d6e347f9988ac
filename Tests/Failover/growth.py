"""What must not grow however long everything runs: looked at while all is whole, after each fault."""

import pathlib
import statistics

# One row for each activity, phone, tenant or thing under way. Events and decisions are history.
KEPT_TABLES = ("snapshot", "delivery_state", "pending_decision", "registration", "log_head",
               "projection_checkpoint", "activity_notice", "card_start", "webhook_message",
               "app_alarm", "parked_event")
# By what is looked at: for a bound, the factor and what is added to what there was when warm.
BOUNDS = {
    "MB of memory of the larger node": (1.15, 32),
    "files of the node with more": (1.25, 16),
    "connections to the primary": (1.25, 8),
    "MB of tables that say what is": (1.5, 16),
}
# The first looks do not count: programs and caches take what they need.
WARM_SHARE = 0.3
LOOKS_MIN = 6


class Growth:
    def __init__(self, stage):
        self.stage = stage
        self.looks = []

    def look(self):
        processes = [process.pid for process in self.stage.servers.values()]
        psql = self.stage.cluster.psql
        tables = ", ".join(f"'{name}'" for name in KEPT_TABLES)
        self.looks.append((
            max(map(resident_megabytes, processes)),
            max(map(open_files, processes)),
            int(psql("SELECT count(*) FROM pg_stat_activity WHERE datname = 'islet' "
                     "AND usename LIKE 'islet%'")),
            int(psql("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
                     f"AND relname IN ({tables})")) / 1e6,
        ))

    def findings(self):
        """A line for each: the median of the last looks against that of the first warm ones."""
        count = len(self.looks)
        if count < LOOKS_MIN:
            return [(False, f"only {count} looks at what may grow; {LOOKS_MIN} say something")]
        first = int(count * WARM_SHARE)
        found = []
        for (what, (factor, more)), values in zip(BOUNDS.items(), zip(*self.looks)):
            before = statistics.median(values[first:first + 3])
            after = statistics.median(values[-3:])
            bound = before * factor + more
            found.append((after <= bound, f"{what}: {before:.0f} after {first + 1} faults, "
                          f"{after:.0f} after {count}, at most {max(values):.0f}; "
                          f"bound {bound:.0f}"))
        return found


def resident_megabytes(process):
    pages = int(pathlib.Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4_096 / 1e6


def open_files(process):
    return len(list(pathlib.Path(f"/proc/{process}/fd").iterdir()))
