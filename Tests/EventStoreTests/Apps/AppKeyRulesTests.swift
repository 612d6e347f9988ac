import Domain
import TestSupport
import Testing

@testable import EventStore

private let scopes = AppKeyScope.allCases

private func identity(
    _ key: String, _ scope: AppKeyScope = .both, tenant: Int32 = 1, team: String = "TEAM"
) -> AppKeyIdentity {
    AppKeyIdentity(
        tenant: TenantID(rawValue: tenant), bundleID: "com.example", teamID: team, keyID: key,
        scope: scope)
}

struct `What may be added to an app's keys` {
    private func refusal(
        _ identity: AppKeyIdentity, _ intent: AppKeyRules.Intent, to known: [AppKeyIdentity]
    ) -> AppKeyRules.Refusal? {
        AppKeyRules.refusal(adding: identity, intent, to: known)
    }

    @Test func `depends on the environments that a key is for`() {
        #expect(scopes.map { $0.covers(.sandbox) } == [true, false, true])
        #expect(scopes.map { $0.covers(.production) } == [false, true, true])
        for left in scopes {
            for right in scopes {
                let isApart = left != right && left != .both && right != .both
                #expect(left.overlaps(right) == !isApart, "\(left) and \(right)")
            }
        }
    }

    @Test func `is one key for an environment, and a second one to take over`() {
        let first = identity("K1", .sandbox)
        #expect(refusal(first, .add, to: []) == nil)
        #expect(refusal(first, .rotate, to: []) == .nothingToRotate)
        #expect(refusal(identity("K2", .production), .add, to: [first]) == nil)
        #expect(
            refusal(identity("K2", .both), .add, to: [first])
                == .covered(keyID: "K1", .sandbox))
        #expect(
            refusal(identity("K2", .production), .rotate, to: [first]) == .nothingToRotate)
        let second = identity("K2", .sandbox)
        #expect(refusal(second, .rotate, to: [first]) == nil)
        #expect(
            refusal(identity("K3", .both), .rotate, to: [first, second])
                == .twoAlready(oldest: "K1"))
        #expect(refusal(first, .rotate, to: [first]) == .alreadyThere)
        #expect(refusal(first, .add, to: [first]) == .alreadyThere)
    }

    @Test func `is of one team for all tenants, and otherwise only the tenant's affair`() {
        let theirs = identity("K1", tenant: 2)
        #expect(refusal(identity("K1"), .add, to: [theirs]) == nil)
        #expect(refusal(identity("K1"), .rotate, to: [theirs]) == .nothingToRotate)
        #expect(
            refusal(identity("K1", tenant: 2, team: "OTHER"), .add, to: [theirs])
                == .otherTeam("TEAM"))
    }

    @Test(arguments: 0..<100)
    func `leaves each environment with two keys at most, in whatever order they come`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        var known: [AppKeyIdentity] = []
        func covering(_ environment: APNsEnvironment, _ tenant: TenantID) -> Int {
            known.count { $0.tenant == tenant && $0.scope.covers(environment) }
        }
        for _ in 0..<40 {
            let next = identity(
                "K\(Int.random(in: 0..<12, using: &generator))",
                scopes[Int.random(in: 0..<3, using: &generator)],
                tenant: Int32.random(in: 1...2, using: &generator),
                team: Int.random(in: 0..<8, using: &generator) == 0 ? "OTHER" : "TEAM")
            let isAdd = Bool.random(using: &generator)
            guard refusal(next, isAdd ? .add : .rotate, to: known) == nil else { continue }
            for environment in APNsEnvironment.allCases where next.scope.covers(environment) {
                let before = covering(environment, next.tenant)
                #expect(isAdd ? before == 0 : before < 2)
            }
            known.append(next)
        }
        #expect(Set(known.map(\.teamID)).count == 1)
        for tenant in [TenantID(rawValue: 1), TenantID(rawValue: 2)] {
            let keys = known.filter { $0.tenant == tenant }.map(\.keyID)
            #expect(Set(keys).count == keys.count)
        }
    }
}

struct `The key in use` {
    private func record(
        _ id: Int64, _ scope: AppKeyScope, tenant: Int32 = 1
    ) -> AppKeyRecord {
        AppKeyRecord(
            id: id, identity: identity("K\(id)", scope, tenant: tenant), sealed: [],
            masterKeyID: "m", addedAt: Made.moment(0))
    }

    @Test func `is the newest that covers the environment, wherever it is listed`() {
        let records = [
            record(3, .sandbox), record(1, .both), record(4, .production, tenant: 2),
            record(2, .production),
        ]
        for keys in [records, records.reversed()] {
            func id(_ environment: APNsEnvironment, _ bundle: String = "com.example") -> Int64? {
                keys.inUse(for: Made.tenant, bundle, environment)?.id
            }
            #expect(id(.sandbox) == 3)
            #expect(id(.production) == 2)
            #expect(id(.sandbox, "com.exampl\u{E9}") == nil)
            let used = records.map { keys.environments(using: $0) }
            #expect(used == [[.sandbox], [], [.production], [.production]])
        }
        #expect([AppKeyRecord]().inUse(for: Made.tenant, "com.example", .sandbox) == nil)
    }
}
