import Domain
import EventStore
import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

@testable import API

/// Sends a request, closes its sending half at once, and reads what comes back to its end.
private func exchangeHalfClosed(port: Int, _ request: String) async -> String {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            let bytes = Array(request.utf8)
            _ = send(descriptor, bytes, bytes.count, 0)
            shutdown(descriptor, Int32(SHUT_WR))
            var answer: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
                answer += buffer[..<count]
            }
            continuation.resume(returning: String(decoding: answer, as: UTF8.self))
        }
    }
}

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
