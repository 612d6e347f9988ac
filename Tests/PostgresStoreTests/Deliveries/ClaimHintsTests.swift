import Domain
import Testing

@testable import PostgresStore

private let acme = TenantID(rawValue: 1)
private let bravo = TenantID(rawValue: 2)

struct ClaimHintsTests {
    private let hints = ClaimHints()

    init() {
        // Nothing is kept before somebody asks.
        _ = take(1)
    }

    private func note(_ tenant: TenantID, _ names: String...) {
        hints.note(names.map { ClaimKey(tenant: tenant, activity: ActivityID(rawValue: $0)) })
    }

    private func take(_ limit: Int, butFor owned: String = "") -> [String] {
        hints.take(limit) { $0.activity.rawValue != owned }.map(\.activity.rawValue)
    }

    @Test func `the oldest are taken once, of each tenant in turn`() {
        note(acme, "a1", "a2", "a3", "a1")
        note(bravo, "b1")
        #expect(take(2) == ["a1", "b1"])
        #expect(hints.hasSome(of: acme))
        #expect(!hints.hasSome(of: bravo))
        note(acme, "a1")
        #expect(take(9) == ["a2", "a3", "a1"])
        #expect(!hints.hasSome(of: acme))
    }

    @Test func `what is owned stays in front, and what is gone leaves no trace`() {
        note(acme, "a1", "a2", "a3", "a4", "a5")
        #expect(take(1, butFor: "a1") == ["a2"])
        hints.forget(
            ["a4", "other"].map { ClaimKey(tenant: acme, activity: ActivityID(rawValue: $0)) })
        #expect(take(9) == ["a1", "a3", "a5"])
        #expect(take(9).isEmpty)
        note(acme, "a4")
        #expect(take(9) == ["a4"])
    }
}
