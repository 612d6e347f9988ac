import Foundation

/// The Swift half of `Benchmarks/run`: a server to push to, a client that pushes, and one that
/// posts events and follows what becomes of them.
@main
struct IsletBench {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch words.first {
        case "gateway": try await SilentGateway.run()
        case "push" where numbers.count == 2:
            try await PushRun.run(pushes: numbers[0], streams: numbers[1])
        case "live" where numbers.count == 3:
            try await LiveRun.run(port: numbers[0], rate: numbers[1], seconds: numbers[2])
        case "arrivals" where numbers.isEmpty: try await ArrivalRun.serve()
        default:
            FileHandle.standardError.write(
                Data(
                    """
                    usage: islet-bench gateway
                           islet-bench push PUSHES STREAMS
                           islet-bench live PORT RATE SECONDS
                           islet-bench arrivals

                    """.utf8))
            exit(2)
        }
    }

    static func fail(_ why: String) -> Never {
        FileHandle.standardError.write(Data("islet-bench: \(why)\n".utf8))
        exit(1)
    }

    /// One line of JSON on standard output, where `Benchmarks/run` waits for it.
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        FileHandle.standardOutput.write(try encoder.encode(value) + Data("\n".utf8))
    }
}
