import Domain
import EventLoop
import EventStore
import Postgres

/// This process's claims: session-level advisory locks on one connection, so that they end with
/// the process, or soon after it stands still, and the timestamp each was given.
actor DeliveryClaims {
    nonisolated let pool: Pool
    private nonisolated let node: String
    private let policies: PolicyCache
    private let fresh: DecisionBuffer
    private let hub: NotificationHub
    private lazy var outcomes = OutcomeWriter(pool: pool) { [weak self, hub] claims in
        await self?.release(claims, areStamped: false)
        await hub.announce(Set(claims.map { .happened(.folded, $0.tenant) }))
    }
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private enum Held: Equatable { case claiming, stamped(Int64) }

    private var connection: Connection?
    private var held: [ClaimKey: Held] = [:]

    /// - Parameter node: the name under which others take over what this one leaves undone.
    init(
        pool: Pool, node: String, policies: PolicyCache, fresh: DecisionBuffer,
        hub: NotificationHub
    ) {
        self.pool = pool
        self.node = node
        self.hub = hub
        self.policies = policies
        self.fresh = fresh
    }

    /// Keys that this process holds, or will claim without looking.
    var coveredKeys: [ClaimKey] { Array(Set(held.keys).union(fresh.keys)) }

    func claimNext(
        _ limit: Int, _ scope: ClaimScope, _ now: Moment?
    ) async throws(PostgresError) -> [DeliveryClaim] {
        guard scope == .all else {
            return try await claim(fresh.take(limit) { held[$0] == nil }, scope, now)
        }
        for _ in 0..<Limits.claimLooksMax {
            let found = try await look(limit, now)
            guard !found.isEmpty else { return [] }
            let claims = try await claim(found, scope, now)
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
            .localDefaultPlans,
            Statement(
                ClaimQueries.look,
                [.moment(now)] + Parameter.keys(held.keys)
                    + [.count(limit), .count(Limits.seenInPassingMax)]),
        ])[1]
        var (free, others): ([ClaimKey], [ClaimKey]) = ([], [])
        for row in rows {
            let key = try ClaimKey(row)
            if try row.get(2) { free.append(key) } else { others.append(key) }
        }
        fresh.note(others)
        return free
    }

    /// What this node has decided itself is claimed in one round trip, with all that a fan-out of
    /// few phones needs. For what a look has found plans are made as for the look, which takes two.
    private func claim(
        _ wanted: [ClaimKey], _ scope: ClaimScope, _ now: Moment?
    ) async throws(PostgresError) -> [DeliveryClaim] {
        guard !wanted.isEmpty else { return [] }
        let session = try await session()
        // Somebody may have come in between, who reads what there is to send after that.
        let keys = wanted.filter { held[$0] == nil }
        guard !keys.isEmpty else { return [] }
        for key in keys { held[key] = .claiming }
        fresh.forget(keys)
        // Nil for as long as nobody knows.
        var locked: [ClaimKey]?
        do throws(PostgresError) {
            let results = try await lockAndLoad(keys, scope, now, session)
            try requireAlive(session)
            let mine = try results[0].decoded(ClaimKey.init)
            for key in Set(keys).subtracting(mine) { held[key] = nil }
            locked = mine
            let stamps = try Self.stamps(results[0])
            var claims = try await claims(stamps, Array(results.dropFirst()), session)
            if scope == .decidedHere { try Self.add(results[results.count - 1], to: &claims) }
            // Looking may have taken long.
            if !session.lease.isFresh { try await session.renewLease() }
            try requireAlive(session)
            for claim in claims { held[ClaimKey(claim)] = .stamped(claim.timestamp) }
            let given = Set(claims.map { ClaimKey($0) })
            await release(
                mine.filter { !given.contains($0) }, of: session,
                areStamped: stamps.count > given.count)
            return claims
        } catch {
            // The stamps may stand: a commit that waited for its standbys in vain, or one before
            // the caller was cancelled.
            await release(
                locked ?? keys, of: session, areLocked: locked != nil, areStamped: true)
            throw error
        }
    }

    /// - Returns: the rows of the locked keys, those of `loading`, and of what was decided here
    ///   the phones.
    private func lockAndLoad(
        _ keys: [ClaimKey], _ scope: ClaimScope, _ now: Moment?, _ session: Connection
    ) async throws(PostgresError) -> [Rows] {
        let names = Parameter.keys(keys)
        let parameters = [.moment(now)] + names + [.text(node)]
        let loading = Self.loading(names, now)
        switch scope {
        case .all:
            let locked = try await session.batch([
                .localDefaultPlans, Statement(ClaimQueries.lockFound, parameters),
            ])[1]
            return [locked] + (try await session.batch(loading))
        case .decidedHere:
            return try await session.batch(
                [Statement(ClaimQueries.lockDecided, parameters)] + loading
                    + [Statement(ClaimQueries.phones, names + [.count(Limits.claimedPhonesMax)])])
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

    /// Completes and gives the claim back.
    func complete(
        _ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome
    ) async throws(PostgresError) {
        try requireHeld(claim)
        guard try await outcomes.complete(claim, outcome) else { throw Self.claimVoid }
    }

    /// See `DeliveryStore.renew`.
    func renew(
        _ claim: DeliveryClaim, _ now: Moment?
    ) async throws(PostgresError) -> DeliveryClaim? {
        try requireHeld(claim)
        let key = ClaimKey(claim)
        let row = try await pool.batch([
            .localGenericKeyPlans, Statement(ClaimQueries.newestPending, Parameter.keys([key])),
        ])[1].first
        let newest: Int64? = try row?.optional(0)
        guard let newest, newest > claim.pending.last?.version ?? 0 else { return nil }
        let session = try await session()
        let names = Parameter.keys([key])
        let stamped = try await session.batch([
            .localDefaultPlans,
            Statement(ClaimQueries.stamp, [.moment(now)] + names + [.text(node)]),
        ])[1]
        var renewed: DeliveryClaim?
        if !stamped.isEmpty {
            let results = try await session.batch(Self.loading(names, now))
            renewed = try await claims(Self.stamps(stamped), results, session).first
        }
        try requireHeld(claim)
        guard let renewed else { return nil }
        held[key] = .stamped(renewed.timestamp)
        return renewed
    }

    private func isHeld(_ claim: DeliveryClaim) -> Bool {
        held[ClaimKey(claim)] == .stamped(claim.timestamp)
    }

    /// Throws when the claim was given back or went with its connection.
    func requireHeld(_ claim: DeliveryClaim) throws(PostgresError) {
        guard isHeld(claim) else { throw Self.claimVoid }
    }

    /// Writes under a claim. The statement returns no row when a later claim was given out, which
    /// this process may not have heard of when its connection died silently.
    /// - Returns: what the statement gives beside the row that says that the claim holds.
    func write(
        _ statement: Statement, under claim: DeliveryClaim
    ) async throws(PostgresError) -> Rows {
        try requireHeld(claim)
        let rows = try await pool.query(statement.sql, statement.parameters)
        guard !rows.isEmpty else { throw Self.claimVoid }
        return rows
    }

    /// Gives claims back.
    /// - Parameter areStamped: false for what is completed, where no name stands any more.
    func release(_ claims: [DeliveryClaim], areStamped: Bool = true) async {
        guard let connection else { return }
        let mine = claims.filter { isHeld($0) }.map { ClaimKey($0) }
        await release(mine, of: connection, areStamped: areStamped)
    }

    private static let claimVoid = PostgresError.connectionLost(
        detail: "the claim is void: claim again")

    private func session() async throws(PostgresError) -> Connection {
        if let connection, await !connection.isClosed { return connection }
        let opened = try await pool.openDedicated(
            beginningWith: Statement.genericKeyPlans, isLeased: true)
        // Two callers may have opened one each; the first stays.
        if let connection, await !connection.isClosed {
            await opened.close()
            return connection
        }
        connection = opened
        held = [:]
        await opened.onClose { [weak self] _ in
            self?.assumeIsolated { $0.forget(opened) }
        }
        return opened
    }

    private func forget(_ session: Connection) {
        guard connection === session else { return }
        connection = nil
        held = [:]
    }

    private func requireAlive(_ session: Connection) throws(PostgresError) {
        guard connection === session else { throw Self.claimVoid }
    }

    /// Of the rows that have one.
    private static func stamps(_ rows: Rows) throws(PostgresError) -> [ClaimKey: ClaimStamp] {
        var stamps: [ClaimKey: ClaimStamp] = [:]
        for row in rows where !row.isNull(2) {
            stamps[try ClaimKey(row)] = try ClaimStamp(row, from: 2)
        }
        return stamps
    }

    /// The snapshots come last: each statement sees what was folded until it began, and a state
    /// that is newer than the decisions shown with it does no harm, as the decisions about it are
    /// still to be sent. The other way round they would be completed by an older state.
    private static func loading(_ keys: [Parameter], _ now: Moment?) -> [Statement] {
        [
            Statement(ClaimQueries.decisions, keys), Statement(ClaimQueries.channels, keys),
            Statement(ClaimQueries.snapshots, keys + [.moment(now)]),
        ]
    }

    /// - Parameter results: of `loading`; of other keys too, which do not count.
    private func claims(
        _ stamps: [ClaimKey: ClaimStamp], _ results: [Rows], _ session: Connection
    ) async throws(PostgresError) -> [DeliveryClaim] {
        var pending: [ClaimKey: [Decision]] = [:]
        var completed: [ClaimKey: Decision] = [:]
        for row in results[0] {
            let (key, decision) = (try ClaimKey(row), try Decision(row, from: 3))
            if try row.bool(2) {
                pending[key, default: []].append(decision)
            } else {
                completed[key] = decision
            }
        }
        let channels = Dictionary(grouping: try results[1].decoded(Channel.init)) {
            ClaimKey(tenant: $0.tenant, activity: $0.activityID)
        }
        var claims: [DeliveryClaim] = []
        for row in results[2] {
            let key = try ClaimKey(row)
            guard let stamp = stamps[key] else { continue }
            let decisions = pending[key] ?? []
            let (epoch, snapshot) = (Int(try row.int4(2)), try Snapshot(row, from: 8))
            var claim = DeliveryClaim(
                tenant: key.tenant, snapshot: snapshot, pending: decisions,
                lastCompleted: completed[key], timestamp: stamp.timestamp,
                claimedAt: stamp.claimedAt,
                resumed: stamp.fanOut(completing: decisions),
                audience: try ClaimedAudience(row, from: 3),
                openRestartVersion: try row.optional(6), isRestartDue: try row.bool(7),
                channels: channels[key] ?? [],
                policies: try await policies.read(
                    session, key.tenant, epoch: epoch, since: snapshot.position))
            claim.takenFrom = stamp.takenFrom
            claim.isLeaseFresh = { [lease = session.lease] in lease.isFresh }
            claims.append(claim)
        }
        return claims
    }

    /// - Parameters:
    ///   - areLocked: false when nobody knows, since what locks them failed.
    ///   - areStamped: this node's name may stand at them.
    private func release(
        _ keys: [ClaimKey], of session: Connection, areLocked: Bool = true, areStamped: Bool
    ) async {
        // What another session had went with it.
        guard connection === session else { return }
        if areStamped { await giveBack(keys, session) }
        guard connection === session else { return }
        for key in keys { held[key] = nil }
        await unlock(keys, sparing: areLocked ? [] : Array(held.keys), session)
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
