import Domain

extension FoldedAppend {
    /// By how many activities change, one event each. Some may begin, or have other words.
    static let rows = rowsStatements(ofKnownWords: false)

    /// Likewise, of activities that have events, and whose words are those that are stored.
    static let rowsOfKnownWords = rowsStatements(ofKnownWords: true)

    /// Where an activity has several events.
    static let arrays = arraysStatement(ofKnownWords: false)
    static let arraysOfKnownWords = arraysStatement(ofKnownWords: true)

    private static func rowsStatements(ofKnownWords: Bool) -> [Int: String] {
        let first = ofKnownWords ? afterMark : afterMark + 1
        let statements = (1...Limits.foldedAlongMax).map { count in
            let sql = statement(
                recording: count == 1 ? PlainAppend.insertOne : PlainAppend.insertMany,
                ifNew: count == 1 ? PlainAppend.isNewOne : PlainAppend.areNew,
                ofKnownWords: ofKnownWords,
                snapshots: Snapshot.values(count, from: first),
                decisions: Decision.values(count, from: first + count * Snapshot.columnCount))
            return (count, sql)
        }
        return Dictionary(uniqueKeysWithValues: statements)
    }

    private static func arraysStatement(ofKnownWords: Bool) -> String {
        let first = ofKnownWords ? afterMark : afterMark + 1
        return statement(
            recording: PlainAppend.insertMany, ifNew: PlainAppend.areNew,
            ofKnownWords: ofKnownWords,
            snapshots: Snapshot.unnested(from: first),
            decisions: Decision.unnested(from: first + Snapshot.columnCount))
    }

    /// The first parameter after those of the head, the events and the checkpoint. It has the
    /// activities that must not have any events yet, where there may be some.
    private static let afterMark = 19

    /// Moving the head locks it, and the checkpoint only if nobody holds that: who records waits
    /// for no one who folds.
    ///
    /// A time that is foreseen must lie after all that is recorded and near to the clock of
    /// Postgres, as any other time of recording.
    private static func statement(
        recording events: String, ifNew areNotKnown: String, ofKnownWords: Bool,
        snapshots: String, decisions: String
    ) -> String {
        let areNew = """
            AND NOT EXISTS (
                SELECT FROM unnest($\(afterMark)::text[]) AS a (activity_id)
                JOIN event e ON e.tenant = $1 AND e.activity_id = a.activity_id
            )
            """
        let replacing = ofKnownWords ? Snapshot.replaceStoredButWords : Snapshot.replaceStored
        return """
            WITH head AS (
                UPDATE log_head SET position = position + $2, tag = $3, recorded_at = $15
                WHERE tenant = $1 AND position = $4 AND tag = $5 AND policy_epoch = $16
                    AND recorded_at <= $15
                    AND $15 BETWEEN clock_timestamp() - interval '1 s'
                        AND clock_timestamp() + interval '10 ms'
                    AND \(areNotKnown)
                    \(ofKnownWords ? "" : areNew)
                RETURNING position - $2 AS before, recorded_at
            ), inserted AS (
                \(events)
            ), locked AS MATERIALIZED (
                SELECT c.tenant FROM head, projection_checkpoint c
                WHERE c.tenant = $1 AND c.position = $4 AND c.generation = $17 AND c.moved_at = $18
                FOR UPDATE OF c SKIP LOCKED
            ), moved AS (
                UPDATE projection_checkpoint c SET position = $4 + $2, moved_at = $15
                FROM locked l WHERE c.tenant = l.tenant
                RETURNING c.tenant, c.generation
            ), snapshots AS (
                INSERT INTO snapshot (tenant, generation, \(Snapshot.columns))
                SELECT m.tenant, m.generation, i.* FROM moved m, \(snapshots) AS i
                \(replacing)
            ), decisions AS (
                INSERT INTO decision (tenant, \(Decision.columns))
                SELECT m.tenant, i.* FROM moved m, \(decisions) AS i
            )
            SELECT head.before, EXISTS (SELECT FROM moved), clock_timestamp() FROM head
            """
    }
}
