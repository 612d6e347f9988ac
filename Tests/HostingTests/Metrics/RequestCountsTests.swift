import API
import HTTP
import Testing

@testable import Hosting

struct `Requests that are answered` {
    @Test func `are counted by the class of their status, and those under way apart`() throws {
        let counts = RequestCounts()
        for _ in 0..<6 { #expect(counts.began(Request(method: "GET", target: "/v1/board"))) }
        for status in [200, 204, 302, 404, 503] {
            counts.answered(status: status, isOfTenant: false, after: .milliseconds(3))
        }
        let metrics = Dictionary(uniqueKeysWithValues: counts.metrics.map { ($0.name, $0) })
        let total = try #require(metrics["islet_http_requests_total"])
        #expect(
            total.samples.map { $0.labels.map(\.value) }
                == [["2xx"], ["3xx"], ["4xx"], ["5xx"], ["tenant"]])
        #expect(total.samples.map(\.value) == [2, 1, 1, 1, 0])
        #expect(metrics["islet_http_requests_under_way"]?.samples.map(\.value) == [1])
        let seconds = try #require(metrics["islet_http_request_seconds"])
        let count = seconds.samples.first { $0.suffix == "_count" }
        let sum = try #require(seconds.samples.first { $0.suffix == "_sum" })
        #expect(count?.value == 5)
        #expect(abs(sum.value - 0.015) < 0.000_001)
    }

    /// Nobody is to be woken for it.
    @Test func `are counted apart if one tenant is refused for what is its own`() throws {
        let counts = RequestCounts()
        for (status, isOfTenant) in [(507, true), (503, true), (503, false)] {
            #expect(counts.began(Request(method: "POST", target: "/v1/events")))
            counts.answered(status: status, isOfTenant: isOfTenant, after: .milliseconds(3))
        }
        let total = try #require(counts.metrics.first { $0.name == "islet_http_requests_total" })
        #expect(total.samples.map(\.value) == [0, 0, 0, 1, 2])
        #expect(counts.metrics[1].samples.map(\.value) == [0])
    }

    @Test func `are counted apart if their clients do not take the answers`() throws {
        let counts = RequestCounts()
        counts.gaveUpSlowReader()
        let name = "islet_http_slow_readers_total"
        let metric = try #require(counts.metrics.first { $0.name == name })
        #expect(metric.samples.map(\.value) == [1])
    }

    @Test(arguments: ["/livez", "/readyz?verbose", "/healthz"])
    func `are not counted when a load balancer asks how the node is`(target: String) {
        let counts = RequestCounts()
        #expect(!counts.began(Request(method: "GET", target: target)))
        #expect(counts.metrics.allSatisfy { $0.samples.allSatisfy { $0.value == 0 } })
    }
}
