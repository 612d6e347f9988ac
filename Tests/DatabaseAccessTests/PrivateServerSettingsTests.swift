import Testing

@testable import DatabaseAccess

struct `A private Postgres' cache` {
    @Test(
        arguments: [
            (1, 128), (2_000_000_000, 476), (16 << 30, 4_096), (1 << 50, 8_192),
        ] as [(UInt64, UInt64)])
    func `is a quarter of the memory within bounds`(memory: UInt64, megabytes: UInt64) {
        #expect(PrivateServerSettings.cacheMegabytes(memoryBytes: memory) == megabytes)
    }
}
