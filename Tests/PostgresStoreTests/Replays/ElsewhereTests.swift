import EventStore
import TestSupport
import Testing

@testable import PostgresStore

@Suite(.timeLimit(.minutes(2)))
struct `A log that is not whole here` {
    @Test func `is one of a tenant that is arriving, or has left`() async throws {
        let scene = try await TenantMoveScene.make()
        func elsewhere(_ database: TestDatabase) async throws -> Bool {
            try await database.store.replays.elsewhere().contains(scene.tenant)
        }
        #expect(try await !elsewhere(scene.here))
        _ = await scene.refusal { _ = try await scene.move(killedAt: .copied) }
        #expect(try await !elsewhere(scene.here))
        #expect(try await elsewhere(scene.there))
        _ = await scene.refusal { _ = try await scene.move(killedAt: .opened) }
        #expect(try await elsewhere(scene.here))
        #expect(try await !elsewhere(scene.there))
        let others = try await scene.here.store.replays.elsewhere()
        #expect(!others.contains(scene.other))
    }
}
