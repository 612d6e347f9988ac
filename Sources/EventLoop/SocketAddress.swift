import CUV
import Glibc

/// An IPv4 or IPv6 address with its port, or the path of a Unix-domain socket.
struct SocketAddress {
    private var storage = sockaddr_storage()

    /// - Parameter host: digits, no name.
    /// - Returns: nil as well for a port that there is not.
    init?(numericHost host: String, port: Int) {
        guard UInt16(exactly: port) != nil else { return nil }
        let isParsed = withUnsafeMutablePointer(to: &storage) { storage in
            uv_ip4_addr(host, Int32(port), storage.cast(to: sockaddr_in.self)) == 0
                || uv_ip6_addr(host, Int32(port), storage.cast(to: sockaddr_in6.self)) == 0
        }
        guard isParsed else { return nil }
    }

    /// Nil for a path that is empty or longer than the kernel takes, 107 bytes.
    init?(unixPath path: String) {
        let bytes = Array(path.utf8)
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        guard !bytes.isEmpty, !bytes.contains(0),
            bytes.count < MemoryLayout<sockaddr_un>.size - offset
        else { return nil }
        storage.ss_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &storage) { storage in
            storage[offset..<(offset + bytes.count)].copyBytes(from: bytes)
        }
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
        guard let list else { return [] }
        return sequence(first: list) { $0.pointee.ai_next }.compactMap { entry in
            entry.pointee.ai_addr.map {
                SocketAddress($0, byteCount: Int(entry.pointee.ai_addrlen))
            }
        }
    }

    var family: Int32 { Int32(storage.ss_family) }

    var byteCount: socklen_t {
        switch family {
        case AF_INET6: socklen_t(MemoryLayout<sockaddr_in6>.size)
        case AF_UNIX: socklen_t(MemoryLayout<sockaddr_un>.size)
        default: socklen_t(MemoryLayout<sockaddr_in>.size)
        }
    }

    /// 0 of a Unix-domain socket.
    var port: Int {
        guard family != AF_UNIX else { return 0 }
        return withUnsafe { address in
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
        _ = withUnsafe { uv_ip_name($0, &text, text.count) }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
