import Domain
import EventStore
import TestSupport
import Testing

@testable import API

struct `The memory of grants` {
    private let now = Moment(unixSeconds: 1_000)
    private let cache = GrantCache(lifetimeSeconds: 60)

    private func grant(_ key: UInt8, _ tenant: Int32) -> Grant {
        let tenant = Tenant(id: TenantID(rawValue: tenant), name: "t")
        return Grant(
            KeyGrant(tenant: tenant, scopes: [.activitiesRead]), hash: [key], .standard)
    }

    private func remembers(_ key: UInt8) -> Bool {
        if case .remembered = cache.look(for: [key], at: now) { true } else { false }
    }

    private func ticket() -> UInt64 {
        guard case .unknown(let ticket) = cache.look(for: [0], at: now) else { return .max }
        return ticket
    }

    private func keep(_ key: UInt8, _ tenant: Int32) {
        cache.keep(grant(key, tenant), at: now, ticket: ticket())
    }

    @Test func `keeps nothing before the store is heard`() {
        keep(1, 1)
        #expect(!remembers(1))
        cache.note(.resumed)
        keep(1, 1)
        #expect(remembers(1))
    }

    @Test func `is emptied when the store is no longer heard, and keeps nothing until it is`() {
        cache.note(.resumed)
        keep(1, 1)
        cache.note(.lost)
        #expect(!remembers(1))
        keep(1, 1)
        #expect(!remembers(1))
        cache.note(.resumed)
        keep(1, 1)
        #expect(remembers(1))
    }

    @Test func `forgets the keys of the tenant whose keys changed, and no others`() {
        cache.note(.resumed)
        keep(1, 1)
        keep(2, 2)
        cache.note(.news(.keysChanged, TenantID(rawValue: 1)))
        #expect(!remembers(1))
        #expect(remembers(2))
    }

    @Test func `does not keep an answer that is older than a change`() {
        cache.note(.resumed)
        let old = ticket()
        cache.note(.news(.keysChanged, TenantID(rawValue: 1)))
        cache.keep(grant(1, 1), at: now, ticket: old)
        #expect(!remembers(1))
    }

    @Test func `ends with its lifetime even when nothing is heard`() {
        cache.note(.resumed)
        keep(1, 1)
        guard case .unknown = cache.look(for: [1], at: now.adding(seconds: 60)) else {
            Issue.record("remembered for too long")
            return
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `forgets everything when its store's news end`() async throws {
        let (news, told) = AsyncStream<StoreNotification>.makeStream()
        cache.follow(news)
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
