import API
import EventStore
import Testing

@testable import Hosting

struct `Whether a node is ready` {
    private func results(_ node: NodeHealth) async -> [String: HealthCheck.Result] {
        var results: [String: HealthCheck.Result] = [:]
        for check in node.checks { results[check.name] = await check.probe() }
        return results
    }

    @Test(
        arguments: [
            ([.api], ["appends"]), ([.api, .projector], ["appends", "folds"]),
            ([.api, .sender], ["appends", "pushes"]),
            ([.api, .projector, .sender], ["appends", "folds", "pushes"]),
        ] as [(Set<Server.Role>, [String])])
    func `depends on the calls of its roles`(roles: Set<Server.Role>, names: [String]) {
        #expect(NodeHealth(roles: roles).checks.map(\.name) == ["node"] + names)
    }

    @Test func `is given up while it stops, though its calls work`() async {
        let node = NodeHealth(roles: [.api])
        node.store.ended(.append, nil)
        #expect(
            await results(node) == ["node": .healthy("in service"), "appends": .healthy("works")])
        node.drain()
        guard case .unhealthy(let why)? = await results(node)["node"] else {
            Issue.record("it is ready")
            return
        }
        #expect(why.contains("draining"))
        #expect(await results(node)["appends"] == .healthy("works"))
    }

    @Test func `is not changed by calls of a role that it does not have`() async {
        let node = NodeHealth(roles: [.api, .sender])
        node.store.ended(.fold, .schema(detail: "x"))
        for result in await results(node).values {
            guard case .unhealthy(let why) = result else { continue }
            Issue.record("\(why)")
        }
    }

    @Test func `is not changed by one failure after a call that worked`() async {
        let node = NodeHealth(roles: [.api])
        node.store.ended(.append, nil)
        node.store.ended(.append, .unavailable(detail: "x"))
        guard case .healthy? = await results(node)["appends"] else {
            Issue.record("one failure takes it out of service")
            return
        }
    }

    /// All nodes of that version fare alike, and what is reported is to be recorded.
    @Test func `is not changed by a newer program that folds, which it says all the time`() async {
        let node = NodeHealth(roles: [.api, .projector])
        let tooOld = HealthCheck.Result.healthy(
            "the last one failed: a newer version of Islet folds this database: bring this node up "
                + "to date")
        node.store.ended(.fold, .oldProgram)
        #expect(await results(node)["folds"] == tooOld)
        // Neither finds anything to fold.
        node.store.noteProbe(.fold, nil)
        node.store.ended(.fold, nil)
        #expect(await results(node)["folds"] == tooOld)
        node.store.beginAgain()
        #expect(await results(node)["folds"] == .healthy("not tried yet"))
    }

    @Test(
        arguments: [
            .unavailable(detail: "db-7.internal"), .outcomeUnknown(detail: "db-7.internal"),
            .failed(sqlState: "53100", detail: "db-7.internal"), .schema(detail: "db-7.internal"),
            .overloaded(detail: "db-7.internal"), .moving(detail: "db-7.internal"),
        ] as [EventStoreError])
    func `is shown to strangers without what the database said`(error: EventStoreError) {
        let words = NodeHealth.words(error)
        #expect(!words.isEmpty && !words.contains("db-7"), "\(words)")
    }

    @Test func `says of a database that takes no writes what is true of it`() {
        let words = NodeHealth.words(
            .unavailable(detail: "25006 cannot execute INSERT in a read-only transaction"))
        #expect(words.contains("takes no writes (25006)"), "\(words)")
        #expect(!words.contains("does not answer"))
    }

    /// What does without it depends on who looks after Postgres.
    @Test func `leads to the remedy when a standby is away, and names no setting`() {
        let words = NodeHealth.words(
            .outcomeUnknown(detail: EventStoreError.standbyAwayDetail))
        #expect(words.contains("synchronous standby"))
        #expect(!words.contains("ALTER SYSTEM"))
        #expect(words.contains("islet doctor"))
    }

    @Test(
        arguments: [
            ("53100 could not extend file", "answers 53100 (its disk is full)"),
            ("the database lets nobody in: 53300 sorry", "answers 53300 (it has no connection"),
            ("57P01 terminating connection", "answers 57P01;"), ("no answer", "does not answer"),
            ("cannot connect to the database: 53100 is no state", "does not answer"),
        ])
    func `says what a database answered, if it did`(detail: String, words: String) {
        #expect(NodeHealth.words(.unavailable(detail: detail)).contains(words))
    }
}
