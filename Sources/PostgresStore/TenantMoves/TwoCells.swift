import Domain
public import EventStore
public import Postgres

/// What keeps tenants from moving between two cells, or makes Apple refuse what one of them sends.
/// Cells do not talk to each other, so somebody has to look at both.
public struct TwoCells: Sendable {
    public enum Finding: Hashable, Sendable {
        /// A database has no cell's name or number: this one, or the other.
        case unnamed(isOther: Bool)
        case unnumbered(isOther: Bool)
        case sameName(String)
        case sameNumber(Int)
        /// Callers of one of these cells would be redirected to another one of them.
        case sameAddress(String, cells: [String])
        case otherTables
        /// Each app belongs to one developer account, in whichever cell it is used.
        case otherTeam(DisputedBundle)
        /// Ids of the master keys that apps' keys and webhooks' secrets are sealed with, where they
        /// differ: nodes of one cell may not open what comes from the other.
        case otherMasterKeys(here: [String], other: [String])
        /// Both have one of this name. If it is one and the same, a database was restored to before
        /// a move of it.
        case sameTenant(String, isOne: Bool)
        /// Nobody moves it now. Of this database, or of the other.
        case stalledMove(MovingTenant, isOther: Bool)
    }

    public struct DisputedBundle: Hashable, Sendable {
        public var bundleID: String
        public var teamID: String
        public var otherTeamID: String
    }

    let here: Pool
    let other: Pool

    public init(_ here: Pool, _ other: Pool) {
        self.here = here
        self.other = other
    }

    public func findings() async throws(TenantMove.Failure) -> [Finding] {
        try await MoveEnds.with(here, other) { (ends) async throws(TenantMove.Failure) in
            try await Self.findings(ends)
        }
    }

    private static func findings(_ ends: MoveEnds) async throws(TenantMove.Failure) -> [Finding] {
        try await ends.requireTwoDatabases()
        var findings = try await names(ends) + sameAddresses(ends)
        if try await !ends.haveSameTables() { findings.append(.otherTables) }
        findings += try await ends.disputedBundles(of: nil).map { .otherTeam($0) }
        let (here, other) = (
            try await ends.masterKeys(.source), try await ends.masterKeys(.target)
        )
        if !here.isEmpty, !other.isEmpty, here != other {
            findings.append(.otherMasterKeys(here: here, other: other))
        }
        return try await findings + sameTenants(ends) + stalledMoves(ends)
    }

    /// If both cells know of a move, only the one that the tenant leaves reports it: the move goes
    /// on there.
    private static func stalledMoves(
        _ ends: MoveEnds
    ) async throws(TenantMove.Failure) -> [Finding] {
        var moves: [(move: MovingTenant, isOther: Bool)] = []
        for end in [MoveEnds.End.source, .target] {
            let before = try await ends.ask(end, MovingTenant.all)
            let now = try await ends.ask(end, MovingTenant.all)
            moves += try await asking(try MovingTenant.moves(before, now), end)
                .map { (move: $0, isOther: end == .target) }
        }
        let leaving = Set(moves.filter { $0.move.state != .arriving }.map(\.move.id))
        return moves.filter {
            !$0.move.isUnderWay && ($0.move.state != .arriving || !leaving.contains($0.move.id))
        }.map { .stalledMove($0.move, isOther: $0.isOther) }
    }

    private static func names(_ ends: MoveEnds) async throws(TenantMove.Failure) -> [Finding] {
        var findings: [Finding] = []
        var cells: [(name: String?, number: Int32?)] = []
        for end in [MoveEnds.End.source, .target] {
            let name: String? = try await ends.value(end, "SELECT name FROM cell WHERE is_here")
            let number: Int32? = try await ends.value(
                end, "SELECT number FROM cell WHERE is_here")
            if name == nil { findings.append(.unnamed(isOther: end == .target)) }
            if name != nil, number == nil { findings.append(.unnumbered(isOther: end == .target)) }
            cells.append((name, number))
        }
        if let name = cells[0].name, name == cells[1].name { findings.append(.sameName(name)) }
        if let number = cells[0].number, number == cells[1].number {
            findings.append(.sameNumber(Int(number)))
        }
        return findings
    }

    /// Of all cells that one of the two knows.
    private static func sameAddresses(
        _ ends: MoveEnds
    ) async throws(TenantMove.Failure) -> [Finding] {
        var names: [String: Set<String>] = [:]
        for end in [MoveEnds.End.source, .target] {
            let rows = try await ends.ask(
                end, "SELECT url, name FROM cell WHERE url IS NOT NULL")
            let known = try await asking(
                try rows.decoded { (row) throws(PostgresError) in
                    (url: try row.text(0), name: try row.text(1))
                }, end)
            for cell in known { names[cell.url, default: []].insert(cell.name) }
        }
        return names.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
            .map { .sameAddress($0.key, cells: $0.value.sorted()) }
    }

