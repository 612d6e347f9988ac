import Glibc

/// Finds a port of the loopback interface that nobody listens on.
public enum FreePort {
    /// - Returns: `preferred` if it is free, else one that the system chooses.
    public static func choose(preferring preferred: Int) -> Int {
        bound(preferred) ?? bound(0) ?? preferred
    }

    private static func bound(_ port: Int) -> Int? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0
                    ? getsockname(descriptor, generic, &length) : -1
            }
        }
        return result == 0 ? Int(in_port_t(bigEndian: address.sin_port)) : nil
    }
}
