import EventStore
import Foundation
import TestSupport
import Testing

/// What operators do with the program alone.
@Suite(.timeLimit(.minutes(3)))
struct `An operator at the program` {
    @Test func `finds commands in the audit log, and no key`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            func islet(_ words: String...) async throws -> IsletProgram.Result {
                try await IsletProgram.run(
                    words + ["--database-url", database.url], in: directory)
            }
            let key = try await islet("keys", "create", "--tenant", "acme", "--label", "till 5")
            _ = try await islet("tenants", "create", "bakery")
            _ = try await islet("keys", "revoke", "1")
            _ = try await islet("tenants", "limits", "acme", "--requests", "5")
            let all = try await islet("audit", "--json")
            #expect(all.code == 0, "\(all.errors)")
            let acts = try #require(
                JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]])
            #expect(
                acts.map { $0["act"] as? String } == [
                    "limits.set", "key.revoked", "tenant.created", "key.created", "tenant.created",
                ])
            let actor = try #require(acts[1]["actor"] as? String)
            #expect(actor.hasPrefix("islet command of "), "\(actor)")
            let after = try #require(acts[3]["after"] as? [String: Any])
            #expect(after["label"] as? String == "till 5")
            #expect(!all.output.contains(key.output.trimmingCharacters(in: .newlines)))
            let one = try await islet("audit", "--tenant", "bakery")
            #expect(one.output.split(separator: "\n").count == 2, "\(one.output)")
        }
    }

    @Test(arguments: ["help", "keys create --tenant acme"])
    func `learns that standard output did not take what was printed`(words: String) async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            let program = try await IsletProgram.start(
                program: ["bash", "-c", "'\(IsletProgram.path)' \(words) > /dev/full"],
                in: directory, environment: ["DATABASE_URL": database.url])
            let result = await program.result()
            #expect(result.code == 1)
            #expect(
                result.errors.contains(
                    "cannot write to standard output: No space left on device"),
                "\(result.errors)")
            // Nobody has seen it, and it opens everything.
            let remedy = "revoke it with islet keys revoke 1."
            #expect(
                result.errors.contains(remedy) == words.hasPrefix("keys"), "\(result.errors)")
        }
    }

    @Test func `learns that a file may grow no longer`() async throws {
        try await ScratchDirectory.with { directory in
            let mapping = #"""
                {"subject": "order", "events": [{"type": "PizzaDelivery.OrderReady", "time": "at"}]}
                """#
            let rows = (0..<100).map { "order-\($0),2026-05-01T12:00:00Z\n" }.joined()
            for (name, text) in [("map.json", mapping), ("orders.csv", "order,at\n" + rows)] {
                try Data(text.utf8).write(to: URL(filePath: directory.file(name)))
            }
            let words =
                "replay convert orders.csv --from csv-mapping --mapping map.json --to o.ndjson"
            let program = try await IsletProgram.start(
                program: [
                    "bash", "-c",
                    "cd '\(directory.path)' && ulimit -f 4 && '\(IsletProgram.path)' \(words)",
                ], in: directory)
            let result = await program.result()
            #expect(result.code == 1, "\(result)")
            #expect(result.errors.contains("File too large"), "\(result.errors)")
        }
    }

    @Test(arguments: ["2> /dev/full", "2>&-"])
    func `has the exit code where standard error does not take what is said`(
        redirection: String
    ) async throws {
        try await ScratchDirectory.with { directory in
            let program = try await IsletProgram.start(
                program: ["bash", "-c", "'\(IsletProgram.path)' nonsense \(redirection)"],
                in: directory)
            let result = await program.result()
            #expect(result.code == 2, "\(result)")
        }
    }

    @Test func `sees what a server does in figures, and tries a policy on it`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            try await RunningServer.with(["--database-url", database.url], in: directory) {
                server in
                let key = try await RunningServer.makeKey(in: database)
                for (id, type, data) in [
                    (
                        "1", "OrderPlaced",
                        #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"$3","#
                            + #""promisedAt":"2099-01-15T19:00:00Z"}"#
                    ), ("2", "DriverAssigned", #"{"driverName":"Ada"}"#),
                ] {
                    let posted = try await server.post(
                        #"{"specversion":"1.0","id":"\#(id)","source":"/test","subject":"o-1","#
                            + #""type":"PizzaDelivery.\#(type)","data":\#(data)}"#, key: key,
                        in: directory)
                    #expect(posted.status == 201, "\(posted.body)")
                }
                let folded = try await server.curl(
                    "/v1/activities/o-1?wait=2", key: key, in: directory)
                #expect(folded.status == 200, "\(folded.body)")
                let tried = try await server.post(
                    #"{"rules":{"driverAssigned":"timely"}}"#, key: key,
                    to: "/v1/policies/PizzaDelivery/what-if?activity=o-1",
                    type: "application/json", in: directory)
                #expect(
                    tried.status == 200 && tried.body.contains(#""removed":1"#), "\(tried.body)")
                try await waitUntil("figures are written") {
                    try await server.curl("/v1/series", key: key, in: directory)
                        .body.contains(#""events":2"#)
                }
                let nodes = try await server.curl("/v1/nodes", key: key, in: directory)
                #expect(nodes.status == 200 && nodes.body.contains("connections"))
            }
        }
    }
}
