import Domain
import EventLoop
import EventStore
import Postgres

/// This process's claims: session-level advisory locks on one connection, so that they end with
/// the process, or soon after it stands still, and the timestamp each was given.
actor DeliveryClaims {
    nonisolated let pool: Pool
    private nonisolated let node: String
    private let policies: StoredPolicyCache
    private let claimHints: ClaimHints
    private let hub: NotificationHub
    private lazy var outcomes = OutcomeWriter(pool: pool) { [weak self, hub] claims in
        await self?.release(claims, .locks)
        await hub.tellOthers(
            Set(claims.map { StoreNotification.happened(.completed, $0.tenant) }))
    }
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private enum OwnedLock: Equatable { case claiming, stamped(Int64) }

    /// What is given back of keys.
    enum Release {
        /// Their locks: they were completed, or had nothing to send.
        case locks
        /// Their locks, and this node's name in `claimed_by` if it was written.
        case locksAndNames
        /// As `locksAndNames`, when the locking statement failed and nobody knows whether it took
        /// effect.
        case uncertain
    }

    private var connection: Connection?
    private var ownedLocks: [ClaimKey: OwnedLock] = [:]

    /// - Parameter node: the name under which others take over what this one leaves undone.
    init(
        pool: Pool, node: String, policies: StoredPolicyCache, claimHints: ClaimHints,
        hub: NotificationHub
    ) {
        self.pool = pool
        self.node = node
        self.hub = hub
        self.policies = policies
        self.claimHints = claimHints
    }

    /// Keys that this process owns, or will claim without looking.
    var ownedOrHintedKeys: [ClaimKey] { Array(Set(ownedLocks.keys).union(claimHints.keys)) }

    func claimNext(
        _ limit: Int, _ scope: ClaimScope, _ now: Moment?
    ) async throws(PostgresError) -> [DeliveryClaim] {
        switch scope {
        case .hinted: return try await claimHinted(limit, now)
        case .all: return try await lookAndClaim(limit, now)
        }
    }

    private func claimHinted(
        _ limit: Int, _ now: Moment?
    ) async throws(PostgresError) -> [DeliveryClaim] {
        let hinted = claimHints.take(limit) { ownedLocks[$0] == nil }
        return try await claim(hinted, .hinted, now)
    }

    private func lookAndClaim(
        _ limit: Int, _ now: Moment?
    ) async throws(PostgresError) -> [DeliveryClaim] {
        for _ in 0..<Limits.claimLooksMax {
            let found = try await look(limit, now)
            guard !found.isEmpty else { return [] }
            let claims = try await claim(found, .all, now)
            // Another node may have taken all of it since.
            guard claims.isEmpty else { return claims }
        }
        return []
    }

    /// What may be claimed. A look keeps no lock of what it finds, so that nothing is left of one
    /// that fails.
    private func look(_ limit: Int, _ now: Moment?) async throws(PostgresError) -> [ClaimKey] {
        let session = try await session()
        let rows = try await session.batch([
            .transactionDefaultSettings,
            Statement(
                ClaimQueries.look,
                [.moment(now)] + Parameter.keys(ownedLocks.keys)
                    + [.count(limit), .count(Limits.seenInPassingMax)]),
        ])[1]
        // The others are more than were asked for, or somebody has locked them just now.
        var (claimable, others): ([ClaimKey], [ClaimKey]) = ([], [])
        for row in rows {
            let key = try ClaimKey(row)
            if try row.get(2) { claimable.append(key) } else { others.append(key) }
        }
        claimHints.note(others)
        return claimable
    }

    /// Hinted activities are claimed in one round trip, with all that a fan-out to few needs.
    /// For those that a look has found plans are made as for the look, which takes two.
    private func claim(
        _ wanted: [ClaimKey], _ scope: ClaimScope, _ now: Moment?
    ) async throws(PostgresError) -> [DeliveryClaim] {
        guard !wanted.isEmpty else { return [] }
        let session = try await session()
        // Another call may have come in between, which reads what there is to send after that.
        let keys = wanted.filter { ownedLocks[$0] == nil }
        guard !keys.isEmpty else { return [] }
        for key in keys { ownedLocks[key] = .claiming }
        claimHints.forget(keys)
        // Nil for as long as nobody knows.
        var locked: [ClaimKey]?
        do throws(PostgresError) {
            let (locks, loaded) = try await lockAndLoad(keys, scope, now, session)
            try requireAlive(session)
            let mine = try locks.decoded(ClaimKey.init)
            for key in Set(keys).subtracting(mine) { ownedLocks[key] = nil }
            locked = mine
            let stamps = try Self.stamps(locks)
            var claims = try await makeClaims(stamps, loaded, session)
            if let phones = loaded.phones { try Self.add(phones, to: &claims) }
            // Looking may have taken long.
            if !session.heartbeat.isFresh { try await session.beatNow() }
            try requireAlive(session)
            for claim in claims { ownedLocks[ClaimKey(claim)] = .stamped(claim.timestamp) }
            let given = Set(claims.map { ClaimKey($0) })
            await releaseKeys(
                mine.filter { !given.contains($0) }, of: session,
                stamps.count > given.count ? .locksAndNames : .locks)
            return claims
        } catch {
            // This node's name may have been written: by a commit that waited for its standbys in
            // vain, or by one before the caller was cancelled.
            await releaseKeys(
                locked ?? keys, of: session, locked == nil ? .uncertain : .locksAndNames)
            throw error
        }
    }

    /// - Returns: the rows of the locked keys, and what was loaded of all keys; the phones only of
    ///   hinted ones.
    private func lockAndLoad(
        _ keys: [ClaimKey], _ scope: ClaimScope, _ now: Moment?, _ session: Connection
    ) async throws(PostgresError) -> (locks: Rows, loaded: ClaimRows) {
        let names = Parameter.keys(keys)
        let parameters = [.moment(now)] + names + [.text(node)]
        let loading = ClaimRows.statements(names, now)
        switch scope {
        case .all:
            let locks = try await session.batch([
                .transactionDefaultSettings, Statement(ClaimQueries.lockFound, parameters),
            ])[1]
            return (locks, ClaimRows(try await session.batch(loading)))
        case .hinted:
            let results = try await session.batch(
                [Statement(ClaimQueries.lockHinted, parameters)] + loading
                    + [Statement(ClaimQueries.phones, names + [.count(Limits.claimedPhonesMax)])])
            return (results[0], ClaimRows(Array(results.dropFirst())))
        }
    }

    /// Adds the phones of those activities that have few.
    private static func add(
        _ rows: Rows, to claims: inout [DeliveryClaim]
    ) throws(PostgresError) {
        var phones: [ClaimKey: [Registration]] = [:]
        for row in rows {
            let key = try ClaimKey(row)
            phones[key, default: []].append(try Registration(row, of: key, from: 2))
        }
        for index in claims.indices {
            let found = phones[ClaimKey(claims[index])] ?? []
            if found.count < Limits.claimedPhonesMax { claims[index].phones = found }
        }
    }

    /// Completes what a claim is on, and gives the claim back.
    func complete(
        _ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome
    ) async throws(PostgresError) {
        try requireOwned(claim)
        guard try await outcomes.complete(claim, outcome) else { throw Self.claimVoid }
    }

    /// See `DeliveryStore.renew`.
    func renew(
        _ claim: DeliveryClaim, _ now: Moment?
    ) async throws(PostgresError) -> DeliveryClaim? {
        try requireOwned(claim)
        let key = ClaimKey(claim)
        let row = try await pool.batch([
            .transactionFewRowsSettings,
            Statement(ClaimQueries.newestPending, Parameter.keys([key])),
        ])[1].first
        let newest: Int64? = try row?.optional(0)
        guard let newest, newest > claim.pending.last?.version ?? 0 else { return nil }
        let session = try await session()
        let names = Parameter.keys([key])
        let stamped = try await session.batch([
            .transactionDefaultSettings,
            Statement(ClaimQueries.stamp, [.moment(now)] + names + [.text(node)]),
        ])[1]
        var renewed: DeliveryClaim?
        if !stamped.isEmpty {
            let loaded = ClaimRows(try await session.batch(ClaimRows.statements(names, now)))
            renewed = try await makeClaims(Self.stamps(stamped), loaded, session).first
        }
        try requireOwned(claim)
        guard let renewed else { return nil }
        ownedLocks[key] = .stamped(renewed.timestamp)
        return renewed
    }

    private func isOwned(_ claim: DeliveryClaim) -> Bool {
        ownedLocks[ClaimKey(claim)] == .stamped(claim.timestamp)
    }

    /// Throws when the claim was given back or went with its connection.
    func requireOwned(_ claim: DeliveryClaim) throws(PostgresError) {
        guard isOwned(claim) else { throw Self.claimVoid }
    }

    /// Writes under a claim. The statement returns no row when a later claim was given out, which
    /// this process may not have heard of when its connection died silently.
    /// - Returns: what the statement gives beside the row that says that the claim is valid.
    func write(
        _ statement: Statement, under claim: DeliveryClaim
    ) async throws(PostgresError) -> Rows {
        try requireOwned(claim)
        let rows = try await pool.query(statement.sql, statement.parameters)
        guard !rows.isEmpty else { throw Self.claimVoid }
        return rows
    }

    /// Gives claims back.
    func release(_ claims: [DeliveryClaim], _ release: Release = .locksAndNames) async {
        guard let connection else { return }
        let mine = claims.filter { isOwned($0) }.map { ClaimKey($0) }
        await releaseKeys(mine, of: connection, release)
    }

    private static let claimVoid = PostgresError.connectionLost(
        detail: "the claim is void: claim again")

    private func session() async throws(PostgresError) -> Connection {
        if let connection, await !connection.isClosed { return connection }
        let opened = try await pool.openDedicated(
            beginningWith: Statement.fewRowsSettings, hasHeartbeat: true)
        // Two callers may have opened one each; the first stays.
        if let connection, await !connection.isClosed {
            await opened.close()
            return connection
        }
        connection = opened
        ownedLocks = [:]
        await opened.onClose { [weak self] _ in
            self?.assumeIsolated { $0.forget(opened) }
        }
        return opened
    }

    private func forget(_ session: Connection) {
        guard connection === session else { return }
        connection = nil
        ownedLocks = [:]
    }

    private func requireAlive(_ session: Connection) throws(PostgresError) {
        guard connection === session else { throw Self.claimVoid }
    }

    /// The stamps of the rows that have one.
    private static func stamps(_ rows: Rows) throws(PostgresError) -> [ClaimKey: ClaimStamp] {
        var stamps: [ClaimKey: ClaimStamp] = [:]
        for row in rows where !row.isNull(2) {
            stamps[try ClaimKey(row)] = try ClaimStamp(row, from: 2)
        }
        return stamps
    }

    /// - Parameter loaded: of other keys too, which do not count.
    private func makeClaims(
        _ stamps: [ClaimKey: ClaimStamp], _ loaded: ClaimRows, _ session: Connection
    ) async throws(PostgresError) -> [DeliveryClaim] {
        var pending: [ClaimKey: [Decision]] = [:]
        var completed: [ClaimKey: Decision] = [:]
        for row in loaded.decisions {
            var row = RowReader(row)
            let (key, isPending) = (try ClaimKey(from: &row), try row.get(as: Bool.self))
            let decision = try Decision(from: &row)
            if isPending {
                pending[key, default: []].append(decision)
            } else {
                completed[key] = decision
            }
        }
        let channels = Dictionary(grouping: try loaded.channels.decoded(Channel.init)) {
            ClaimKey(tenant: $0.tenant, activity: $0.activityID)
        }
        var claims: [DeliveryClaim] = []
        for row in loaded.snapshots {
            var row = RowReader(row)
            let key = try ClaimKey(from: &row)
            guard let stamp = stamps[key] else { continue }
            let decisions = pending[key] ?? []
            let policyRevision = Int(try row.get(as: Int32.self))
            let audience = try row.joined(ClaimedAudience.self, columns: 3)
            let openRestartVersion = try row.optional(as: Int64.self)
            let isRestartDue = try row.get(as: Bool.self)
            let snapshot = try Snapshot(from: &row)
            var claim = DeliveryClaim(
                tenant: key.tenant, snapshot: snapshot, pending: decisions,
                lastCompleted: completed[key], timestamp: stamp.timestamp,
                claimedAt: stamp.claimedAt,
                progress: stamp.fanOut(completing: decisions),
                audience: audience, openRestartVersion: openRestartVersion,
                isRestartDue: isRestartDue,
                channels: channels[key] ?? [],
                policies: try await policies.read(
                    session, key.tenant, policyRevision: policyRevision, since: snapshot.position))
            claim.takenFrom = stamp.takenFrom
            claim.isSessionFresh = { [heartbeat = session.heartbeat] in heartbeat.isFresh }
            claims.append(claim)
        }
        return claims
    }

    private func releaseKeys(
        _ keys: [ClaimKey], of session: Connection, _ release: Release
    ) async {
        // What another session had went with it.
        guard connection === session else { return }
        if release != .locks { await giveBack(keys, session) }
        guard connection === session else { return }
        for key in keys { ownedLocks[key] = nil }
        await unlock(keys, sparing: release == .uncertain ? Array(ownedLocks.keys) : [], session)
    }

    /// On the session of the claims: one of the pool's may not be had in time by a node that stops.
    /// The locks are given back whether or not that can be written down.
    private func giveBack(_ keys: [ClaimKey], _ session: Connection) async {
        guard !keys.isEmpty else { return }
        let parameters = Parameter.keys(keys) + [.text(node)]
        // A caller that was cancelled does so as any other does.
        await Task(executorPreference: pool.loop) {
            _ = try? await session.query(ClaimQueries.giveBack, parameters)
        }.value
    }

    /// A lock that cannot be given back must not stay: then the session ends, and every other claim
    /// with it. So a caller that was cancelled gives back its own as any other does.
    private func unlock(
        _ keys: [ClaimKey], sparing spared: [ClaimKey], _ session: Connection
    ) async {
        guard !keys.isEmpty else { return }
        let parameters = Parameter.keys(keys) + Parameter.keys(spared)
        let task = Task(executorPreference: pool.loop) { () async -> Bool in
            (try? await session.query(ClaimQueries.unlock, parameters)) != nil
        }
        if await !task.value { await session.close() }
    }
}

/// The rows that claims are made of.
private struct ClaimRows {
    let decisions: Rows
    let channels: Rows
    let snapshots: Rows
    /// Nil when they were not asked for.
    let phones: Rows?

    /// - Parameter results: of `statements`, and of the phones if they were asked for.
    init(_ results: [Rows]) {
        (decisions, channels, snapshots) = (results[0], results[1], results[2])
        phones = results.count > 3 ? results[3] : nil
    }

    /// The snapshots come last: each statement sees what was folded until it began, and a state
    /// that is newer than the decisions shown with it does no harm, as the decisions about it are
    /// still to be sent. The other way round they would be completed by an older state.
    static func statements(_ keys: [Parameter], _ now: Moment?) -> [Statement] {
        [
            Statement(ClaimQueries.decisions, keys), Statement(ClaimQueries.channels, keys),
            Statement(ClaimQueries.snapshots, keys + [.moment(now)]),
        ]
    }
}
