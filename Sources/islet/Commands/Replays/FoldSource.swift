import DatabaseAccess
import EventLoop
import Foundation
import Glibc
import Replay
import Terminal

/// Where a fold to be compared comes from.
enum FoldSource {
    /// Runs programs where files are not given, one after the other, and compares.
    static func compare(
        _ folds: [String], _ arguments: Arguments
    ) async throws(CommandFailure) -> FoldComparison.Report {
        let directory = try PrivateDirectory("islet-folds")
        defer { directory.remove() }
        var files: [String] = []
        for (number, fold) in folds.enumerated() {
            let isProgram = fold == "this" || FileManager.default.isExecutableFile(atPath: fold)
            files.append(
                isProgram
                    ? try await run(fold, directory.file("\(number + 1).ndjson"), arguments) : fold)
        }
        let first = try LineFile(files[0])
        let second = try LineFile(files[1])
        do throws(ReplayError) {
            return try FoldComparison.compare(first.next, second.next)
        } catch { throw .failed("\(folds.joined(separator: ", ")): \(error)") }
    }

    /// - Returns: the file that it has written.
    private static func run(
        _ fold: String, _ file: String, _ arguments: Arguments
    ) async throws(CommandFailure) -> String {
        let program = fold == "this" ? "/proc/self/exe" : fold
        let words = (["tenant", "from"] + Database.options.map(\.name)).flatMap { name in
            arguments.isTyped(name) ? arguments.texts(name).flatMap { ["--\(name)", $0] } : []
        }
        return try await LongRun.until { (_) async throws(CommandFailure) in
            let ending = try await end(of: program, ["--to", file] + words, file)
            if Task.isCancelled { throw .interrupted("interrupted; nothing was changed") }
            guard ending == .exited(code: 0) else {
                let said = (try? String(contentsOfFile: file + ".errors", encoding: .utf8)) ?? ""
                throw .failed(
                    "\(fold) could not fold the log: "
                        + (said.isEmpty
                            ? "it \(ending) without a word; if \(NSTemporaryDirectory()) is full, "
                                + "TMPDIR names another place"
                            : said.trimmingCharacters(in: .whitespacesAndNewlines)))
            }
            guard FileManager.default.fileExists(atPath: file) else {
                throw .failed(
                    "\(fold) ran and wrote no fold: it is neither an islet program with replay "
                        + "trace nor a file that replay trace wrote")
            }
            return file
        }
    }

    private static func end(
        of program: String, _ words: [String], _ file: String
    ) async throws(CommandFailure) -> ChildProcess.Ending {
        let loop = EventLoop(name: "fold")
        let child: ChildProcess
        do {
            child = try await ChildProcess.start(
                program, ["replay", "trace"] + words, errors: file + ".errors", on: loop)
        } catch { throw .failed("\(program) cannot be started: \(error)") }
        let ending = await withTaskCancellationHandler {
            await child.ending()
        } onCancel: {
            Task { await child.send(signal: SIGTERM) }
        }
        await loop.shutdown()
        return ending
    }
}

/// Reads a file a line at a time.
private final class LineFile {
    private let path: String
    private let file: FileHandle
    private var buffer = Data()

    init(_ path: String) throws(CommandFailure) {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw .failed("\(path) is neither a program nor a file that can be read")
        }
        self.path = path
        self.file = file
    }

    deinit { try? file.close() }

    /// - Returns: nil at the end.
    func next() throws(ReplayError) -> Data? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer = buffer[(end + 1)...] }
                return Data(buffer[..<end])
            }
            let part: Data?
            do { part = try file.read(upToCount: Self.readBytes) } catch {
                throw .trace("\(path) cannot be read")
            }
            guard let part, !part.isEmpty else {
                guard buffer.isEmpty else { throw .trace("the last line of \(path) has no end") }
                return nil
            }
            buffer = Data(buffer) + part
        }
    }

    private static let readBytes = 256 * 1_024
}
