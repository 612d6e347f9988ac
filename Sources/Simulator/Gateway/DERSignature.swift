/// An ECDSA signature as DER has it: a sequence of two integers, each as short as it can be.
///
/// Written here instead of asking OpenSSL, since this side of the simulator knows no library.
enum DERSignature {
    private static let partBytes = 32

    /// r‖s of 64 bytes; nil when it is no such sequence of numbers of P-256.
    static func joined(_ der: [UInt8]) -> [UInt8]? {
        // Two integers of P-256 need no length of more than one byte.
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der[2...]
        guard let r = takeInteger(&rest), let s = takeInteger(&rest), rest.isEmpty else {
            return nil
        }
        return r + s
    }

    private static func takeInteger(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let count = rest.popFirst().map(Int.init), count > 0,
            rest.count >= count
        else { return nil }
        var digits = rest.prefix(count)
        rest = rest.dropFirst(count)
        // A leading zero stands there only where the number would look negative without it.
        if digits.first == 0, digits.count > 1 {
            digits = digits.dropFirst()
            guard let first = digits.first, first >= 0x80 else { return nil }
        } else if let first = digits.first, first >= 0x80 {
            return nil
        }
        guard digits.count <= partBytes else { return nil }
        return [UInt8](repeating: 0, count: partBytes - digits.count) + digits
    }
}
