import Domain
import EventStore

// What the API asks of a store beside what `FakeStore` itself answers.

extension FakeStore: EventLog {}

extension FakeStore: PolicyStore {}

extension FakeStore: TenantStore {
    func usage(_: Bool) -> [TenantID: TenantUsage] { [:] }

    func ensure(_: String) throws(EventStoreError) -> Tenant {
        throw .schema(detail: "not faked")
    }

    func all() -> [Tenant] { [] }

    func createKey(_: NewAPIKey) -> Int64? { 0 }

    func keys(_: TenantID?, _: Int64, _: Int) -> [APIKeyRecord] { [] }

    func revokeKey(_: Int64, of _: TenantID?) -> APIKeyRecord? { nil }

    func lookUp(key hash: [UInt8]) throws(EventStoreError) -> KeyLookup? {
        if let grant = try lookUp(hash) { return .granted(grant) }
        return departures[hash].map { .departed(to: $0) }
    }

    func createdAt(_: TenantID) -> Moment? { nil }

    func cells() -> [Cell] { knownCells }

    func setCell(_: Cell) throws(EventStoreError) { throw .schema(detail: "not faked") }

    func moves() -> [MovingTenant] { [] }

    func limits(_: TenantID) -> TenantLimits { .none }

    func setLimits(_: TenantID, _: TenantLimits) {}
}

extension FakeStore {
    /// As when a tenant is removed, after its keys.
    func dropLog(of tenant: TenantID) { logs[tenant] = nil }
}

extension FakeStore: SignInStore {
    func end(_ tenant: TenantID, _ sha256: [UInt8]) {
        endSignIns { hash, _ in hash == sha256 }
        tell(.happened(.keysChanged, tenant))
    }

    func endAll(_ tenant: TenantID, _ keyID: Int64) {
        endSignIns { _, grant in grant.keyID == keyID }
        tell(.happened(.keysChanged, tenant))
    }
}

/// Nothing is ever sent.
struct FakeDeliveryStore: DeliveryStore {
    func claimNext(_: Int, _: ClaimScope, _: Moment?) -> [DeliveryClaim] { [] }

    func page(_: DeliveryClaim, _: Bool, _: Moment, _: Int64, _: Int) -> [Registration] { [] }

    func renew(_: DeliveryClaim, _: Moment?) -> DeliveryClaim? { nil }

    func record(_: DeliveryClaim, _: [PhoneResult]) {}

    func complete(_: DeliveryClaim, _: LedgerRow.Outcome) {}

    func release(_: DeliveryClaim) {}

    func nextDue() -> Moment? { nil }

    func time() -> Moment { Moment(unixSeconds: 0) }

    func isCurrent(_: DeliveryClaim) -> Bool { true }
}
