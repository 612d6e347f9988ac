import Foundation
import Glibc
import Terminal

/// Whether this process may have the threads that a node cannot do without: one that cannot be made
/// ends the process without a word.
enum ThreadPlan {
    /// Beside one for each core. Event loops: signals, HTTP and Postgres, APNs, deliveries, 4. The
    /// first thread, the allocator's four, and one of Dispatch: 6. Names that are looked up, and
    /// connections that are made: 2 at the least.
    static let reserved = 12

    static func check(
        threadsMax: Int = min(ofUser, ofGroup),
        cores: Int = ProcessInfo.processInfo.activeProcessorCount
    ) throws(CommandFailure) {
        guard threadsMax < reserved + cores else { return }
        throw .failed(
            "this process may have \(threadsMax) threads, those of its user's or service's other "
                + "processes included, and the server needs \(reserved + cores), and a private "
                + "Postgres as many more as it has sessions; raise the limit (ulimit -u, TasksMax "
                + "of systemd, --pids-limit of Docker)")
    }

    /// Root has no such limit.
    private static var ofUser: Int {
        var limit = rlimit()
        guard geteuid() != 0,
            getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0
        else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    /// That of the service or the container.
    private static var ofGroup: Int {
        let groups = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)
        let path = groups?.split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3)
        let text = path.flatMap {
            try? String(contentsOfFile: "/sys/fs/cgroup\($0)/pids.max", encoding: .utf8)
        }
        // The word `max` is no number.
        return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? .max
    }
}
