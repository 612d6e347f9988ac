import Domain
import Foundation
import HTTP
import Testing

@testable import API

/// The streams that a server has open, which can all be ended.
private struct OpenStreams {
    let count = Lever(0)
    private let cuts = Lever(0)

    func cut() { cuts.update { $0 += 1 } }

    func counted(_ stream: AsyncStream<[UInt8]>) -> AsyncStream<[UInt8]> {
        let seen = cuts.value
        return AsyncStream { continuation in
            count.update { $0 += 1 }
            let telling = Task {
                for await chunk in stream { continuation.yield(chunk) }
                continuation.finish()
            }
            let watching = Task {
                while !Task.isCancelled, cuts.value == seen {
                    try? await Task.sleep(for: .milliseconds(20))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in
                telling.cancel()
                watching.cancel()
                count.update { $0 -= 1 }
            }
        }
    }
}

@Test(.timeLimit(.minutes(2)))
func `a dashboard among others says nothing that it does not know, in a real browser`()
    async throws
{
    let api = await Harness()
    let streams = OpenStreams()
    let isHidden = Lever(false)
    let served = try await ServedAPI.start { request in
        api.time.value = Moment(unixSeconds: Int64(Date().timeIntervalSince1970))
        switch request.path {
        case "/test/cut":
            streams.cut()
            return Response(status: 204)
        case "/test/streams":
            return Response(status: 200, body: .bytes(Array("\(streams.count.value)".utf8)))
        case "/test/hide", "/test/show":
            isHidden.value = request.path == "/test/hide"
            return Response(status: 204)
        case "/dashboard/office.js" where isHidden.value: return Response(status: 503)
        default: break
        }
        var response = await api.handler(request)
        // The projector's part: what was posted is folded at once.
        if request.method == "POST" { try? await api.fake.fold(Harness.mine) }
        if request.path == "/v1/stream", case .stream(let stream) = response.body {
            response.body = .stream(streams.counted(stream))
        }
        return response
    }
    let run = try await runScript(
        "Browser/dashboard_tabs.py", ["http://127.0.0.1:\(served.port)"], python: browserPython)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("ok: the console is silent"))
    await served.stop()
}
