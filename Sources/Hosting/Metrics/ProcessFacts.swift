import API
import Foundation
import Glibc

/// What the kernel says of this process, under the names that all of Prometheus' clients use.
enum ProcessFacts {
    static var metrics: [Metric] {
        let pageBytes = Double(sysconf(Int32(_SC_PAGESIZE)))
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        let fields = words("/proc/self/stat", after: ")")
        func field(_ place: Int) -> Double? {
            // Counted as in proc(5), where the state, behind the name, is the third.
            fields.indices.contains(place - 3) ? Double(fields[place - 3]) : nil
        }
        let seconds = field(14).flatMap { user in field(15).map { (user + $0) / ticks } }
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
        return [
            .gauge(
                "process_resident_memory_bytes", "Memory in use, without what is swapped out.",
                field(24).map { $0 * pageBytes }),
            .counter("process_cpu_seconds_total", "Time on a core, of all threads.", seconds),
            .gauge("process_open_fds", "Open files and sockets.", open.map(Double.init)),
            .gauge("process_max_fds", "How many there may be.", descriptorsMax),
        ]
    }

    private static var descriptorsMax: Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return nil
        }
        return Double(limit.rlim_cur)
    }

    private static func words(_ file: String, after mark: Character) -> [Substring] {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let end = text.lastIndex(of: mark)
        else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }
}
