internal import Glibc

/// An IPv4 or IPv6 address. An IPv4 address that is written as one of IPv6 is the same address.
public struct ClientAddress: Hashable, Sendable {
    /// As IPv6, in the host's byte order; IPv4 in its mapped form, `::ffff:0:0/96`.
    let bits: UInt128

    static let unknown = ClientAddress(bits: 0)
    /// Any client by a Unix-domain socket. No host can have this address: all bits are set.
    static let unixSocket = ClientAddress(bits: .max)
    private static let mappedPrefix: UInt128 = 0xffff << 32

    init(bits: UInt128) { self.bits = bits }

    /// - Parameter text: digits; those of IPv6 also in brackets, and behind either a port.
    public init?(_ text: some StringProtocol) {
        let text = String(Self.host(of: Substring(text)))
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bits: Self.mappedPrefix | UInt128(UInt32(bigEndian: four.s_addr)))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bits = withUnsafeBytes(of: six) { $0.loadUnaligned(as: UInt128.self) }
        self.init(bits: UInt128(bigEndian: bits))
    }

    var isIPv4: Bool { bits >> 32 == Self.mappedPrefix >> 32 }

    /// What limits count as one client: the owner of one IPv6 address has the other 2⁶⁴ of its
    /// network too.
    var share: ClientAddress {
        isIPv4 || self == .unixSocket ? self : ClientAddress(bits: bits & (UInt128.max << 64))
    }

    private static func host(of text: Substring) -> Substring {
        if text.hasPrefix("[") { return text.dropFirst().prefix { $0 != "]" } }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        return colons == 1 ? text.prefix { $0 != ":" } : text
    }
}

/// Addresses that begin with the same bits, such as `10.0.0.0/8`.
public struct AddressRange: Hashable, Sendable {
    private let first: ClientAddress
    private let mask: UInt128

    /// - Parameter text: an address, with or without a slash and the number of bits that count; or
    ///   `unix` for those who come by a Unix-domain socket.
    public init?(_ text: String) {
        if text == "unix" {
            (first, mask) = (.unixSocket, .max)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = ClientAddress(parts[0]) else { return nil }
        let width = address.isIPv4 ? 32 : 128
        var bits = width
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...width).contains(given) else { return nil }
            bits = given
        }
        mask = UInt128.max << (width - bits)
        first = ClientAddress(bits: address.bits & mask)
    }

    public func contains(_ address: ClientAddress) -> Bool {
        address.bits & mask == first.bits
    }
}
