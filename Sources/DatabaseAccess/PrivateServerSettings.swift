import Foundation

/// The settings of a private Postgres that differ from its own defaults.
enum PrivateServerSettings {
    /// A quarter of the memory as cache, as Postgres' handbook advises; its own default of 128 MB
    /// no longer has room for the indexes of ten million events. It is taken only as it is needed.
    static var forThisMachine: [String: String] {
        ["shared_buffers": "\(cacheMegabytes(memoryBytes: memoryBytes))MB"]
    }

    static func cacheMegabytes(memoryBytes: UInt64) -> UInt64 {
        min(max(memoryBytes / 4 / 1_048_576, 128), 8_192)
    }

    /// Of the machine or, when that is less, of the container.
    private static var memoryBytes: UInt64 {
        let machine = ProcessInfo.processInfo.physicalMemory
        let limit = try? String(contentsOfFile: "/sys/fs/cgroup/memory.max", encoding: .utf8)
        let container = limit.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        return min(machine, container ?? machine)
    }
}
