import Domain
import Foundation
import HTTP
import Testing

@testable import API

@Test(.timeLimit(.minutes(3)))
func `a board of 5,000 activities stays small and quick at 50 updates a second`() async throws {
    let api = await Harness()
    try await api.fake.seed(5_000, Harness.mine)
    let served = try await ServedAPI.start { request in
        api.time.value = Moment(unixSeconds: Int64(Date().timeIntervalSince1970))
        let response = await api.handler(request)
        if request.method == "POST" { try? await api.fake.fold(Harness.mine) }
        return response
    }
    let run = try await runScript(
        "Browser/dashboard_scale.py", ["http://127.0.0.1:\(served.port)"])
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("ok: the console is silent"))
    await served.stop()
}
