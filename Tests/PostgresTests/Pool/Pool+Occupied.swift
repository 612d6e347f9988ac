import Postgres

extension Pool {
    /// Takes a connection until `finish` is called.
    nonisolated func occupied(
        for owner: Int32? = nil
    ) async throws -> (finish: () -> Void, Task<Void, any Error>) {
        let (taken, take) = AsyncStream.makeStream(of: Void.self)
        let (finished, finish) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await withConnection(for: owner) { (_) async throws(PostgresError) in
                take.finish()
                for await _ in finished {}
            }
        }
        for await _ in taken {}
        return ({ finish.finish() }, task)
    }
}
