extension RandomNumberGenerator {
    /// A version 4 UUID in the canonical lower-case form. Made for every push, so without detours:
    /// Foundation's opens a file for each.
    public mutating func uuid() -> String {
        var (high, low) = (next(), next())
        high = high & ~0xf000 | 0x4000
        low = low & ~(0b11 << 62) | 0b10 << 62
        return String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for index in 0..<32 {
                if [8, 12, 16, 20].contains(index) {
                    text.initializeElement(at: end, to: UInt8(ascii: "-"))
                    end += 1
                }
                let half = index < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: half >> (60 - 4 * (index % 16))) & 15
                text.initializeElement(
                    at: end, to: digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
                end += 1
            }
            return end
        }
    }
}
