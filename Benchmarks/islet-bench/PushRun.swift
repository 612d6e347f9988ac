import APNs
import APNsClient
import EventLoop
import Foundation
import TLS

/// Pushes over one connection with the client that `islet serve` uses.
enum PushRun {
    private struct Figures: Encodable {
        var accepted: Int
        /// From before the connection is opened to the last answer.
        var seconds: Double
        /// Of the whole process meanwhile.
        var cpuSeconds: Double
    }

    /// Reads a `Target` from standard input, pushes, and prints the outcome.
    /// - Parameter streams: how many pushes are under way at a time.
    static func run(pushes: Int, streams: Int) async throws {
        let target = try JSONDecoder().decode(
            Target.self, from: try FileHandle.standardInput.readToEnd() ?? Data())
        let loop = EventLoop(name: "push")
        let client = try target.client(on: loop)
        let cpuBefore = ProcessUsage.cpuSeconds
        let start = ContinuousClock.now
        let accepted = await push(target.request, pushes, streams, client, loop)
        let duration = ContinuousClock.now - start
        let cpuAfter = ProcessUsage.cpuSeconds
        await client.close()
        try IsletBench.print(
            Figures(
                accepted: accepted, seconds: duration / .seconds(1),
                cpuSeconds: cpuAfter - cpuBefore))
    }

    /// `streams` tasks on the client's loop, each with one push under way.
    private static func push(
        _ request: APNsRequest, _ pushes: Int, _ streams: Int, _ client: APNsClient,
        _ loop: EventLoop
    ) async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for stream in 0..<streams {
                let share = pushes / streams + (stream < pushes % streams ? 1 : 0)
                group.addTask(executorPreference: loop) {
                    var accepted = 0
                    for _ in 0..<share {
                        if case .answered(let answer) = await client.send(request),
                            answer.status == 200
                        {
                            accepted += 1
                        }
                    }
                    return accepted
                }
            }
            return await group.reduce(0, +)
        }
    }
}
