import Domain
import Postgres

extension TenantMove {
    /// Compares both sides, fences the tenant, brings and compares the rest, and has it leave.
    func handOver(_ course: inout MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        try await compareAll(&course, ends)
        // What has changed while all was compared is not to be compared behind the fence.
        try await catchUp(&course, ends)
        try await compareChanged(&course, ends)
        try await catchUp(&course, ends)
        let began = ContinuousClock.now
        try await fence(course, ends)
        let fenced = ContinuousClock.now
        do throws(Failure) {
            try await reached(.fenced)
            try await catchUp(&course, ends)
            try await requireWatched(course, ends)
            try await requireKeysThatFit(course.tenant, ends)
            try await compareChanged(&course, ends)
            try await sign(course, ends)
            try await reached(.verified)
            try await leave(course, ends)
        } catch {
            // It would open by itself, but a little later.
            _ = try? await ends.ask(.source, "SELECT reopen_tenant($1)", [.tenant(course.tenant)])
            throw error
        }
        try await reached(.left)
        try await open(course, ends)
        course.report.closedMillis = Self.millis(fenced - began)
        course.report.fencedMillis = Self.millis(ContinuousClock.now - fenced)
        try await reached(.opened)
    }

    private static func millis(_ duration: Duration) -> Int {
        Int(duration / .milliseconds(1))
    }

