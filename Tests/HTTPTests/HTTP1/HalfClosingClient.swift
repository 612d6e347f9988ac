import Foundation
import Glibc

/// Sends, closes its sending half, and returns all that comes back; on a thread of its own.
/// - Parameter source: the address that it comes from.
func exchangeHalfClosed(
    port: Int, _ request: String, from source: String = "127.0.0.1"
) async -> String {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            let answer = exchange(port: UInt16(port), Array(request.utf8), source)
            continuation.resume(returning: answer)
        }
    }
}

private func exchange(port: UInt16, _ request: [UInt8], _ source: String) -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, source, &address.sin_addr)
    _ = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard code == 0, send(descriptor, request, request.count, 0) == request.count else { return "" }
    shutdown(descriptor, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
        answer += buffer[..<count]
    }
}
