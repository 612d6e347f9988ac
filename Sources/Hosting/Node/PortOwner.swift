import EventLoop
import Foundation
import Glibc
import HTTP

/// Which process listens on a port of this machine, as Linux tells of those that this user may see.
enum PortOwner {
    /// What to say when a server cannot listen.
    /// - Parameter option: the one that gives another port, without dashes.
    static func complaint(_ error: HTTPError, port: Int, option: String) -> String {
        guard case .cannotListen(let reason) = error else { return error.description }
        guard reason.hasSuffix(NetworkError.addressInUse.description) else { return reason }
        let owner = name(ofPort: port).map { " by \($0)" } ?? ""
        return "the address is in use\(owner); stop that, or give another --\(option)"
    }

    /// - Returns: for example `postgres (process 4711)`; nil when it cannot be found.
    static func name(ofPort port: Int) -> String? {
        let sockets = Set(
            ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { file in
                socketNumbers(table(file), port)
            }.map { "socket:[\($0)]" })
        guard !sockets.isEmpty else { return nil }
        let files = FileManager.default
        for process in (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
        where process.allSatisfy(\.isNumber) {
            let folder = "/proc/\(process)/fd"
            let isOwner = (try? files.contentsOfDirectory(atPath: folder))?.contains { descriptor in
                (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)"))
                    .map(sockets.contains) ?? false
            }
            guard isOwner == true else { continue }
            let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
            return "\((name ?? "").trimmingCharacters(in: .whitespacesAndNewlines)) "
                + "(process \(process))"
        }
        return nil
    }

    /// All of it, whereas `String(contentsOfFile:)` takes the kernel's first page for the whole.
    private static func table(_ file: String) -> String {
        let bytes = try? FileHandle(forReadingAtPath: file)?.readToEnd()
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    /// Of sockets that listen on the port, in the table that proc(5) describes.
    static func socketNumbers(_ table: String, _ port: Int) -> [Substring] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A",
                let digits = fields[1].split(separator: ":").last, Int(digits, radix: 16) == port
            else { return nil }
            return fields[9]
        }
    }
}
