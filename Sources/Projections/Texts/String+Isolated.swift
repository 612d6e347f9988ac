extension String {
    /// Between marks that keep its direction from the text around it, if it has letters that run
    /// from right to left or marks that turn letters round: beside a score, such a name would turn
    /// that round as well. What is between such marks already is left as it is.
    /// Source: Unicode Standard Annex #9, Explicit Directional Isolates.
    var isolated: String {
        guard mayHaveDirections else { return self }
        let text = balanced
        return text.turns == true ? "\u{2068}\(text)\u{2069}" : text
    }

    /// Without marks of direction if one of them has no partner: it would reach into the text that
    /// follows, or end there what began before.
    var balanced: String {
        guard mayHaveDirections, turns == nil else { return self }
        var text = self
        text.unicodeScalars.removeAll { scalar in
            Self.marks.contains { $0.contains(scalar.value) }
        }
        return text
    }

    /// Bytes of both marks.
    static let isolatesBytes = 6

    /// Nearly all names have no byte that begins a letter from Hebrew on, or a mark.
    private var mayHaveDirections: Bool { utf8.contains { $0 >= 0xD6 } }

    /// Whether it turns the text around it round; nil if a mark has no partner.
    private var turns: Bool? {
        var turns = false
        // What ends each mark that stands open.
        var ends: [UInt32] = []
        for scalar in unicodeScalars {
            let value = scalar.value
            switch value {
            case 0x2066...0x2068: ends.append(Self.endOfIsolate)
            case 0x202A, 0x202B, 0x202D, 0x202E:
                turns = turns || !ends.contains(Self.endOfIsolate)
                ends.append(Self.endOfEmbedding)
            case Self.endOfIsolate, Self.endOfEmbedding:
                guard ends.popLast() == value else { return nil }
            default:
                guard Self.rightToLeft.contains(where: { $0.contains(value) }) else { continue }
                turns = turns || !ends.contains(Self.endOfIsolate)
            }
        }
        return ends.isEmpty ? turns : nil
    }

    private static let endOfIsolate: UInt32 = 0x2069
    private static let endOfEmbedding: UInt32 = 0x202C

    /// Embeddings, overrides and isolates, with what ends them.
    private static let marks: [ClosedRange<UInt32>] = [0x202A...0x202E, 0x2066...0x2069]

    /// The blocks in which Unicode puts letters that run from right to left, from Hebrew on, and
    /// the mark that counts as one.
    private static let rightToLeft: [ClosedRange<UInt32>] = [
        0x0590...0x08FF, 0x200F...0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF,
        0x1E800...0x1EFFF,
    ]
}
