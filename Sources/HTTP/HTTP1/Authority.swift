internal import Encodings
import Glibc

/// The form of a `Host` field and of the authority in a target: a host, with or without a port.
///
/// Stricter than RFC 3986 in the host's name, where marks such as `!` or `;` are of use only to
/// somebody who wants two servers to read one name differently.
enum Authority {
    static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        var rest = bytes[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")), isIPv6(rest[1..<end]) else {
                return false
            }
            rest = rest[(end + 1)...]
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard name.isPercentEncoded(PathEscapes.isUnreserved) else { return false }
            rest = rest[name.endIndex...]
        }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && isPort(rest.dropFirst())
    }

    /// May be empty (RFC 3986, 3.2.3).
    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        guard digits.count <= 5 else { return false }
        var port = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return false }
            port = port * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return port <= 65_535
    }

    private static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(decoding: text, as: UTF8.self), &address) == 1
    }
}
