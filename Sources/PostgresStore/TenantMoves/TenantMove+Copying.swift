import Domain
import Postgres

extension TenantMove {
    /// Brings everything to the target, while the tenant is in use.
    func bring(_ course: inout MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        let tables = try await ends.tables()
        for table in tables {
            _ = try await ends.insist(
                "SELECT watch_table($1, $2)", [.tenant(course.tenant), .text(table)])
        }
        try await reached(.watched)
        try await arrive(course, ends)
        try await reached(.arriving)
        for (index, table) in tables.enumerated() {
            show("copying", Int64(index), Int64(tables.count))
            try await copy(table, &course, ends)
        }
        try await reached(.copied)
        try await catchUp(&course, ends)
        try await reached(.caughtUp)
    }

    private func arrive(_ course: MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        let known: String? = try await ends.value(
            .target, "SELECT move FROM tenant_move WHERE tenant = $1", [.tenant(course.tenant)])
        if known == course.move { return }
        let own: String? = try await ends.value(.source, "SELECT name FROM cell WHERE is_here")
        if let known {
            let from: String? = try await ends.value(
                .target, "SELECT cell FROM tenant_move WHERE tenant = $1", [.tenant(course.tenant)])
            // It may have left the other cell: then all there is of it is here.
            guard let from, from == own else {
                throw .refused("the tenant is arriving there from cell \(from ?? "?") already")
            }
            // What an earlier move from here has left.
            try await clear(course.tenant, .target, of: known, ends)
        }
        let rows = try await ends.ask(
            .source, "SELECT created_at FROM tenant WHERE id = $1", [.tenant(course.tenant)])
        do throws(PostgresError) {
            let created = try rows.first?.moment(0)
            _ = try await ends.target.query(
                "SELECT begin_arrival($1, $2, $3, $4, $5)",
                [
                    .tenant(course.tenant), .text(course.name), .moment(created),
                    .text(course.move), .text(own),
                ])
        } catch { throw .otherStore(error) }
    }

    /// Page by page, each with how far that is, in one transaction.
    private func copy(
        _ table: String, _ course: inout MoveCourse, _ ends: MoveEnds
    ) async throws(Failure) {
        while true {
            try Self.checkCancelled()
            let place: String? = try await ends.value(
                .target, "SELECT (arrived -> $2)::text FROM tenant_move WHERE tenant = $1",
                [.tenant(course.tenant), .text(table)])
            if place == "null" { return }
            let page = try await ends.ask(
                .source, "SELECT key::text, line FROM page_of_tenant($1, $2, $3::text::jsonb, $4)",
                [
                    .tenant(course.tenant), .text(table), .text(place),
                    .int4(Int32(Limits.moveRowsMax)),
                ])
            let lines = try await asking(
                try page.decoded { (row) throws(PostgresError) in
                    (key: try row.text(0), line: try row.text(1))
                })
            let end = lines.count < Limits.moveRowsMax ? "null" : lines.last?.key ?? "null"
            try await put(lines, of: table, upTo: end, &course, ends)
        }
    }

    private func put(
        _ page: [(key: String, line: String)], of table: String, upTo end: String,
        _ course: inout MoveCourse, _ ends: MoveEnds
    ) async throws(Failure) {
        var lines = page
        var attempts = 0
        while true {
            do throws(PostgresError) {
                return try await ends.target.transaction { (target) async throws(PostgresError) in
                    try await Self.put(
                        table, course.tenant, lines.map(\.key), lines.map(\.line), target)
                    _ = try await target.query(
                        """
                        UPDATE tenant_move
                        SET arrived = arrived || jsonb_build_object($2::text, $3::text::jsonb)
                        WHERE tenant = $1
                        """,
                        [.tenant(course.tenant), .text(table), .text(end)])
                }
            } catch {
                attempts += 1
                guard error.comesTooEarly, attempts <= Limits.moveAttemptsMax else {
                    throw .otherStore(error)
                }
                // What a row refers to is younger than the page that it would have been on, or has
                // what a row had that was copied before. It has been noted, and comes first. Rows
                // of this page that were noted too come with it as they are now.
                try await catchUp(&course, ends, copying: table) { taken in
                    let newer = Set(taken[table] ?? [])
                    lines.removeAll { newer.contains($0.key) }
                }
            }
        }
    }

    private nonisolated(nonsending) static func put(
        _ table: String, _ tenant: TenantID, _ keys: [String], _ lines: [String?],
        _ target: Connection
    ) async throws(PostgresError) {
        guard !keys.isEmpty else { return }
        _ = try await target.query(
            "SELECT put_moved_rows($1, $2, $3::text[]::jsonb[], $4::text[])",
            [.tenant(tenant), .text(table), .texts(keys), .texts(lines)],
            timeout: .seconds(Limits.moveCallSecondsMax))
    }

