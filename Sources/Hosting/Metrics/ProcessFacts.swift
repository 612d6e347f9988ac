import Foundation
import Glibc

/// What the kernel says of this process, under the names that all of Prometheus' clients use.
enum ProcessFacts {
    static var metrics: [Metric] {
        let pageBytes = Double(sysconf(Int32(_SC_PAGESIZE)))
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        let stat = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) ?? ""
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
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
            .gauge(
                "process_max_fds", "How many there may be.",
                DescriptorPlan.limit.map { Double($0.rlim_cur) }),
        ]
    }
}
