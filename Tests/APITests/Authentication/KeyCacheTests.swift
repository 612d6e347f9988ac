import Domain
import EventStore
import TestSupport
import Testing

@testable import API

struct `The cache of keys` {
    private let now = Moment(unixSeconds: 1_000)
    private let cache = KeyCache<KeyDigest, String>(lifetimeSeconds: 60)

    private func isCached(_ key: UInt8, after seconds: Double = 0) -> Bool {
        cache.lookUp(KeyDigest(bytes: [key]), at: now.adding(seconds: seconds)).value != nil
    }

    private func changeCount() -> UInt64 {
        cache.lookUp(KeyDigest(bytes: [0]), at: now).changeCount
    }

    private func insert(_ key: UInt8, _ tenant: Int32, changeCount: UInt64? = nil) {
        cache.insert(
            "what key \(key) grants", of: TenantID(rawValue: tenant),
            for: KeyDigest(bytes: [key]), at: now, changeCount: changeCount ?? self.changeCount())
    }

    @Test func `keeps nothing before the store is heard`() {
        insert(1, 1)
        #expect(!isCached(1))
        cache.handle(.resumed)
        insert(1, 1)
        #expect(isCached(1))
    }

    @Test func `is emptied when the store is no longer heard, and keeps nothing until it is`() {
        cache.handle(.resumed)
        insert(1, 1)
        cache.handle(.lost)
        #expect(!isCached(1))
        insert(1, 1)
        #expect(!isCached(1))
        cache.handle(.resumed)
        insert(1, 1)
        #expect(isCached(1))
    }

    @Test func `forgets the keys of the tenant whose keys changed, and no others`() {
        cache.handle(.resumed)
        insert(1, 1)
        insert(2, 2)
        cache.handle(.happened(.keysChanged, TenantID(rawValue: 1)))
        #expect(!isCached(1))
        #expect(isCached(2))
    }

    @Test func `does not keep an answer that is older than a change`() {
        cache.handle(.resumed)
        let old = changeCount()
        cache.handle(.happened(.keysChanged, TenantID(rawValue: 1)))
        insert(1, 1, changeCount: old)
        #expect(!isCached(1))
    }

    @Test func `ends with its lifetime even when nothing is heard`() {
        cache.handle(.resumed)
        insert(1, 1)
        #expect(isCached(1, after: 59))
        #expect(!isCached(1, after: 60))
    }

    @Test func `forgets everything when it is full, and keeps what comes then`() {
        cache.handle(.resumed)
        let changeCount = self.changeCount()
        for number in 0...Limits.cachedKeysMax {
            cache.insert(
                "", of: TenantID(rawValue: 1),
                for: KeyDigest(bytes: [0, UInt8(number / 256), UInt8(number % 256)]), at: now,
                changeCount: changeCount)
            if number == 0 { insert(1, 1) }
        }
        #expect(!isCached(1))
        insert(2, 1)
        #expect(isCached(2))
    }

    @Test(.timeLimit(.minutes(1)))
    func `forgets everything when its store's notifications end`() async throws {
        let (notifications, sender) = AsyncStream<StoreNotification>.makeStream()
        cache.follow(notifications)
        sender.yield(.resumed)
        try await waitUntil {
            insert(1, 1)
            return isCached(1)
        }
        sender.finish()
        try await waitUntil { !isCached(1) }
        insert(1, 1)
        #expect(!isCached(1))
    }
}
