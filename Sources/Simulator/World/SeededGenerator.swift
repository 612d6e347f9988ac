import Domain

/// SplitMix64 by Sebastiano Vigna: small, fast and the same everywhere for one seed.
///
/// Not for secrets. Tokens and identifiers of the simulated world come from it, so that one number
/// replays a run.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Lower-case hexadecimal digits of `count` bytes.
    mutating func hex(bytes count: Int) -> String {
        var digits = ""
        digits.reserveCapacity(count * 2)
        for _ in 0..<count {
            let byte = UInt8(truncatingIfNeeded: next() >> 32)
            if byte < 16 { digits += "0" }
            digits += String(byte, radix: 16)
        }
        return digits
    }

    /// A version 4 UUID in the canonical lower-case form.
    mutating func uuid() -> String {
        var digits = Array(hex(bytes: 16))
        digits[12] = "4"
        digits[16] = Array("89ab")[Int(next() >> 62)]
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(digits[$0]) }.joined(separator: "-")
    }

    mutating func updateToken() -> PushToken {
        guard let token = PushToken(hex: hex(bytes: Limits.updateTokenBytes)) else {
            preconditionFailure("generated digits are hexadecimal")
        }
        return token
    }
}
