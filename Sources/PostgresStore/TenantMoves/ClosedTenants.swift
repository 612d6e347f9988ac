/// Tenants for which no work is begun now, because they move to another cell.
enum ClosedTenants {
    /// A condition that leaves them out. They are looked up once for each statement.
    /// - Parameter column: the tenant's.
    static func leftOut(by column: String) -> String {
        """
        \(column) <> ALL (ARRAY(
            SELECT m.tenant FROM tenant_move m WHERE m.closed_until > clock_timestamp()
        ))
        """
    }
}
