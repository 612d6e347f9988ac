import EventLoop
import Foundation

/// `islet serve` in a process of its own, so that it can be killed like a real one. When it dies
/// without having been asked to, it is started again.
final class DemoServer: Sendable {
    private struct State {
        var process: Process?
        var isStopping = false
        var restarts = 0
    }

    private let arguments: [String]
    private let logFile: String
    private let notice: @Sendable (String) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - arguments: after the program's name.
    ///   - logFile: takes the server's log.
    ///   - notice: told when the server died and is started again.
    init(arguments: [String], logFile: String, notice: @escaping @Sendable (String) -> Void) {
        self.arguments = arguments
        self.logFile = logFile
        self.notice = notice
    }

    var restarts: Int { state.withLock { $0.restarts } }

    var processID: Int32 { state.withLock { $0.process?.processIdentifier ?? 0 } }

    func start() throws(CommandFailure) {
        if !FileManager.default.fileExists(atPath: logFile) {
            _ = FileManager.default.createFile(atPath: logFile, contents: nil)
        }
        let process = Program.process(arguments)
        guard let log = FileHandle(forWritingAtPath: logFile) else {
            throw .failed("cannot write \(logFile)")
        }
        _ = try? log.seekToEnd()
        process.standardError = log
        process.terminationHandler = { [self] process in ended(process) }
        do { try process.run() } catch {
            throw .failed("cannot start the server: \(error.localizedDescription)")
        }
        state.withLock { $0.process = process }
    }

    /// Asks it to stop and waits until it has.
    func stop() async {
        let process = state.withLock { state in
            state.isStopping = true
            return state.process
        }
        guard let process, process.isRunning else { return }
        process.terminate()
        while process.isRunning { try? await Task.sleep(for: .milliseconds(20)) }
    }

    private func ended(_ process: Process) {
        let isExpected = state.withLock { state in
            if !state.isStopping { state.restarts += 1 }
            return state.isStopping
        }
        if isExpected { return }
        let how =
            process.terminationReason == .uncaughtSignal
            ? "was killed by signal" : "ended with code"
        notice("the server \(how) \(process.terminationStatus); starting it again")
        try? start()
    }
}

/// This very program, as a child process.
enum Program {
    static var path: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }

    static func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        return process
    }

    /// Runs to the end.
    /// - Returns: what it wrote to standard output, without the last line break.
    /// - Throws: `.failed` when its exit code is not 0.
    static func output(_ arguments: [String]) async throws(CommandFailure) -> String {
        let process = process(arguments)
        let pipe = Pipe()
        process.standardOutput = pipe
        do { try process.run() } catch {
            throw .failed("cannot run \(arguments.first ?? ""): \(error.localizedDescription)")
        }
        let text = await withCheckedContinuation { continuation in
            // A thread of its own: waiting for a process blocks.
            Thread.detachNewThread {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
        guard process.terminationStatus == 0 else {
            throw .failed("'islet \(arguments.joined(separator: " "))' failed:\n\(text)")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}
