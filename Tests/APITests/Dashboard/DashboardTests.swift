import Domain
import EventStore
import Foundation
import HTTP
import ProjectFiles
import Testing

@testable import API

struct ScriptRun {
    var status: Int32
    var output: String
}

/// Runs a script in Python and waits for its end.
/// - Parameters:
///   - script: in the folder of the tests.
///   - python: of a virtual environment, or of the machine.
func runScript(
    _ script: String, _ arguments: [String], python: String = "python3"
) async throws -> ScriptRun {
    let script = ProjectFiles.url("Tests/APITests/\(script)")
    return try await runProgram([python, script.path] + arguments)
}

/// Runs a program of the search path on a thread of its own and waits for its end.
func runProgram(_ words: [String]) async throws -> ScriptRun {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = words
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["ISLET_KEY": "all", "PYTHONDONTWRITEBYTECODE": "1"]
            ) { $1 }
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            do {
                try process.run()
                let output = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(
                    returning: ScriptRun(
                        status: process.terminationStatus,
                        output: String(decoding: output, as: UTF8.self)))
            } catch { continuation.resume(throwing: error) }
        }
    }
}

/// With axe, by whose rules pages are checked, where `make test` has installed it; by hand:
/// `tools/venv .build/browser/venv Tests/APITests/Browser/requirements.txt`.
let browserPython =
    ProjectFiles.hasPython("browser") ? ProjectFiles.python("browser").path : "python3"

/// Ends after the chunk that has the alert, as a proxy might in the middle of a shift.
private func cut(_ stream: AsyncStream<[UInt8]>) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
        let task = Task {
            for await chunk in stream {
                continuation.yield(chunk)
                if String(decoding: chunk, as: UTF8.self).contains(#""verdict":"alert""#) { break }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
    }
}

@Test(.timeLimit(.minutes(2)))
func `a person sees orders arrive in a real browser, through a lost connection`() async throws {
    let api = await Harness()
    let resumedAfter = Lever<[String?]>([])
    let served = try await ServedAPI.start { request in
        // The page sets its clocks by the server's.
        api.time.value = Moment(unixSeconds: Int64(Date().timeIntervalSince1970))
        var response = await api.handler(request)
        // The projector's part: what was posted is folded at once.
        if request.method == "POST" { try? await api.fake.fold(Harness.mine) }
        // APNs' part.
        if request.path.hasPrefix("/test/key/") {
            await api.fake.refuseKey(request.path == "/test/key/refused")
            return Response(status: 204)
        }
        if request.path == "/v1/stream", response.status == 200 {
            resumedAfter.update { $0.append(request.headers["last-event-id"]) }
            if resumedAfter.value.count == 1, case .stream(let stream) = response.body {
                response.body = .stream(cut(stream))
            }
        }
        return response
    }
    let run = try await runScript(
        "Browser/dashboard_check.py", ["http://127.0.0.1:\(served.port)"], python: browserPython)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("ok: the console is silent"))
    // First the fresh sign-in, then the resumption after the cut, then pages that were opened
    // again.
    #expect(resumedAfter.value.prefix(2) == [nil, "2"])
    #expect(resumedAfter.value.dropFirst(2).allSatisfy { $0 == nil })
    await served.stop()
}
