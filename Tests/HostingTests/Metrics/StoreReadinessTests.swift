import HTTP
import Testing

@testable import Hosting

/// What `/readyz` says of the database itself, as a metric.
struct `The database's part of readiness` {
    private func answer(_ status: Int, _ text: String) -> Response {
        Response(status: status, body: .bytes(Array(text.utf8)))
    }

    @Test func `is well while a key is looked up, though appends fail as with a locked table`() {
        let locked = """
            {"status":"unhealthy","checks":{"store":{"status":"healthy","detail":"answers"},
             "appends":{"status":"unhealthy","detail":"the database answers 55P03"}}}
            """
        #expect(NodeMetrics.isStoreWell(answer(503, locked), hasWorked: false))
    }

    @Test func `is not while the database is away, nor without an answer in time`() {
        let away = #"{"checks":{"store":{"status":"unhealthy","detail":"does not answer"}}}"#
        #expect(!NodeMetrics.isStoreWell(answer(503, away), hasWorked: true))
        #expect(!NodeMetrics.isStoreWell(answer(503, "no JSON"), hasWorked: true))
        #expect(!NodeMetrics.isStoreWell(nil, hasWorked: false))
    }

    @Test func `is well while a look-up waits in a line and other calls are carried out`() {
        #expect(NodeMetrics.isStoreWell(nil, hasWorked: true))
    }
}
