import Domain
import EventStore
import TLS
import Terminal
import Testing

@testable import AppKeys

private let first = String(repeating: "0a", count: 32)
private let second = String(repeating: "B1", count: 32)

private func identity(
    tenant: Int32 = 1, bundle: String = "com.example", team: String = "TEAM000001",
    key: String = "KEY0000001", _ scope: AppKeyScope = .both
) -> AppKeyIdentity {
    AppKeyIdentity(
        tenant: TenantID(rawValue: tenant), bundleID: bundle, teamID: team, keyID: key,
        scope: scope)
}

private func row(_ key: NewAppKey, at identity: AppKeyIdentity? = nil) -> AppKeyRecord {
    AppKeyRecord(
        id: 1, identity: identity ?? key.identity, sealed: key.sealed,
        masterKeyID: key.masterKeyID, addedAt: Moment(unixSeconds: 0))
}

struct `A master key` {
    @Test func `opens what it sealed, and shows itself nowhere`() throws {
        let keys = try MasterKeys(text: "\n  \(first)\r\n")
        let sealed = keys.seal("the secret", for: identity())
        #expect(keys.open(row(sealed)) == .opened("the secret"))
        #expect(sealed.masterKeyID == keys.currentID)
        #expect("\(keys)" == "<master keys>")
        #expect(!String(reflecting: sealed).contains("secret"))
    }

    @Test(arguments: [
        identity(tenant: 2), identity(bundle: "com.other"), identity(team: "TEAM000002"),
        identity(key: "KEY0000002"), identity(.sandbox),
    ])
    func `opens nothing that was sealed for another key`(other: AppKeyIdentity) throws {
        let keys = try MasterKeys(text: first)
        let sealed = keys.seal("secret", for: identity())
        #expect(keys.open(row(sealed, at: other)) == .broken)
    }

    @Test func `opens nothing that was changed`() throws {
        let keys = try MasterKeys(text: first)
        var sealed = keys.seal("secret", for: identity())
        sealed.sealed[20] ^= 1
        #expect(keys.open(row(sealed)) == .broken)
    }

    @Test func `that is another one says so`() throws {
        let sealed = try MasterKeys(text: first).seal("secret", for: identity())
        let other = try MasterKeys(text: second)
        #expect(other.open(row(sealed)) == .otherMasterKey)
        #expect(throws: CommandFailure.self) { try other.requireLine(for: row(sealed)) }
    }

    @Test func `takes over from an older one, which still opens`() throws {
        let old = try MasterKeys(text: first).seal("secret", for: identity())
        let both = try MasterKeys(text: "\(second)\n\(first)\n")
        #expect(both.open(row(old)) == .opened("secret"))
        let new = both.seal("secret", for: identity())
        #expect(try MasterKeys(text: second).open(row(new)) == .opened("secret"))
        try both.requireLine(for: row(old))
    }

    @Test(arguments: ["", "\n", "abc", String(repeating: "0g", count: 32), first + "00"])
    func `is 64 hexadecimal digits and nothing else`(text: String) {
        #expect(throws: CommandFailure.self) { try MasterKeys(text: text) }
    }
}