    /// First nothing more is claimed for it; when what is under way has ended, nothing is written.
    private func fence(_ course: MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        let tenant = Parameter.tenant(course.tenant)
        for _ in 0..<Limits.moveClosingsMax {
            try Self.checkCancelled()
            _ = try await ends.insist(
                "SELECT close_tenant($1, $2)",
                [tenant, .float8(Limits.moveClosedSeconds)])
            try await reached(.closed)
            let end = ContinuousClock.now + .seconds(Limits.moveClosedSeconds / 2)
            while ContinuousClock.now < end {
                let isSending: Bool? = try await ends.value(
                    .source, "SELECT is_sending_for($1)", [tenant])
                if isSending == false {
                    let rows = try await ends.insist(
                        "SELECT fence_tenant($1, $2)",
                        [tenant, .float8(Limits.moveFencedSeconds)])
                    if try await asking(try rows.first?.bool(0)) == true { return }
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        _ = try? await ends.ask(.source, "SELECT reopen_tenant($1)", [tenant])
        throw .refused(
            "tenant \"\(course.name)\" is sent for without a pause: let the long fan-out end, and "
                + "run the move again")
    }

    private func requireWatched(
        _ course: MoveCourse, _ ends: MoveEnds
    ) async throws(Failure) {
        let unwatched: Int64? = try await ends.value(
            .source, "SELECT unwatched_tables($1)", [.tenant(course.tenant)])
        guard unwatched == 0 else {
            throw .refused("the schema has changed meanwhile: run the move again")
        }
    }

    /// Once both sides are the same, both databases note the same word. If the other one is set
    /// back to a moment before, its word is missing, or is that of an earlier try.
    private func sign(_ course: MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        let move: [Parameter] = [.tenant(course.tenant), .text(course.move)]
        let word: String? = try await ends.value(
            .source,
            """
            UPDATE tenant_move
            SET arrived = jsonb_build_object('\(Self.signature)', gen_random_uuid()::text)
            WHERE tenant = $1 AND move = $2 RETURNING arrived ->> '\(Self.signature)'
            """, move)
        try await ends.ask(
            .target,
            """
            UPDATE tenant_move
            SET arrived = arrived || jsonb_build_object('\(Self.signature)', $3::text)
            WHERE tenant = $1 AND move = $2
            """, move + [.text(word)])
    }

    /// Where the word is among the names of tables: no table has this one.
    private static let signature = "(all)"

    /// From here on there is no way back but another move.
    private func leave(_ course: MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        let url: String? = try await ends.value(.target, "SELECT url FROM cell WHERE is_here")
        let rows = try await ends.insist(
            "SELECT leave_cell($1, $2, $3)",
            [.tenant(course.tenant), .text(course.cell), .text(url)])
        guard try await asking(try rows.first?.bool(0)) == true else {
            throw .refused("the fence is over: run the move again")
        }
    }

    /// A second time changes nothing.
    private func open(_ course: MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        let known: String? = try await ends.value(
            .target, "SELECT move FROM tenant_move WHERE tenant = $1", [.tenant(course.tenant)])
        if known == course.move {
            try await requireUnopened(course, ends)
            try await requireSigned(course, ends)
            let epoch: Int64? = try await ends.value(.source, "SELECT epoch FROM log_identity")
            try await ends.ask(
                .target, "SELECT open_tenant($1, $2)", [.tenant(course.tenant), .int8(epoch ?? 1)])
        } else {
            try await requireArrived(course, ends)
        }
        // Its callers had to wait, and now they learn where it is.
        try await ends.ask(
            .source,
            """
            WITH opened AS (
                UPDATE tenant_move SET opened_at = clock_timestamp()
                WHERE tenant = $1 AND move = $2 AND state = 'gone' AND opened_at IS NULL
                RETURNING tenant
            )
            SELECT pg_notify('islet_news', 'keys ' || o.tenant) FROM opened o
            """, [.tenant(course.tenant), .text(course.move)])
    }

    /// One that was open there and arrives once more was set back to when it had arrived in part.
    private func requireUnopened(
        _ course: MoveCourse, _ ends: MoveEnds
    ) async throws(Failure) {
        let wasOpened: Bool? = try await ends.value(
            .source,
            "SELECT opened_at IS NOT NULL FROM tenant_move WHERE tenant = $1 AND move = $2",
            [.tenant(course.tenant), .text(course.move)])
        if wasOpened == true { throw Self.lost(course) }
    }

    /// One that has left is opened there only if all of it has arrived: its webhooks, keys and
    /// pending decisions are nowhere else. A move by an earlier program has no word, and is
    /// believed.
    private func requireSigned(_ course: MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        let sql = """
            SELECT arrived ->> '\(Self.signature)' FROM tenant_move
            WHERE tenant = $1 AND move = $2
            """
        let move: [Parameter] = [.tenant(course.tenant), .text(course.move)]
        let here: String? = try await ends.value(.source, sql, move)
        let there: String? = try await ends.value(.target, sql, move)
        if let here, here != there { throw Self.lost(course) }
    }

    private static func lost(_ course: MoveCourse) -> Failure {
        .stuck(
            "the database of cell \(course.cell) has lost tenant \"\(course.name)\" or a part of "
                + "it, perhaps as it was restored. Nothing is removed here: restore that database "
                + "to a time after the tenant had left this one, and run the move again")
    }

    /// What is here is the only copy if the other database was set back to before the arrival. What
    /// the tenant did there after the move began shows that it had arrived.
    private func requireArrived(
        _ course: MoveCourse, _ ends: MoveEnds
    ) async throws(Failure) {
        let beganAt: String? = try await ends.value(
            .source, "SELECT began_at::text FROM tenant_move WHERE tenant = $1",
            [.tenant(course.tenant)])
        let hasArrived: Bool? = try await ends.value(
            .target,
            """
            SELECT EXISTS (SELECT FROM tenant t WHERE t.id = $1)
                OR EXISTS (SELECT FROM departed_tenant d WHERE d.tenant = $1
                    AND d.left_at > $2::timestamptz)
                OR EXISTS (SELECT FROM removed_tenant r WHERE r.tenant = $1
                    AND r.removed_at > $2::timestamptz)
            """, [.tenant(course.tenant), .text(beganAt)])
        guard hasArrived == true else { throw Self.lost(course) }
    }

    /// Opens the tenant where it has gone, and removes what is left of it here.
    func settle(_ course: MoveCourse, _ ends: MoveEnds) async throws(Failure) {
        try await open(course, ends)
        try await clear(course.tenant, .source, of: course.move, ends)
        try await unwatch(course.tenant, ends)
        try await ends.ask(
            .source, "DELETE FROM tenant_move WHERE tenant = $1 AND move = $2",
            [.tenant(course.tenant), .text(course.move)])
        try await reached(.cleared)
    }

    func unwatch(_ tenant: TenantID, _ ends: MoveEnds) async throws(Failure) {
        for table in try await ends.tables() {
            _ = try await ends.insist(
                "SELECT unwatch_table($1, $2)", [.tenant(tenant), .text(table)])
        }
    }

    /// Removes what there is of a tenant that is elsewhere; at the target with the move itself.
    func clear(
        _ tenant: TenantID, _ end: MoveEnds.End, of move: String, _ ends: MoveEnds
    ) async throws(Failure) {
        let known: String? = try await ends.value(
            end, "SELECT move FROM tenant_move WHERE tenant = $1", [.tenant(tenant)])
        guard known == move else { return }
        var done: Int64 = 0
        while true {
            let removed: Int64? = try await ends.value(
                end, "SELECT clear_moved($1, $2)",
                [.tenant(tenant), .int4(Int32(Limits.moveNotesMax))])
            guard let removed, removed > 0 else { break }
            done += removed
            show("clearing", done, done + removed)
            try Self.checkCancelled()
        }
        if end == .target {
            try await ends.ask(
                end, "DELETE FROM tenant_move WHERE tenant = $1 AND move = $2",
                [.tenant(tenant), .text(move)])
        }
    }
}
