public import APNsClient
import DatabaseAccess
import DeliveryRules
import Domain
import EventLoop
public import EventStore
import TLS
public import Terminal

extension AppRouter {
    /// How often to look although nothing was announced.
    private static let pollSeconds = 5

    /// Follows changes until the task is cancelled.
    public func run() async {
        let notifications = store.notifications(about: [.appsChanged])
        let (wakeUps, waker) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in notifications { waker.yield() }
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(Self.pollSeconds))
                    waker.yield()
                }
                waker.finish()
            }
            waker.yield()
            for await _ in wakeUps {
                do throws(EventStoreError) { try await follow() } catch { note(error) }
            }
            group.cancelAll()
        }
    }

    /// Reads all keys for the first time. What waits is released once `run` begins, since that may
    /// take a minute and nothing may wait for it.
    /// - Parameter patience: how long it waits for Postgres.
    /// - Throws: when there is an app's key that no master key opens, or there are sealed things
    ///   and none that one opens.
    public func start(patience: Duration = .zero) async throws(CommandFailure) {
        if let keys = setup.masterKeys {
            try await requireOpenable(by: keys, patience: patience)
        } else {
            try await MasterKeys.requireLines(nil, in: store, patience: patience)
        }
        _ = try await Database.asked(patience: patience, try await readKeys())
    }

    /// The key for apps without one of their own is another now, of which APNs has said nothing
    /// yet: what was stopped with the former one goes on.
    /// - Returns: false when it is the same.
    public func replaceFallback(_ credentials: APNsCredentials) async -> Bool {
        guard !state.withLock({ credentials.isSame(as: $0.fallback) }) else { return false }
        let fresh = setup.fallbackClients(credentials)
        let (former, others) = state.withLock { state in
            let (former, others) = (state.clientTable.fallback, Set(state.clientTable.entries.keys))
            state.fallback = credentials
            state.clientTable.fallback = fresh
            state.gates = state.gates.filter { others.contains($0.key) }
            state.refusedBroadcasts = [:]
            state.appsWithAlarm.formIntersection(others)
            return (former, others)
        }
        do throws(EventStoreError) {
            let stopped = Set(try await store.apps.alarms().map(\.app)).subtracting(others)
            for app in stopped { await clear(app) }
            let waiting = Set(try await store.apps.deferred().map(\.app)).subtracting(others)
            for app in waiting.union(stopped) { await release(app) }
        } catch { report(.store(error)) }
        for clients in former.values { await clients.retire() }
        return true
    }

    /// There are other master keys: what could not be opened is tried once more.
    public func tryClosedOnes() async throws(EventStoreError) {
        state.withLock { state in
            state.clientTable.entries = state.clientTable.entries.filter { $0.value.clients != nil }
        }
        try await follow()
    }

    /// Reports webhooks whose secrets none of them opens.
    /// - Throws: when an app's key would be left that none of them opens, or a webhook's secret
    ///   that is open now, or they open nothing.
    public func requireOpenable(
        by masterKeys: MasterKeys, patience: Duration = .zero
    ) async throws(CommandFailure) {
        let diagnostics = try await masterKeys.requireRightFile(
            insteadOf: setup.masterKeys, in: store, patience: patience)
        for diagnostic in diagnostics { report(diagnostic) }
    }

    /// Takes up what has changed, then makes due what waits for an app that is sent for again, and
    /// ends the alarms of apps that nothing waits for.
    public func follow() async throws(EventStoreError) {
        let changed = try await readKeys()
        // Of a tenant with very many phones that wait some are not looked at, and those of an app
        // with another key are to go at once.
        let waiting = Set(try await store.apps.deferred().map(\.app))
        for app in waiting.union(changed) where isSentFor(app) { await release(app) }
        try await endIdleAlarms(besides: waiting)
    }

    /// A phone may name an app that is not there, and be gone before APNs is asked again: nothing
    /// would ever end the alarm.
    private func endIdleAlarms(besides waiting: Set<TenantApp>) async throws(EventStoreError) {
        let idle = state.withLock { $0.idle }.filter { !waiting.contains($0.app) }
        guard !idle.isEmpty else { return }
        let gone = try await store.apps.clearIdle(Array(idle.prefix(Self.idleAtOnceMax)))
        for alarm in gone { report(.idle(alarm.app)) }
    }

    /// - Returns: the apps that have other keys than when they were read before.
    private func readKeys() async throws(EventStoreError) -> Set<TenantApp> {
        let wanted = AppClientTable.wanted(try await store.apps.keys())
        let present = state.withLock { $0.clientTable.entries }
        var entries: [TenantApp: AppClientTable.Entry] = [:]
        for (app, record) in wanted {
            if let known = present[app], known.key?.id == record?.id,
                known.key?.sealed == record?.sealed
            {
                entries[app] = known
            } else {
                entries[app] = AppClientTable.Entry(
                    key: record, clients: record.flatMap { clients(app, $0) })
            }
        }
        let changed = Set(entries.keys).union(present.keys).filter {
            entries[$0]?.clients !== present[$0]?.clients
        }
        let isFirst = state.withLock { [entries] state in
            let isFirst = !state.hasReadKeys
            state.hasReadKeys = true
            state.clientTable.entries = entries
            for app in changed {
                state.warnedApps[app.tenant]?.remove(app.app)
                state.gates[app] = nil
                state.refusedBroadcasts[app] = nil
            }
            return isFirst
        }
        for app in changed {
            if !isFirst { await clear(app) }
            await present[app]?.clients?.retire()
        }
        try await adoptAlarms()
        return isFirst ? [] : changed
    }

    /// If this fails, the alarm stands: the app goes on when a probe is accepted.
    private func clear(_ app: TenantApp) async {
        do throws(EventStoreError) { try await store.apps.clear(app) } catch { note(error) }
    }

    /// What is not released is found waiting the next time. It keeps no other app waiting.
    private func release(_ app: TenantApp) async {
        do throws(EventStoreError) { try await store.apps.release(app) } catch { note(error) }
    }

    private func note(_ error: EventStoreError) {
        if !Task.isCancelled { report(.store(error)) }
    }

    /// What other nodes found out is true here as well: none need try for itself. But a clock is
    /// one node's: the others go on, and it does not go on because they do.
    private func adoptAlarms() async throws(EventStoreError) {
        let alarms = try await store.apps.alarms()
        // By the database's clock, as they are.
        let time = try await alarms.isEmpty ? now() : store.deliveries.time()
        let ours = now()
        state.withLock { state in
            for alarm in alarms
            where alarm.suspension != .clockWrong && state.gates[alarm.app]?.suspension == nil {
                state.gates[alarm.app] = AppGate(
                    alarm.suspension,
                    probeAt: ours.adding(seconds: alarm.probeAt.seconds(since: time)))
            }
            for app in state.appsWithAlarm.subtracting(alarms.map(\.app))
            where state.gates[app]?.suspension != .clockWrong {
                state.gates[app] = nil
            }
            state.appsWithAlarm = Set(alarms.map(\.app))
            state.idle = alarms.filter {
                time.seconds(since: $0.probeAt) > DeliveryRules.Limits.idleAlarmSeconds
            }
        }
    }

    /// What waits because of a wrong clock is due as soon as a probe is, which may be sooner than
    /// was thought: the clock has been set right.
    private func isSentFor(_ app: TenantApp) -> Bool {
        let moment = now()
        return state.withLock { state in
            guard case .usable = state.clientTable.lookUp(app) else { return false }
            guard let gate = state.gates[app], let suspension = gate.suspension else { return true }
            return suspension == .clockWrong && gate.suspension(at: moment) == nil
        }
    }

    private func clients(_ app: TenantApp, _ record: AppKeyRecord) -> AppClients? {
        let why: String
        switch setup.masterKeys?.open(record) {
        case .opened(let text):
            if let clients = setup.clients(app.app.environment, record.identity, opened: text) {
                return clients
            }
            why = "it is no key"
        case .broken: why = "its row was changed since it was sealed"
        case .otherMasterKey: why = "it was sealed with another master key"
        case nil: why = "this server has no --master-key-file"
        }
        report(.unreadable(record.identity, why: why))
        return nil
    }
}

extension APNsCredentials {
    fileprivate func isSame(as other: APNsCredentials?) -> Bool {
        guard let other else { return false }
        return (teamID, keyID, key.pem) == (other.teamID, other.keyID, other.key.pem)
    }
}
