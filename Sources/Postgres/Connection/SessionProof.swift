import CPostgres

/// Whether a session behind a pooler is one's own. A pooler gives itself away: the process that its
/// greeting names is not the one that answers. In its session mode all is well; in transaction or
/// statement mode settings, advisory locks, prepared statements and LISTEN belong to the next
/// client.
struct SessionProof {
    let dial: Dial
    let handle: ConnectionHandle

    /// Leaves a mark in the session and looks from a second one whether that is there; then keeps
    /// the second and looks whether the first still has its mark.
    func isOwn() throws(PostgresError) -> Bool {
        let mark = "\(UInt64.random(in: .min ... .max))"
        _ = try ask(handle, "SELECT set_config('islet.session', '\(mark)', false)")
        let other: ConnectionHandle
        do throws(PostgresError) {
            other = try dial.connect(to: handle.address, amongMany: false)
            if try ask(other, Self.look) == mark { return false }
        } catch {
            // One session, and none left beside it: the pooler has given it away for good.
            return true
        }
        defer { other.finish() }
        do throws(PostgresError) {
            if try ask(other, "BEGIN; \(Self.look)") == mark { return false }
        } catch {
            // A transaction is more than a pooler in statement mode allows.
            return false
        }
        return try ask(handle, Self.look) == mark
    }

    private static let look = "SELECT current_setting('islet.session', true)"

    private func ask(
        _ handle: ConnectionHandle, _ sql: String
    ) throws(PostgresError) -> String? {
        do throws(PostgresError) {
            return try handle.exchange(sql, within: .seconds(Limits.sessionSetupSeconds)).first
                ?? nil
        } catch {
            guard error == .timedOut else { throw error }
            throw .cannotConnect(detail: "no answer")
        }
    }
}
