import Domain
import Foundation
import JSON
import Testing

@testable import API

struct `The trace of a request` {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// What is kept of an event with attributes of its own, each with a comma behind it.
    private func kept(_ attributes: String, state: String = "k=v") async throws -> JSON {
        let api = await Harness()
        let event = SampleEvents.event(
            id: "1", type: "PizzaDelivery.OrderReady", subject: "o-1", data: "{}",
            extra: attributes)
        let answer = try await api.call(
            "POST", "/v1/events", body: event, type: "application/json",
            headers: [("traceparent", Self.parent), ("tracestate", state)])
        #expect(answer.status == 201)
        let log = await api.fake.log(of: Harness.mine)
        return try JSONParser.parse(Array(try #require(log.first?.event.extensions)))
    }

    @Test(arguments: [(0, true, true), (14, true, true), (15, true, false), (16, false, false)])
    func `is kept as far as an event may have so many attributes`(
        count: Int, hasParent: Bool, hasState: Bool
    ) async throws {
        let kept = try await self.kept((0..<count).map { #""own\#($0)":1,"# }.joined())
        #expect(kept["traceparent"]?.text == (hasParent ? Self.parent : nil))
        #expect(kept["tracestate"]?.text == (hasState ? "k=v" : nil))
        if count > 0 { #expect(kept["own\(count - 1)"] == .integer(1)) }
    }

    /// An event's attributes have 4,096 bytes, of which `traceparent` takes 72.
    @Test(arguments: [(3_700, true, true), (3_900, true, false), (4_050, false, false)])
    func `is kept as far as an event's attributes may have so many bytes`(
        count: Int, hasParent: Bool, hasState: Bool
    ) async throws {
        let state = "k=" + String(repeating: "v", count: 198)
        let own = String(repeating: "x", count: count)
        let kept = try await self.kept(#""own":"\#(own)","#, state: state)
        #expect(kept["traceparent"]?.text == (hasParent ? Self.parent : nil))
        #expect(kept["tracestate"]?.text == (hasState ? state : nil))
        #expect(kept["own"]?.text == own)
    }

    @Test(arguments: [#""traceparent":"00-1","#, #""tracestate":"a=b","#])
    func `leaves an event that names one as it is`(own: String) async throws {
        let kept = try await self.kept(own)
        #expect(kept["traceparent"]?.text != Self.parent)
        #expect(kept["tracestate"]?.text != "k=v")
    }
}
