import Domain
import Postgres

/// A batch of one tenant that was folded before it is recorded: one statement records it, moves
/// the checkpoint and writes what was folded.
///
/// Position, version and time of each event have to be foreseen for that. The statement records
/// nothing unless all of it comes true; it records without folding when only the checkpoint is
/// another, or somebody else holds it.
struct FoldedAppend {
    let append: PlainAppend
    let outcome: FoldOutcome
    /// What the checkpoint has to be like.
    let mark: HotSnapshots.Mark
    let recordedAt: Moment
    let policyEpoch: Int
    /// The words of each snapshot are those that are stored, so that none is the first one.
    let hasKnownWords: Bool

    /// What the checkpoint will be like.
    var after: HotSnapshots.Mark {
        HotSnapshots.Mark(
            position: mark.position + Int64(append.events.count), generation: mark.generation,
            movedAt: recordedAt)
    }

    /// Whether `next` comes directly after it.
    func precedes(_ next: PlainAppend) -> Bool {
        next.tenant == append.tenant && next.expected?.position == after.position
    }

    /// What became of it.
    struct End {
        var outcomes: [AppendOutcome]
        /// The checkpoint moved, and the outcome is written.
        var isFolded: Bool
        /// By the clock of Postgres.
        var time: Moment
    }

    var statement: Statement {
        let (snapshots, decisions) = (outcome.snapshots, outcome.decisions)
        let begun = append.unknown
        var parameters = append.head
        parameters += append.events.count == 1 ? append.row : append.columns
        parameters += [
            .moment(recordedAt), .int4(Int32(clamping: policyEpoch)), .int4(mark.generation),
            .moment(mark.movedAt),
        ]
        // The words of an activity that begins are not known.
        if !hasKnownWords { parameters.append(.texts(begun.lazy.map(\.rawValue))) }
        let statements = hasKnownWords ? Self.rowsOfKnownWords : Self.rows
        guard snapshots.count == append.events.count, let sql = statements[snapshots.count] else {
            let rows = Snapshot.columns(of: snapshots) + Decision.columns(of: decisions)
            return Statement(
                hasKnownWords ? Self.arraysOfKnownWords : Self.arrays, parameters + rows)
        }
        for snapshot in snapshots { parameters += snapshot.row }
        for decision in decisions { parameters += decision.row }
        return Statement(sql, parameters)
    }

    /// - Returns: nil when something was not as foreseen: nothing was recorded.
    func end(_ rows: Rows, notingIn ends: inout LogEnds) throws(PostgresError) -> End? {
        guard let row = rows.first else { return nil }
        return End(
            outcomes: append.outcomes(
                after: try row.get(0), Array(repeating: 0, count: append.unknown.count),
                notingIn: &ends),
            isFolded: try row.get(1), time: try row.moment(2))
    }

    /// For whoever folds it after all.
    var stretch: FreshEvents.Stretch? {
        append.foreseen(at: recordedAt).map {
            FreshEvents.Stretch(events: $0, policyEpoch: policyEpoch)
        }
    }
}
