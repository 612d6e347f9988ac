import EventStore
import Postgres

extension Pool {
    /// What an administrator does: triggers write it down, and under whose name is said here.
    nonisolated func act(
        _ statements: [Statement]
    ) async throws(PostgresError) -> [Rows] {
        Array(try await batch([.acting] + statements).dropFirst())
    }

    nonisolated func act(
        _ sql: String, _ parameters: [Parameter]
    ) async throws(PostgresError) -> Rows {
        try await act([Statement(sql, parameters)])[0]
    }
}

extension Statement {
    /// Until the end of the transaction.
    static var acting: Statement {
        Statement(
            "SELECT set_config('islet.actor', $1, true)", [.text(Operator.current ?? "")])
    }

    /// Of what changes no row that shows it.
    static func note(
        _ act: String, _ subject: String, _ tenant: Parameter
    ) -> Statement {
        Statement(
            "INSERT INTO audit_entry (tenant, actor, act, subject) VALUES ($1, acting(), $2, $3)",
            [tenant, .text(act), .text(subject)])
    }
}
