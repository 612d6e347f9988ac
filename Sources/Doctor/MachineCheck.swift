import DatabaseAccess
import EventLoop
import EventStore
import Glibc
public import PostgresStore

/// What this machine gives a node: room on the disk, and files that may be open.
public enum MachineCheck {
    static func look(_ address: DatabaseAddress) -> [DoctorReport] {
        var reports = [limits]
        if case .directory(let path) = address { reports.insert(disk(path), at: 0) }
        return reports
    }

    private static func disk(_ path: String) -> DoctorReport {
        guard let space = DiskSpace(of: path) else {
            return DoctorReport(
                name: "disk", answer: .unseen("\(path): \(SystemError.text())"))
        }
        let findings = findings(
            ofDisk: path, freeBytes: space.freeBytes, allBytes: space.allBytes)
        return DoctorReport(
            name: "disk",
            answer: .init(findings, fine: "\(space.freeBytes >> 20) MB free"))
    }

    public static func findings(
        ofDisk path: String, freeBytes: UInt64, allBytes: UInt64
    ) -> [Finding] {
        guard freeBytes < min(freeBytesMin, allBytes / freeShareMin) else { return [] }
        return [
            Finding(
                what: "the disk of \(path) has \(freeBytes >> 20) MB left",
                meaning: "When it is full every POST is answered 503 until there is room.",
                remedy: "make room or a larger disk: du -xh --max-depth=1 \(path) shows what takes "
                    + "it up")
        ]
    }

    /// Some ten million events.
    private static let freeBytesMin: UInt64 = 5 << 30
    private static let freeShareMin: UInt64 = 10

    private static var limits: DoctorReport {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return DoctorReport(name: "open files", answer: .unseen("no answer"))
        }
        let findings = findings(filesMax: UInt64(limit.rlim_max))
        return DoctorReport(
            name: "open files", answer: .init(findings, fine: "\(limit.rlim_max) may be open"))
    }

    public static func findings(filesMax: UInt64) -> [Finding] {
        guard filesMax < filesMin else { return [] }
        return [
            Finding(
                what: "a process here may have \(filesMax) files open",
                meaning: "A node takes fewer clients than --connections-max, or does not start.",
                remedy: "LimitNOFILE=65536 in the service of systemd, --ulimit nofile=65536 of "
                    + "Docker, or ulimit -Hn")
        ]
    }

    /// The usual number of connections, and what a node needs beside them.
    private static let filesMin: UInt64 = 8_192 + 448
}
