import CUV
import Glibc

struct SocketAddress {
    private var storage = sockaddr_storage()

    /// - Parameter host: digits, no name.
    init?(numericHost host: String, port: Int) {
        let isParsed = withUnsafeMutablePointer(to: &storage) { storage in
            uv_ip4_addr(host, Int32(port), storage.cast(to: sockaddr_in.self)) == 0
                || uv_ip6_addr(host, Int32(port), storage.cast(to: sockaddr_in6.self)) == 0
        }
        guard isParsed else { return nil }
    }

    init(_ address: UnsafePointer<sockaddr>, byteCount: Int) {
        precondition(byteCount <= MemoryLayout<sockaddr_storage>.size)
        memcpy(&storage, address, byteCount)
    }

    func withUnsafe<R>(_ body: (UnsafePointer<sockaddr>) -> R) -> R {
        withUnsafePointer(to: storage) { storage in
            body(UnsafeRawPointer(storage).assumingMemoryBound(to: sockaddr.self))
        }
    }

    static func all(in list: UnsafeMutablePointer<addrinfo>?) -> [SocketAddress] {
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                found.append(
                    SocketAddress(address, byteCount: Int(entry.pointee.ai_addrlen)))
            }
            next = entry.pointee.ai_next
        }
        return found
    }

    static var streamHints: addrinfo {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        return hints
    }

    var family: Int32 { Int32(storage.ss_family) }

    var byteCount: socklen_t {
        socklen_t(
            family == AF_INET6
                ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    }

    var port: Int {
        withUnsafe { address in
            let raw = UnsafeRawPointer(address)
            let bigEndian =
                Int32(address.pointee.sa_family) == AF_INET6
                ? raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_port
                : raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port
            return Int(UInt16(bigEndian: bigEndian))
        }
    }

    /// The address without its port, in digits.
    var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
        withUnsafe { address in
            let raw = UnsafeRawPointer(address)
            if Int32(address.pointee.sa_family) == AF_INET6 {
                uv_ip6_name(raw.assumingMemoryBound(to: sockaddr_in6.self), &text, text.count)
            } else {
                uv_ip4_name(raw.assumingMemoryBound(to: sockaddr_in.self), &text, text.count)
            }
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
