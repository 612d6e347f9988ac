/// What is said of a log that is held, or of what is ahead of it, and what is to be done: the same
/// words by a server, by `islet restore` and by `islet doctor`.
public enum LogExplanation {
    /// Why nothing is sent from the database.
    public static func why(_ hold: LogHold) -> String {
        switch hold {
        case .asked: "an operator asked for that with `islet restore hold`"
        case .setBack: "the log was set back: a node has acknowledged more than there is"
        case .copied:
            "this database is a copy: it was restored from a dump, moved or upgraded"
        case .timeline:
            "Postgres goes by another timeline, as after a restore to a point in time, and no node "
                + "has seen the promotion"
        }
    }

    /// What ends a hold. What a restore brings back of a person is sent when it is accepted.
    public static let remedy =
        "if this is the log from now on, and nothing sends from another copy: first `islet erase` "
        + "again for everyone whose erasure is newer than the backup, then `islet restore accept`, "
        + "with --complete if nothing is missing"

    /// What is ahead of what.
    public static func line(_ inconsistency: LogInconsistency) -> String {
        switch inconsistency {
        case .head(let tenant, let position, let last):
            "the log of \(tenant) is said to end at \(position) and ends at \(last)"
        case .checkpoint(let tenant, let position, let head):
            "the checkpoint of \(tenant) is \(position), and its log ends at \(head)"
        case .webhook(let tenant, let position, let head):
            "a webhook of \(tenant) got changes up to \(position), and its log ends at \(head)"
        case .timestamp(let tenant, let seconds):
            "phones of \(tenant) were sent the timestamp \(seconds), which is in the future"
        case .clock(let seconds):
            "the database's clock is \(seconds) s behind what the database has written down"
        }
    }

    /// Of tables whose rows may be there and look lost.
    public static func hidden(_ tables: [String]) -> String {
        "nobody can say whether the log is whole: this database user is not shown all rows of "
            + "\(tables.joined(separator: ", ")), or may not read them; restore no backup "
            + "before this is repaired"
    }

    /// What mends them: where only times are ahead, time itself does.
    public static func remedy(of inconsistencies: [LogInconsistency]) -> String {
        let isClock = inconsistencies.allSatisfy { inconsistency in
            switch inconsistency {
            case .timestamp, .clock: true
            case .head, .checkpoint, .webhook: false
            }
        }
        return isClock
            ? "set the clock of the database's machine right, or wait until it has come that far"
            : "restore all of the database from one and the same backup"
    }
}
