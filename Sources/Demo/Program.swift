import EventLoop
import Foundation
import Terminal

/// This very program, to be run as a child process.
enum Program {
    static var path: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }

    /// Runs to the end.
    /// - Parameter directory: for files that take the output meanwhile.
    /// - Returns: what it wrote to standard output, without the last line break.
    /// - Throws: `.failed` with what it wrote to standard error when its exit code is not 0.
    static func output(
        _ arguments: [String], directory: String, on loop: EventLoop
    ) async throws(CommandFailure) -> String {
        let file = "\(directory)/output-\(UUID().uuidString)"
        let errorFile = file + ".errors"
        let ending: ChildProcess.Ending
        do throws(NetworkError) {
            ending = try await ChildProcess.start(
                path, arguments, output: file, errors: errorFile, on: loop
            ).ending()
        } catch { throw .failed("cannot run islet \(arguments.first ?? ""): \(error)") }
        let (text, errors) = (take(file), take(errorFile))
        guard ending == .exited(code: 0) else {
            throw .failed("'islet \(arguments.joined(separator: " "))' failed:\n\(errors)")
        }
        return text.trimmingCharacters(in: .newlines)
    }

    private static func take(_ file: String) -> String {
        defer { try? FileManager.default.removeItem(atPath: file) }
        return (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    }
}
