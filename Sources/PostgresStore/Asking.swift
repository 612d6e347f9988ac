import Domain
import EventStore
import Postgres

// How most is asked: by one statement, with what goes wrong said in the store's words.

extension Pool {
    nonisolated func rows<T>(
        _ sql: String, _ parameters: [Parameter],
        _ decode: (Row) throws(PostgresError) -> T
    ) async throws(EventStoreError) -> [T] {
        try await asked(try await query(sql, parameters).decoded(decode))
    }

    /// The only value of the only row; nil without a row.
    nonisolated func value<T: ColumnDecodable>(
        _ sql: String, _ parameters: [Parameter] = [], timeout: Duration? = nil
    ) async throws(EventStoreError) -> T? {
        try await asked(try await query(sql, parameters, timeout: timeout).first?.get(0))
    }

    /// - Returns: how many rows it touched.
    @discardableResult
    nonisolated func run(
        _ sql: String, _ parameters: [Parameter] = [], timeout: Duration? = nil
    ) async throws(EventStoreError) -> Int {
        try await asked(try await query(sql, parameters, timeout: timeout).affectedCount)
    }
}

extension Pool {
    /// What the database's clock says.
    nonisolated func time() async throws(PostgresError) -> Moment {
        try await query("SELECT clock_timestamp()").row(with: "clock_timestamp").moment(0)
    }
}

extension TenantScopedPool {
    nonisolated func rows<T>(
        as tenant: TenantID, _ sql: String, _ parameters: [Parameter],
        _ decode: (Row) throws(PostgresError) -> T
    ) async throws(EventStoreError) -> [T] {
        try await asked(try await query(as: tenant, sql, parameters).decoded(decode))
    }

    /// See `count`.
    nonisolated func counted<T>(
        as tenant: TenantID, _ sql: String, _ parameters: [Parameter],
        _ decode: (Row) throws(PostgresError) -> T
    ) async throws(EventStoreError) -> [T] {
        try await asked(
            try await count(as: tenant, [Statement(sql, parameters)])[0].decoded(decode))
    }

    /// See `Pool.value`.
    nonisolated func value<T: ColumnDecodable>(
        as tenant: TenantID, _ sql: String, _ parameters: [Parameter]
    ) async throws(EventStoreError) -> T? {
        try await asked(try await query(as: tenant, sql, parameters).first?.get(0))
    }
}
