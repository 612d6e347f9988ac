import Postgres
import PostgresStore
import Terminal
import Testing

@testable import DatabaseAccess

struct `Connections to Postgres` {
    private func plan(_ words: String...) throws -> ConnectionPlan {
        let command = Command(
            path: ["serve"], summary: "", options: ConnectionPlan.options, examples: [],
            run: { _ in })
        return ConnectionPlan(try Arguments(words, for: command, environment: [:]))
    }

    @Test func `are of one node 16, 12 and 7, and 16 with a visitor`() throws {
        let alone = try plan().perNode(hasVisitors: false)
        #expect(alone == FleetConnections.Node(service: 16 + 12 + 7, visitor: 0))
        let shared = try plan().perNode(hasVisitors: true)
        #expect(shared == FleetConnections.Node(service: 16 + 12 + 7, visitor: 16))
        // Three nodes fit, with a few for the command line.
        #expect(3 * shared.all < 160)
    }

    @Test func `of deliveries are only a sender's`() throws {
        #expect(try plan().perNode(delivers: false, hasVisitors: false).service == 16 + 7)
    }

    @Test func `are for each pool as its option says`() throws {
        let connection = ConnectionConfiguration(url: "postgresql:///a")
        let chosen = try plan(
            "--database-connections-max", "3", "--delivery-connections-max", "4",
            "--visitor-connections-max", "5")
        let pools = [
            chosen.main(connection), chosen.deliveries(connection), chosen.visitors(connection),
        ]
        #expect(pools.map(\.connectionsMax) == [3, 4, 5])
        #expect(Set(pools.map(\.name)).count == 3, "metrics tell them apart")
        #expect(pools.allSatisfy { $0.connection == connection })
        #expect(chosen.perNode(hasVisitors: true).all == 3 + 4 + 7 + 5)
    }

    @Test(arguments: ["database-connections-max", "delivery-connections-max"])
    func `are two at least where one would wait for itself`(option: String) {
        #expect(
            throws: CommandFailure.usage("--\(option) must be a whole number from 2 to 1000")
        ) {
            _ = try plan("--\(option)", "1")
        }
    }
}
