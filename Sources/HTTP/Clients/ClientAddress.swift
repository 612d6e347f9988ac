internal import Glibc

/// An IPv4 or IPv6 address. An IPv4 address that is written as one of IPv6 is the same address.
public struct ClientAddress: Hashable, Sendable {
    /// As IPv6, in the host's byte order; IPv4 in its mapped form, `::ffff:0:0/96`.
    let high: UInt64
    let low: UInt64

    static let unknown = ClientAddress(high: 0, low: 0)
    /// Any client by a Unix-domain socket. No host can have this address: all bits are set.
    static let unixSocket = ClientAddress(high: .max, low: .max)
    static let mappedPrefix: UInt64 = 0xffff << 32

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter text: digits; those of IPv6 also in brackets, and behind either a port.
    public init?(_ text: some StringProtocol) {
        let text = String(Self.host(of: Substring(text)))
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(high: 0, low: Self.mappedPrefix | UInt64(UInt32(bigEndian: four.s_addr)))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let (high, low) = withUnsafeBytes(of: six) {
            (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
    }

    var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix >> 32 }

    /// What limits count as one client: the owner of one IPv6 address has the other 2⁶⁴ of its
    /// network too.
    var share: ClientAddress {
        isIPv4 || self == .unixSocket ? self : ClientAddress(high: high, low: 0)
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
    private let highMask: UInt64
    private let lowMask: UInt64

    /// - Parameter text: an address, with or without a slash and the number of bits that count; or
    ///   `unix` for those who come by a Unix-domain socket.
    public init?(_ text: String) {
        if text == "unix" {
            (first, highMask, lowMask) = (.unixSocket, .max, .max)
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
        bits += 128 - width
        highMask = Self.mask(bits: min(64, bits))
        lowMask = Self.mask(bits: max(0, bits - 64))
        first = ClientAddress(high: address.high & highMask, low: address.low & lowMask)
    }

    public func contains(_ address: ClientAddress) -> Bool {
        address.high & highMask == first.high && address.low & lowMask == first.low
    }

    /// The first `bits` of 64.
    private static func mask(bits: Int) -> UInt64 {
        bits == 0 ? 0 : UInt64.max << UInt64(64 - bits)
    }
}
