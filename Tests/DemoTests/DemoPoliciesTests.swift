import EventLoop
import Foundation
import HTTP
import JSON
import Projections
import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1)))
struct `The policies of a demo` {
    /// As a server gets them, by the kind's name.
    private func documents(atSpeed speed: Double) async throws -> [String: PolicyDocument] {
        let stand = ServerStandIn()
        let (server, client) = try await stand.start { _ in nil }
        try await DemoPolicies(speed: speed).put(with: client)
        await server.drain(within: .milliseconds(100))
        var documents: [String: PolicyDocument] = [:]
        for call in stand.calls.withLock({ $0 }) {
            #expect(call.line.hasPrefix("PUT /v1/policies/"))
            let kind = call.path.split(separator: "/").last.map(String.init) ?? ""
            #expect(documents[kind] == nil)
            documents[kind] = try JSONDecoder().decode(
                PolicyDocument.self, from: Data(call.body.canonicalBytes))
        }
        return documents
    }

    @Test func `let seconds pass as quickly as the story`() async throws {
        let documents = try await documents(atSpeed: 60)
        #expect(Set(documents.keys) == Set(ActivityCatalog.standard.kinds.map { $0.name }))
        let figures = try #require(documents["PizzaDelivery"]?.thresholds)
        #expect(
            figures == [
                "budgetRefillSeconds": 5, "frequentRefillSeconds": 1, "quietRefillSeconds": 0.5,
                "coalesceSeconds": 5.0 / 60, "mergeSeconds": 2, "clockSkewSeconds": 86_400,
                "endGraceSeconds": 0,
            ])
        var ofMatch = figures
        ofMatch["budgetTokensCount"] = 6
        #expect(documents["Match"]?.thresholds == ofMatch)
    }

    @Test(arguments: [0.001, 0.5, 1, 60, 1_000_000])
    func `are taken by a server, however fast the story is`(speed: Double) async throws {
        for (kind, document) in try await documents(atSpeed: speed) {
            _ = try ActivityCatalog.standard.newPolicy(ofKind: kind, document)
        }
    }

    @Test func `are the built-in ones when the story is as fast as life`() async throws {
        let figures = try await documents(atSpeed: 1)["Match"]?.thresholds ?? [:]
        for threshold: Threshold in [
            .budgetRefillSeconds, .frequentRefillSeconds, .quietRefillSeconds, .coalesceSeconds,
            .mergeSeconds,
        ] {
            #expect(figures[threshold.name] == threshold.standard, "\(threshold.name)")
        }
    }
}