    /// One that is on its way between them is no second one.
    private static func sameTenants(
        _ ends: MoveEnds
    ) async throws(TenantMove.Failure) -> [Finding] {
        // Two cells without numbers give the same ids, but not at the same moment.
        let staying = """
            SELECT t.name, concat_ws(' ', t.id, extract(epoch FROM t.created_at)) AS origin
            FROM tenant t
            WHERE NOT EXISTS (SELECT FROM tenant_move m WHERE m.tenant = t.id)
            """
        let known = try await ends.ask(.source, staying)
        let here = try await asking(
            try known.decoded { (row) throws(PostgresError) in
                (name: try row.text(0), origin: try row.text(1))
            })
        let rows = try await ends.ask(
            .target,
            """
            SELECT t.name, t.origin = s.origin
            FROM unnest($1::text[], $2::text[]) AS s (name, origin)
            JOIN (\(staying)) t ON t.name = s.name
            ORDER BY t.name
            """, [.texts(here.map(\.name)), .texts(here.map(\.origin))])
        return try await asking(
            try rows.decoded { (row) throws(PostgresError) in
                Finding.sameTenant(try row.text(0), isOne: try row.bool(1))
            }, .target)
    }
}

extension MoveEnds {
    func requireTwoDatabases() async throws(TenantMove.Failure) {
        if try await haveSame("SELECT database_marker()") {
            throw .refused("both are the same database: name another one with --to-url-file")
        }
    }

    func haveSameTables() async throws(TenantMove.Failure) -> Bool {
        try await haveSame("SELECT md5(moving_columns())")
    }

    private func haveSame(_ sql: String) async throws(TenantMove.Failure) -> Bool {
        let one: String? = try await value(.source, sql)
        let other: String? = try await value(.target, sql)
        return one == other
    }

    /// Bundle ids of the source, or of one tenant there, that are another team's in the target.
    func disputedBundles(
        of tenant: TenantID?
    ) async throws(TenantMove.Failure) -> [TwoCells.DisputedBundle] {
        let known = try await ask(
            .source,
            """
            SELECT DISTINCT bundle_id, team_id FROM app_key WHERE $1::int IS NULL OR tenant = $1
            """, [.int4(tenant?.rawValue)])
        let pairs = try await asking(
            try known.decoded { (row) throws(PostgresError) in
                (bundleID: try row.text(0), teamID: try row.text(1))
            })
        let rows = try await ask(
            .target,
            """
            SELECT DISTINCT s.bundle_id, s.team_id, k.team_id
            FROM unnest($1::text[], $2::text[]) AS s (bundle_id, team_id)
            JOIN app_key k ON k.bundle_id = s.bundle_id AND k.team_id <> s.team_id
            ORDER BY 1, 2, 3
            """, [.texts(pairs.map(\.bundleID)), .texts(pairs.map(\.teamID))])
        return try await asking(
            try rows.decoded { (row) throws(PostgresError) in
                TwoCells.DisputedBundle(
                    bundleID: try row.text(0), teamID: try row.text(1),
                    otherTeamID: try row.text(2))
            })
    }

    /// Ids of the master keys that keys of apps and secrets of webhooks are sealed with, in order.
    /// - Parameters:
    ///   - tenant: whose they are; nil for all.
    ///   - other: whose they are not.
    func masterKeys(
        _ end: End, of tenant: TenantID? = nil, butOf other: TenantID? = nil
    ) async throws(TenantMove.Failure) -> [String] {
        try await texts(
            end,
            """
            SELECT DISTINCT s.master_key_id COLLATE "C" FROM (
                SELECT tenant, master_key_id FROM app_key
                UNION ALL SELECT tenant, master_key_id FROM webhook_secret
                WHERE ends_at IS NULL OR ends_at > clock_timestamp()
            ) s
            WHERE ($1::int IS NULL OR s.tenant = $1) AND ($2::int IS NULL OR s.tenant <> $2)
            ORDER BY 1
            """, [.int4(tenant?.rawValue), .int4(other?.rawValue)])
    }

    func texts(
        _ end: End, _ sql: String, _ parameters: [Parameter] = []
    ) async throws(TenantMove.Failure) -> [String] {
        let rows = try await ask(end, sql, parameters)
        return try await asking(
            try rows.decoded { (row) throws(PostgresError) in try row.text(0) }, end)
    }
}
