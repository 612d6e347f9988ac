import Foundation
import Glibc

/// A server that stands still, as one does whose machine was paused: its kernel still takes
/// connections and acknowledges bytes, and nobody answers.
public struct FrozenServer: Sendable {
    private let processes: [pid_t]

    /// - Parameter cluster: the directory with its `postmaster.pid`.
    public init(cluster: String) throws {
        let lock = try String(contentsOfFile: cluster + "/postmaster.pid", encoding: .utf8)
        guard let first = lock.split(separator: "\n").first, let parent = pid_t(first) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        // It first, so that it makes no more children.
        Glibc.kill(parent, SIGSTOP)
        processes = [parent] + Self.children(of: parent)
        for process in processes { Glibc.kill(process, SIGSTOP) }
    }

    /// One process of a server.
    public init(process: Int32) {
        processes = [process]
        Glibc.kill(process, SIGSTOP)
    }

    public func thaw() {
        for process in processes.reversed() { Glibc.kill(process, SIGCONT) }
    }

    private static func children(of parent: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { pid in
            let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            // "pid (name) state parent …"
            let fields = stat?.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && pid_t(fields[1]) == parent
        }
    }
}