    /// Takes along all that is noted. What is noted meanwhile takes no longer than one more round.
    /// - Parameters:
    ///   - copying: the table of which a page is being put; nil once all have been copied.
    ///   - take: called with the keys of a round's rows, by table.
    func catchUp(
        _ course: inout MoveCourse, _ ends: MoveEnds, copying: String? = nil,
        take: ([String: [String]]) -> Void = { _ in }
    ) async throws(Failure) {
        var tables = try await ends.tables()
        if let copying {
            // The others are copied later, as they are then. What they refer to may not be there.
            let begun = try await ends.texts(
                .target, "SELECT jsonb_object_keys(arrived) FROM tenant_move WHERE tenant = $1",
                [.tenant(course.tenant)])
            tables.removeAll { $0 != copying && !begun.contains($0) }
        }
        var roundNotesMax = Limits.moveNotesMax
        var leftBefore = Int64.max
        for round in 0... {
            try Self.checkCancelled()
            if round.isMultiple(of: Limits.moveRoundsMax) {
                let left = try await notes(of: course.tenant, upTo: Int.max, ends)
                guard left < leftBefore else { break }
                leftBefore = left
            }
            let left = try await notes(of: course.tenant, upTo: roundNotesMax + 1, ends)
            let taken: [String: [String]]
            do throws(Failure) {
                taken = try await takeAlong(course.tenant, tables, roundNotesMax, ends)
            } catch .otherStore(let error)
                where error.comesTooEarly && roundNotesMax < Limits.moveRoundNotesMax
            {
                // The note of what a row refers to is among the next ones.
                roundNotesMax *= 2
                continue
            }
            take(taken)
            let noted = Int64(taken.values.reduce(0) { $0 + $1.count })
            course.note(changed: taken)
            guard course.changedCount <= Limits.moveChangedMax else { break }
            course.report.caughtUp += noted
            show("catching up", course.report.caughtUp, course.report.caughtUp + left)
            if left <= roundNotesMax { return }
        }
        throw .refused(
            "tenant \"\(course.name)\" changes faster than it can be copied: try at a quieter time")
    }

    /// How many notes have not been taken along, counted up to a number.
    private func notes(
        of tenant: TenantID, upTo most: Int, _ ends: MoveEnds
    ) async throws(Failure) -> Int64 {
        try await ends.value(
            .source,
            """
            SELECT count(*)
            FROM (SELECT FROM moved_row WHERE tenant = $1 ORDER BY id LIMIT $2) n
            """,
            [.tenant(tenant), .int8(Int64(most))]) ?? 0
    }

    /// The notes go when the target has their rows durably, so that none is lost.
    /// - Returns: the keys of the rows that had changed, by table.
    private func takeAlong(
        _ tenant: TenantID, _ tables: [String], _ notesMax: Int, _ ends: MoveEnds
    ) async throws(Failure) -> [String: [String]] {
        var end = MoveEnds.End.source
        do throws(PostgresError) {
            return try await ends.source.transaction { (source) async throws(PostgresError) in
                let rows = try await source.query(
                    "SELECT relname, key::text, line FROM take_moved_rows($1, $2)",
                    [.tenant(tenant), .int4(Int32(notesMax))],
                    timeout: .seconds(Limits.moveCallSecondsMax))
                var lines: [String: (keys: [String], lines: [String?])] = [:]
                for row in rows {
                    let table = try row.text(0)
                    lines[table, default: ([], [])].keys.append(try row.text(1))
                    lines[table, default: ([], [])].lines.append(try row.optional(2))
                }
                guard !lines.isEmpty else { return [:] }
                end = .target
                try await ends.target.transaction { (target) async throws(PostgresError) in
                    // What is gone goes before what it referred to, and what is new comes after.
                    for table in tables.reversed() {
                        guard let part = lines[table] else { continue }
                        let gone = zip(part.keys, part.lines).filter { $1 == nil }.map(\.0)
                        try await Self.put(
                            table, tenant, gone, gone.map { _ in nil }, target)
                    }
                    for table in tables {
                        guard let part = lines[table] else { continue }
                        let there = zip(part.keys, part.lines).filter { $1 != nil }
                        try await Self.put(
                            table, tenant, there.map(\.0), there.map(\.1), target)
                    }
                }
                end = .source
                return lines.mapValues(\.keys)
            }
        } catch { throw end.failure(error) }
    }

    static func checkCancelled() throws(Failure) {
        if Task.isCancelled {
            throw .refused("the move was broken off")
        }
    }
}

extension PostgresError {
    /// A row came before one that it needs, or before one had gone that excludes it.
    fileprivate var comesTooEarly: Bool {
        [SQLState.foreignKeyViolation, SQLState.uniqueViolation].contains(sqlState)
    }
}
