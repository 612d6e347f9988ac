import CPostgres

extension Connection {
    /// The process that the other side named as its own when the connection was made. A pooler in
    /// between names one that `pg_backend_pid()` does not.
    public var announcedProcessID: Int32 { handle.pointer.map { PQbackendPID($0) } ?? 0 }
}
