import Domain
import EventStore
import struct Foundation.Data

// What the API asks of a store, answered by a `FakeStore`.

struct FakePolicyStore: PolicyStore {
    let fake: FakeStore

    func put(_ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data)
        async throws(EventStoreError) -> PolicyPut
    { try await fake.put(tenant, kind, expected, document) }

    func all(_ tenant: TenantID) async throws(EventStoreError) -> [StoredPolicy] {
        try await fake.policies(of: tenant)
    }
}

struct FakeTenantStore: TenantStore {
    func usage(_: Bool) async throws(EventStoreError) -> [TenantID: TenantUsage] { [:] }

    let fake: FakeStore

    func ensure(_: String) async throws(EventStoreError) -> Tenant {
        throw .schema(detail: "not faked")
    }

    func all() async throws(EventStoreError) -> [Tenant] { [] }

    func createKey(_: NewAPIKey) async throws(EventStoreError) -> Int64 { 0 }

    func keys(_: TenantID?) async throws(EventStoreError) -> [APIKeyRecord] { [] }

    func revokeKey(_: Int64) async throws(EventStoreError) -> APIKeyRecord? { nil }

    func standing(ofKey hash: [UInt8]) async throws(EventStoreError) -> KeyStanding? {
        if let grant = try await fake.lookUp(hash) { return .granted(grant) }
        return await fake.departures[hash].map { .departed(to: $0) }
    }

    func createdAt(_: TenantID) async throws(EventStoreError) -> Moment? { nil }

    func cells() async throws(EventStoreError) -> [Cell] { await fake.cells }

    func setCell(_: Cell) async throws(EventStoreError) { throw .schema(detail: "not faked") }

    func limits(_: TenantID) async throws(EventStoreError) -> TenantLimits { .none }

    func setLimits(_: TenantID, _: TenantLimits) async throws(EventStoreError) {}
}

struct FakeEventLog: EventLog {
    let fake: FakeStore

    func append(_ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool)
        async throws(EventStoreError) -> [AppendOutcome]
    {
        if isAtomic { return try await fake.append(tenant, events) }
        var outcomes: [AppendOutcome] = []
        for event in events { outcomes += try await fake.append(tenant, [event]) }
        return outcomes
    }

    func read(_ tenant: TenantID, _ after: Int64, _ limit: Int) async throws(EventStoreError)
        -> [RecordedEvent]
    { try await fake.read(tenant, after: after, limit: limit) }

    func select(
        _ tenant: TenantID, _ filter: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        try await fake.select(tenant, filter, positions, limit)
    }

    func readActivity(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [RecordedEvent]
    {
        try await fake.read(
            FakeStore.Key(tenant: tenant, activity: activity), after: after, limit: limit)
    }

    func head(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await fake.head(tenant)
    }
}

struct FakeProjectionStore: ProjectionStore {
    let fake: FakeStore

    func foldNext(_: TenantID?, _: Int, _: @Sendable (FoldBatch) -> FoldOutcome)
        async throws(EventStoreError) -> Int
    { 0 }

    func snapshot(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> Snapshot?
    { try await fake.snapshot(FakeStore.Key(tenant: tenant, activity: activity)) }

    func changed(_ tenant: TenantID, _ after: ActivityChange.Place, _ limit: Int)
        async throws(EventStoreError) -> ActivityChanges
    {
        try await ActivityChanges(
            fake.changed(tenant, after: after, limit: limit), generation: 1)
    }

    func decided(_ tenant: TenantID, _ snapshots: [Snapshot]) async throws(EventStoreError)
        -> [ActivityID: LedgerRow]
    { try await fake.decided(tenant, snapshots) }

    func decisions(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [LedgerRow]
    {
        try await fake.decisions(
            FakeStore.Key(tenant: tenant, activity: activity), after: after, limit: limit)
    }

    func checkpoint(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await fake.checkpoint(tenant)
    }
}

/// Nothing is ever sent.
struct FakeDeliveryStore: DeliveryStore {
    func claimNext(_: Int, _: ClaimScope, _: Moment?) async throws(EventStoreError)
        -> [DeliveryClaim]
    { [] }

    func page(_: DeliveryClaim, _: Bool, _: Moment, _: Int64, _: Int) async throws(EventStoreError)
        -> [Registration]
    { [] }

    func renew(_: DeliveryClaim, _: Moment?) async throws(EventStoreError) -> DeliveryClaim? { nil }

    func record(_: DeliveryClaim, _: [PhoneResult]) async throws(EventStoreError) {}

    func complete(_: DeliveryClaim, _: LedgerRow.Outcome) async throws(EventStoreError) {}

    func release(_: DeliveryClaim) async {}

    func nextDue() async throws(EventStoreError) -> Moment? { nil }

    func time() async throws(EventStoreError) -> Moment { Moment(unixSeconds: 0) }

    func isCurrent(_: DeliveryClaim) -> Bool { true }

    func takeOvers() -> Int { 0 }
}

struct FakeSignInStore: SignInStore {
    let fake: FakeStore

    func open(_: TenantID, _ keyID: Int64, _ sha256: [UInt8], _ expiresAt: Moment)
        async throws(EventStoreError)
    { await fake.openSignIn(keyID, sha256, expiresAt) }

    func end(_ tenant: TenantID, _ sha256: [UInt8]) async throws(EventStoreError) {
        await fake.endSignIns { hash, _ in hash == sha256 }
        fake.tell(.keysChanged(tenant))
    }

    func endAll(_ tenant: TenantID, _ keyID: Int64) async throws(EventStoreError) {
        await fake.endSignIns { _, grant in grant.keyID == keyID }
        fake.tell(.keysChanged(tenant))
    }
}
