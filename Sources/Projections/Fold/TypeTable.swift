import Encodings

/// Values by types of events, found by the bytes of a type without making a string of them: it is
/// asked for each event of a whole log.
struct TypeTable<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let type: [UInt8]
        let value: Value

        func isType(_ other: UnsafeRawBufferPointer) -> Bool {
            type.withUnsafeBytes { $0.isSame(as: other) }
        }
    }

    private let entries: [Entry]
    /// Places in `entries`, each in the first free slot from its own on; -1 for none.
    private let slots: [Int]

    init(_ values: [(type: String, value: Value)]) {
        entries = values.map { Entry(type: Array($0.type.utf8), value: $0.value) }
        var slots = [Int](repeating: -1, count: 4 << (64 - values.count.leadingZeroBitCount))
        for (place, entry) in entries.enumerated() {
            var slot = entry.type.withUnsafeBytes { Self.slot(of: $0) & (slots.count - 1) }
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = place
        }
        self.slots = slots
    }

    /// Nil for a type that the table has not.
    subscript(type: UnsafeRawBufferPointer) -> Value? {
        var slot = Self.slot(of: type) & (slots.count - 1)
        while case let place = slots[slot], place >= 0 {
            if entries[place].isType(type) { return entries[place].value }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// By the end of the type, where those of one kind differ.
    private static func slot(of type: UnsafeRawBufferPointer) -> Int {
        let end =
            type.count < 8
            ? type.reduce(0) { $0 << 8 | UInt64($1) }
            : type.loadUnaligned(fromByteOffset: type.count - 8, as: UInt64.self)
        let mixed = (end ^ UInt64(type.count)) &* 0x9E37_79B9_7F4A_7C15
        return Int(mixed >> 40)
    }
}
