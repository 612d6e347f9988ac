import Foundation
import Glibc

/// A blocking socket that is connected to a port of this machine.
/// - Parameter source: the address that it comes from; any when it is nil.
/// - Returns: nil when nobody listens.
public func connectedSocket(to port: Int, from source: String? = nil) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    if let source {
        inet_pton(AF_INET, source, &address.sin_addr)
        _ = withGeneric(address) { bind(descriptor, $0, $1) }
    }
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    guard withGeneric(address, { connect(descriptor, $0, $1) }) == 0 else {
        close(descriptor)
        return nil
    }
    return descriptor
}

private func withGeneric(
    _ address: sockaddr_in, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

/// Sends, closes its sending half, and returns all that comes back; on a thread of its own.
/// - Parameter source: the address that it comes from; any when it is nil.
public func exchangeHalfClosed(
    port: Int, _ request: String, from source: String? = nil
) async -> String {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(returning: exchange(port, Array(request.utf8), source))
        }
    }
}

private func exchange(_ port: Int, _ request: [UInt8], _ source: String?) -> String {
    guard let descriptor = connectedSocket(to: port, from: source) else { return "" }
    defer { close(descriptor) }
    guard send(descriptor, request, request.count, 0) == request.count else { return "" }
    shutdown(descriptor, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
        answer += buffer[..<count]
    }
}
