import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Two cells on one server, and a tenant with something in every table in the first of them.
struct TenantMoveScene {
    let here: TestDatabase
    let there: TestDatabase
    let tenant: TenantID
    let other: TenantID
    static let name = "mine"

    /// Tables that are written when a tenant is opened, or that only say that it moves.
    static let ownTables: Set<String> = [
        "tenant_move", "moved_row", "staged_row", "departed_tenant", "departed_key",
        "removed_tenant", "projection_rebuild",
    ]
    static let changed = ownTables.union(["log_head", "projection_checkpoint", "audit_entry"])

    static func make(_ user: DatabaseUser = .superuser) async throws -> TenantMoveScene {
        let two = try await TwoTenants.make(user)
        let there = try await user.database()
        for table in ownTables {
            _ = try await two.database.pool.query("DELETE FROM \(table)")
        }
        _ = try await two.database.pool.query("DELETE FROM cell")
        try await two.database.store.tenants.setCell(Cell(name: "eu1", number: 1, isHere: true))
        try await there.store.tenants.setCell(
            Cell(name: "eu2", number: 2, url: "https://eu2.example", isHere: true))
        return TenantMoveScene(
            here: two.database, there: there, tenant: two.mine, other: two.theirs)
    }

    /// - Parameter sql: what is done to the tenant's rows when all of them are copied.
    func move(
        killedAt step: TenantMove.Step? = nil, back: Bool = false, copied sql: [String] = []
    ) async throws -> TenantMove.Report {
        let (from, to) = back ? (there, here) : (here, there)
        return try await TenantMove(
            from: from.pool, to: to.pool,
            reached: { (reached) async throws(TenantMove.Failure) in
                for sql in sql where reached == .copied {
                    do throws(PostgresError) { _ = try await from.pool.query(sql) } catch {
                        throw .store(error)
                    }
                }
                if reached == step { throw .refused("killed at \(reached)") }
            }
        ).run(Self.name)
    }

    func cancel() async throws {
        try await TenantMove(from: here.pool, to: there.pool).cancel(Self.name)
    }

    func rows(_ database: TestDatabase) async throws -> [String] {
        try await database.contents(of: tenant, except: Self.changed)
    }

    /// Tables that have something of the tenant.
    func tables(_ database: TestDatabase) async throws -> Set<String> {
        let lines = try await database.contents(of: tenant)
        return Set(lines.filter { !$0.hasSuffix(": ") }.map { String($0.prefix { $0 != ":" }) })
    }

    /// - Returns: false when the tenant is not here, or nothing is written of it for a moment.
    func register(_ installation: String, with token: String? = nil) async throws -> Bool {
        let wish = StartWish(
            installation: installation, kind: "Sample",
            token: PushToken(stored: token ?? installation), environment: .sandbox,
            bundleID: "com.example", topics: [])
        do throws(EventStoreError) {
            _ = try await here.store.startTokens.putToken(tenant, wish)
            return true
        } catch {
            guard case .moving = error else { throw error }
            return false
        }
    }

    func putCards(_ count: Int) async throws {
        _ = try await here.pool.query(
            """
            INSERT INTO registration (
                tenant, activity_id, push_token, environment, bundle_id, installation
            ) SELECT $1, 'order-7', 'p' || n, 'sandbox', 'b', 'phone-' || n
            FROM generate_series(1, \(count)) n
            """, [.tenant(tenant)])
    }

    /// The first phone's card gets another token, and so another row.
    /// - Returns: false when nothing is written of the tenant for a moment.
    func rotateCard(to token: String) async throws -> Bool {
        do throws(PostgresError) {
            _ = try await here.pool.query(
                """
                WITH closed AS (
                    UPDATE registration SET closed_at = now(), closed_by = 'app'
                    WHERE tenant = $1 AND installation = 'phone-1' AND closed_at IS NULL
                    RETURNING *
                )
                INSERT INTO registration (
                    tenant, activity_id, push_token, environment, bundle_id, installation
                ) SELECT tenant, activity_id, $2, environment, bundle_id, installation FROM closed
                """, [.tenant(tenant), .text(token)])
            return true
        } catch {
            guard error.sqlState == SQLState.tenantMoving else { throw error }
            return false
        }
    }

    /// The tenant's phones with a token.
    func phones(_ database: TestDatabase) async throws -> Int {
        try await database.pool.query(
            """
            SELECT FROM start_device d JOIN start_token t ON t.device_id = d.id
            WHERE d.tenant = $1
            """, [.tenant(tenant)]
        ).count
    }

    /// Of both databases, those in which work is done for the tenant.
    func open() async throws -> [String] {
        var open: [String] = []
        for (name, database) in [("here", here), ("there", there)] {
            let rows = try await database.pool.query(
                """
                SELECT FROM projection_checkpoint c WHERE c.tenant = $1 AND NOT EXISTS (
                    SELECT FROM tenant_move m WHERE m.tenant = $1 AND m.closed_until > now()
                )
                """, [.tenant(tenant)])
            if !rows.isEmpty { open.append(name) }
        }
        return open
    }

    /// Refused with words.
    func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let failure as TenantMove.Failure {
            return words(failure)
        } catch {
            return "\(error)"
        }
    }

    private func words(_ failure: TenantMove.Failure) -> String {
        switch failure {
        case .refused(let why), .stuck(let why): why
        case .unfinished(let cause): words(cause)
        case .unknownTenant, .store, .otherStore: "\(failure)"
        }
    }
}

extension TenantStore {
    /// Where the tenant of a key is that has left this cell; nil also while it is open nowhere.
    func departure(ofKey sha256: [UInt8]) async throws(EventStoreError) -> Cell? {
        do throws(EventStoreError) {
            guard case .departed(let cell) = try await lookUp(key: sha256) else { return nil }
            return cell
        } catch {
            guard case .moving = error else { throw error }
            return nil
        }
    }
}
