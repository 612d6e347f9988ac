/// The system's randomness, asked for many numbers at a time: a million pushes want two each, and
/// a system call for every one of them is a twentieth of what a push costs.
public struct BufferedRandom: RandomNumberGenerator, Sendable {
    private static let bytesAtATime = 4_096

    private var bytes: [UInt8] = []
    private var used = 0

    public init() {}

    public mutating func next() -> UInt64 {
        if used == bytes.count {
            bytes = SecureRandom.bytes(Self.bytesAtATime)
            used = 0
        }
        defer { used += MemoryLayout<UInt64>.size }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: used, as: UInt64.self) }
    }
}
