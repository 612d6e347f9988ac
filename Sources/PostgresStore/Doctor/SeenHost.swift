import Domain
public import EventLoop
public import Postgres

/// A host of the connection string, as it answered.
public struct SeenHost: Sendable {
    public struct Facts: Hashable, Sendable {
        public var isStandby: Bool
        /// As `server_version_num` has it.
        public var version: Int32
        /// The same for a primary and its standbys.
        public var systemIdentifier: Int64
        /// How much log it has or, as a standby, has got, from the beginning.
        public var logBytes: Int64 = 0
        /// A standby that is connected to the server it follows.
        public var isFollowing = true
        /// Of a primary: grows with each promotion, so that an old one which came back has a lower.
        public var timeline: Int64 = 0
    }

    public var host: ConnectionString.Host
    public var facts: Result<Facts, PostgresError>
    /// Sessions with it led to a primary and to a standby: something before them gives out both.
    public var isSeveral = false

    /// It answers, and lets nobody in; or a pooler before it shares sessions.
    public var refuses: Bool {
        switch facts {
        case .failure(.sharedSession), .failure(.notAdmitted): true
        case .success, .failure: false
        }
    }

    /// All hosts at once: one that hangs keeps nobody waiting for the others.
    public static func look(
        at hosts: [ConnectionString.Host], on loop: EventLoop
    ) async -> [SeenHost] {
        await inParallel(hosts) { host in
            let facts = await Result { () async throws(PostgresError) in
                try await read(host, loop)
            }
            return SeenHost(host: host, facts: facts)
        }
    }

    /// Compares what it was with what the sessions of a pool that leads there find.
    public mutating func compare(with pool: Pool) async {
        guard case .success(let facts) = facts,
            let row = try? await pool.query("SELECT pg_is_in_recovery()").first,
            let isStandby = try? row.bool(0)
        else { return }
        isSeveral = isSeveral || isStandby != facts.isStandby
    }

    private static func read(
        _ host: ConnectionString.Host, _ loop: EventLoop
    ) async throws(PostgresError) -> Facts {
        let connection = try await Connection.open(
            ConnectionConfiguration(
                url: host.url, applicationName: "islet doctor",
                connectTimeoutSeconds: Limits.doctorSecondsMax, isReadOnly: true),
            loop: loop)
        let rows = await Result { () async throws(PostgresError) in
            try await connection.query(question, timeout: .seconds(Limits.doctorSecondsMax))
        }
        await connection.close()
        let row = try rows.get().row(with: "system_identifier")
        return Facts(
            isStandby: try row.get(0), version: try row.get(1), systemIdentifier: try row.get(2),
            logBytes: try row.get(3), isFollowing: try row.get(4), timeline: try row.get(5))
    }

    private static let question = """
        SELECT pg_is_in_recovery(), current_setting('server_version_num')::int4,
            system_identifier, (coalesce(CASE WHEN pg_is_in_recovery()
                THEN greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
                ELSE pg_current_wal_lsn() END, '0/0') - '0/0')::int8,
            EXISTS (SELECT FROM pg_stat_wal_receiver),
            CASE WHEN pg_is_in_recovery() THEN 0 ELSE
                ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int8 END
        FROM pg_control_system()
        """
}

extension [SeenHost] {
    /// The place of the one that the rest is asked of, as nodes choose: of several primaries of one
    /// cluster the one with the newest timeline, of others the first; without any, a standby.
    public var examined: Int? {
        let answers = indices.compactMap { place in
            (try? self[place].facts.get()).map { (place: place, facts: $0) }
        }
        let primaries = answers.filter { !$0.facts.isStandby }
        guard let first = primaries.first else { return answers.first?.place }
        return primaries.reduce(first) { newest, other in
            newest.facts.systemIdentifier == other.facts.systemIdentifier
                && newest.facts.timeline < other.facts.timeline ? other : newest
        }.place
    }
}
