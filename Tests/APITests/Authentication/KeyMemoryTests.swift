import Domain
import EventStore
import TestSupport
import Testing

@testable import API

struct `The memory of keys` {
    private let now = Moment(unixSeconds: 1_000)
    private let memory = KeyMemory<KeyDigest, String>(lifetimeSeconds: 60)

    private func remembers(_ key: UInt8, after seconds: Double = 0) -> Bool {
        memory.look(for: KeyDigest(bytes: [key]), at: now.adding(seconds: seconds)).value != nil
    }

    private func changes() -> UInt64 {
        memory.look(for: KeyDigest(bytes: [0]), at: now).changes
    }

    private func keep(_ key: UInt8, _ tenant: Int32, changes: UInt64? = nil) {
        memory.keep(
            "what key \(key) grants", of: TenantID(rawValue: tenant),
            for: KeyDigest(bytes: [key]), at: now, changes: changes ?? self.changes())
    }

    @Test func `keeps nothing before the store is heard`() {
        keep(1, 1)
        #expect(!remembers(1))
        memory.note(.resumed)
        keep(1, 1)
        #expect(remembers(1))
    }

    @Test func `is emptied when the store is no longer heard, and keeps nothing until it is`() {
        memory.note(.resumed)
        keep(1, 1)
        memory.note(.lost)
        #expect(!remembers(1))
        keep(1, 1)
        #expect(!remembers(1))
        memory.note(.resumed)
        keep(1, 1)
        #expect(remembers(1))
    }

    @Test func `forgets the keys of the tenant whose keys changed, and no others`() {
        memory.note(.resumed)
        keep(1, 1)
        keep(2, 2)
        memory.note(.happened(.keysChanged, TenantID(rawValue: 1)))
        #expect(!remembers(1))
        #expect(remembers(2))
    }

    @Test func `does not keep an answer that is older than a change`() {
        memory.note(.resumed)
        let old = changes()
        memory.note(.happened(.keysChanged, TenantID(rawValue: 1)))
        keep(1, 1, changes: old)
        #expect(!remembers(1))
    }

    @Test func `ends with its lifetime even when nothing is heard`() {
        memory.note(.resumed)
        keep(1, 1)
        #expect(remembers(1, after: 59))
        #expect(!remembers(1, after: 60))
    }

    @Test func `forgets everything when it is full, and holds what comes then`() {
        memory.note(.resumed)
        let changes = self.changes()
        for number in 0...Limits.cachedKeysMax {
            memory.keep(
                "", of: TenantID(rawValue: 1),
                for: KeyDigest(bytes: [0, UInt8(number / 256), UInt8(number % 256)]), at: now,
                changes: changes)
            if number == 0 { keep(1, 1) }
        }
        #expect(!remembers(1))
        keep(2, 1)
        #expect(remembers(2))
    }

    @Test(.timeLimit(.minutes(1)))
    func `forgets everything when its store's news end`() async throws {
        let (news, told) = AsyncStream<StoreNotification>.makeStream()
        memory.follow(news)
        told.yield(.resumed)
        try await waitUntil {
            keep(1, 1)
            return remembers(1)
        }
        told.finish()
        try await waitUntil { !remembers(1) }
        keep(1, 1)
        #expect(!remembers(1))
    }
}
