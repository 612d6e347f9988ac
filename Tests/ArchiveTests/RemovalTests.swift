import Archive
import Domain
import EventStore
import Foundation
import TestSupport
import Testing

/// Keys that are gone keep Islet's clock from nothing.
@Suite(.timeLimit(.minutes(5)))
struct `A tenant that is removed while the clock goes on` {
    private func scene(
        _ body: (TestDatabase, Tenant, _ directory: String) async throws -> Void
    ) async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop")
        _ = try await database.store.log.append(tenant.id, [event("1"), event("2")])
        let directory = NSTemporaryDirectory() + "islet-removal-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(database, tenant, directory)
    }

    private func event(_ id: String) -> NewEvent {
        .driverAssigned(id, to: ActivityID(rawValue: "order-1"))
    }

    /// - Parameter lateCount: tries before which something is reported.
    private func remove(
        _ tenant: Tenant, from database: TestDatabase, to directory: String, lateCount: Int
    ) async throws(ArchiveError) -> [String] {
        let store = database.store
        var tries = 0
        return try await Archiving.runWholly(
            store, tenant, in: Layout(directory), open: { Layout($0) }, closing: {},
            removing: { () async throws(ArchiveError) in
                tries += 1
                do throws(EventStoreError) {
                    if tries <= lateCount {
                        _ = try await store.log.append(tenant.id, [event("late-\(tries)")])
                    }
                    while try await store.retention.remove(tenant.id) > 0 {}
                } catch { throw .store(error) }
            }, report: { _ in })
    }

    @Test func `goes with what was reported meanwhile, which is archived too`() async throws {
        try await scene { database, tenant, directory in
            let places = try await remove(tenant, from: database, to: directory, lateCount: 2)
            #expect(
                places == ["1-2", "3-3", "4-4"].map { "\(directory)/events-\($0)" })
            #expect(try await database.store.tenants.all().isEmpty)
        }
    }

    @Test func `stays when that has no end, and goes when the command is run again`() async throws {
        try await scene { database, tenant, directory in
            do throws(ArchiveError) {
                _ = try await remove(tenant, from: database, to: directory, lateCount: .max)
                Issue.record("it has an end")
            } catch {
                #expect(error == .overtaken(tenant: "shop"))
                #expect(error.description.contains("Run the same command again"))
            }
            #expect(try await database.store.tenants.all().map(\.name) == ["shop"])
            _ = try await remove(tenant, from: database, to: directory, lateCount: 0)
            #expect(try await database.store.tenants.all().isEmpty)
        }
    }

    @Test func `is not tried again if it is refused for another reason`() async throws {
        try await scene { database, tenant, directory in
            var tries = 0
            let refusal = EventStoreError.failed(sqlState: "23503", detail: "still referred to")
            do throws(ArchiveError) {
                _ = try await Archiving.runWholly(
                    database.store, tenant, in: Layout(directory), open: { Layout($0) },
                    closing: {},
                    removing: { () async throws(ArchiveError) in
                        tries += 1
                        throw .store(refusal)
                    }, report: { _ in })
                Issue.record("it was not refused")
            } catch { #expect(error == .store(refusal)) }
            #expect(tries == 1)
        }
    }
}
