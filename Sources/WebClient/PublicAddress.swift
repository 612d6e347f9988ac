import Glibc

/// Which addresses are anybody's on the Internet, and not of this machine or the network that it
/// stands in.
///
/// Source: IANA's registries of special-purpose addresses for IPv4 and IPv6; of Azure's, What is IP
/// address 168.63.129.16.
public enum PublicAddress {
    /// - Parameter host: digits, or in brackets those of IPv6; nil for a name.
    public static func isPublic(numericHost host: String) -> Bool? {
        let digits =
            host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
        var four = in_addr()
        if inet_aton(String(digits), &four) == 1 {
            return isPublic(four: UInt32(bigEndian: four.s_addr))
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, String(digits), &six) == 1 else { return nil }
        return withUnsafeBytes(of: six) { isPublic(six: Array($0)) }
    }

    /// - Returns: false as well for what is neither IPv4 nor IPv6.
    static func isPublic(_ address: UnsafePointer<sockaddr>) -> Bool {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let four = raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
            return isPublic(four: UInt32(bigEndian: four.s_addr))
        case AF_INET6:
            let six = raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
            return withUnsafeBytes(of: six) { isPublic(six: Array($0)) }
        default: return false
        }
    }

    /// - Parameter address: in the host's byte order.
    static func isPublic(four address: UInt32) -> Bool {
        !special.contains { first, bits in address >> (32 - bits) == first >> (32 - bits) }
    }

    /// Of the addresses given out so far, without those that lead to IPv4, where a second look
    /// would be due.
    /// - Parameter address: 16 bytes in their order.
    static func isPublic(six address: [UInt8]) -> Bool {
        guard address[0] & 0xE0 == 0x20 else { return false }
        switch (address[0], address[1], address[2], address[3]) {
        // Protocols' own, Teredo among them; documentation; 6to4.
        case (0x20, 0x01, 0x00...0x01, _), (0x20, 0x01, 0x0D, 0xB8), (0x20, 0x02, _, _):
            return false
        case (0x3F, 0xFF, 0x00...0x0F, _): return false
        default: return true
        }
    }

    /// First address and number of fixed bits.
    private static let special: [(UInt32, UInt32)] = [
        (0x0000_0000, 8),  // this network
        (0x0A00_0000, 8),  // private
        (0x6440_0000, 10),  // carriers' own
        (0x7F00_0000, 8),  // loopback
        (0xA83F_8110, 32),  // Azure's, where it tells machines their settings
        (0xA9FE_0000, 16),  // link-local, where clouds tell machines their credentials
        (0xAC10_0000, 12),  // private
        (0xC000_0000, 24),  // protocols' own
        (0xC000_0200, 24),  // documentation
        (0xC058_6300, 24),  // 6to4 relays
        (0xC0A8_0000, 16),  // private
        (0xC612_0000, 15),  // benchmarks
        (0xC633_6400, 24),  // documentation
        (0xCB00_7100, 24),  // documentation
        (0xE000_0000, 4),  // multicast
        (0xF000_0000, 4),  // reserved
    ]
}
