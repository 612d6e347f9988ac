extension String {
    /// Between marks that keep the direction of its letters from the text around it, if some of
    /// them run from right to left: beside a score, such a name would turn it round. One that has
    /// such marks is left as it is.
    /// Source: Unicode Standard Annex #9, Explicit Directional Isolates.
    var isolated: String {
        // Nearly all names have no byte that begins a letter from Hebrew on.
        guard utf8.contains(where: { $0 >= 0xD6 }) else { return self }
        let scalars = unicodeScalars
        let isTurned = scalars.contains { scalar in
            Self.rightToLeft.contains { $0.contains(scalar.value) }
        }
        guard isTurned, !scalars.contains("\u{2068}") else { return self }
        return "\u{2068}\(self)\u{2069}"
    }

    /// Of both marks.
    static let isolatesBytes = 6

    /// The blocks in which Unicode puts letters that run from right to left, from Hebrew on.
    private static let rightToLeft: [ClosedRange<UInt32>] = [
        0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]
}
