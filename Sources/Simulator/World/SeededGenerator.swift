import Domain
import Foundation

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
        var pool: UInt64 = 0
        return String(unsafeUninitializedCapacity: count * 2) { text in
            for index in 0..<count * 2 {
                // Sixteen digits from each draw.
                if index % 16 == 0 { pool = next() }
                text.initializeElement(at: index, to: Self.digits[Int(pool & 15)])
                pool >>= 4
            }
            return count * 2
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    mutating func channelID() -> String {
        let count = Int.random(in: Limits.channelIDBytes, using: &self)
        return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: next()) })
            .base64EncodedString()
    }

    mutating func updateToken() -> PushToken {
        guard let token = PushToken(hex: hex(bytes: Limits.updateTokenBytes)) else {
            preconditionFailure("generated digits are hexadecimal")
        }
        return token
    }
}
