import Domain
import EventStore
import Foundation

/// Remembers for a few seconds what tenants' tickets are signed with and what tenants may use.
/// Tenants without a secret are not remembered: guessing must not fill the memory.
///
/// `@unchecked Sendable`: `lock` protects every variable.
final class TicketKeyring: @unchecked Sendable {
    struct Ring: Sendable {
        var secrets: [TicketSecret]
        var limits: TenantLimits
    }

    private struct Entry {
        var ring: Ring
        var until: Moment
    }

    private let store: EventStore
    private let environment: APIEnvironment
    private let lock = NSLock()
    private var entries: [TenantID: Entry] = [:]

    init(store: EventStore, environment: APIEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// The secret with that id, if it still counts, and the tenant's limits.
    func secret(
        _ id: Int, of tenant: TenantID
    ) async throws(ProblemDocument) -> (secret: TicketSecret, limits: TenantLimits)? {
        if let known = Self.secret(id, in: remembered(tenant)) { return known }
        // Another node may have made it a moment ago.
        return Self.secret(id, in: try await read(tenant))
    }

    private static func secret(_ id: Int, in ring: Ring?) -> (TicketSecret, TenantLimits)? {
        guard let ring, let secret = ring.secrets.first(where: { $0.id == id }) else {
            return nil
        }
        return (secret, ring.limits)
    }

    private func remembered(_ tenant: TenantID) -> Ring? {
        let now = environment.now()
        return lock.withLock {
            entries[tenant].flatMap { now < $0.until ? $0.ring : nil }
        }
    }

    private func read(_ tenant: TenantID) async throws(ProblemDocument) -> Ring {
        let ring: Ring
        do {
            let secrets = try await store.tickets.secrets(tenant)
            guard !secrets.isEmpty else { return Ring(secrets: [], limits: .none) }
            ring = Ring(secrets: secrets, limits: try await store.tenants.limits(tenant))
        } catch { throw environment.problem(for: error, doing: "checking a ticket") }
        let until = environment.now().adding(seconds: environment.limits.keyCacheSeconds)
        lock.withLock {
            if entries.count >= Limits.cachedKeysMax { entries.removeAll(keepingCapacity: true) }
            entries[tenant] = Entry(ring: ring, until: until)
        }
        return ring
    }
}
