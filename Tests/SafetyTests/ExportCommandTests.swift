import Foundation
import FoundationNetworking
import Glibc
import Postgres
import TestSupport
import Testing

/// The commands as a person runs them, beside a running server.
@Suite(.serialized)
struct `An exported log` {
    private func get(_ path: String, _ server: ServeProcess, _ key: String) async throws -> Data {
        var request = URLRequest(url: try #require(URL(string: path, relativeTo: server.base)))
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        return try await URLSession.shared.data(for: request).0
    }

    @Test(.timeLimit(.minutes(5)))
    func `has the events as the API gives them, and comes in again whole`() async throws {
        let place = try await Stage.make()
        let store = ["--database-url", place.postgres.url]
        let server = ServeProcess(store: store, directory: place.directory)
        try await server.start()
        let key = try await place.makeKey()
        let load = Load(base: server.base, key: key)
        async let writing: Void = load.run(writers: 2, seed: 3)
        let isWritten = await load.waitForMore(60)
        #expect(isWritten)
        load.stop()
        await writing

        let directory = place.directory + "/export"
        let exported = try await ServeProcess.run(
            ["events", "export", "--tenant", Stage.tenant, "--to", directory, "--json"] + store,
            directory: place.directory)
        #expect(exported.code == 0, "\(exported.output)")
        #expect(exported.output.hasPrefix("{"), "a bar was drawn though this is no terminal")
        let summary = try #require(
            try JSONSerialization.jsonObject(with: Data(exported.output.utf8)) as? [String: Any])
        #expect(summary["events"] as? Int == load.acknowledgedCount)

        let text = try String(
            contentsOfFile: directory + "/events-000001.ndjson", encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        let answer = try await get("/v1/activities/order-3/events?limit=500", server, key)
        let events = try #require(
            (try JSONSerialization.jsonObject(with: answer) as? [String: Any])?["events"]
                as? [[String: Any]])
        #expect(!events.isEmpty)
        for event in events {
            let line = lines[try #require(event["position"] as? Int) - 1]
            let own = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(NSDictionary(dictionary: event) == own.map { NSDictionary(dictionary: $0) })
        }

        for expected in ["Recorded \(lines.count) events", "Recorded 0 events"] {
            let imported = try await ServeProcess.run(
                ["events", "import", "--tenant", "copy", "--from", directory] + store,
                directory: place.directory)
            #expect(imported.code == 0 && imported.output.contains(expected))
            #expect(imported.output.contains("those of the export"))
        }
        await server.stop()
        await place.end()
    }
}
