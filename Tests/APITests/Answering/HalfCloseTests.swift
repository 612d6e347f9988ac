import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import API

@Suite(.timeLimit(.minutes(2))) struct HalfCloseTests {
    @Test func `a client that closes its half while its events wait gets them recorded and told`()
        async throws
    {
        let api = try await PostgresAPI.make()
        let served = try await ServedAPI.start(handler: api.handler)
        let blocker = try await api.block()
        async let committing = api.post(SampleEvents.placed("o-1"))
        try await api.database.waitForLock()
        let event = SampleEvents.assigned("o-1")
        async let answer = exchangeHalfClosed(
            port: served.port,
            """
            POST /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer key\r\n\
            Content-Type: application/json\r\nContent-Length: \(event.utf8.count)\r\n\r\n\(event)
            """)
        // Long enough for the request and the end of its half to arrive.
        try await Task.sleep(for: .milliseconds(300))
        try await blocker.script("COMMIT")
        #expect(await answer.hasPrefix("HTTP/1.1 201 "))
        #expect(try await committing.status == 201)
        #expect(try await api.store.log.head(api.tenant) == 2)
        await served.stop()
    }
}
