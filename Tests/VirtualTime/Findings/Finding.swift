public import Domain

/// Something that must never be.
public struct Finding: Sendable, Hashable {
    public var step: Int
    public var at: Moment
    public var sentence: String
}

/// What happened, for anyone who looks for the cause, and its sum, by which two runs are compared.
struct Course {
    private(set) var lines: [String] = []
    /// FNV-1a.
    private(set) var sum: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func append(_ line: String) {
        for byte in line.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
        lines.append(line)
    }
}
