/// The users of a database in which each may do only what it must. `Roles/roles.sql` makes them.
public enum DatabaseRoles {
    /// Migrates and serves.
    public static let service = "islet_service"
    /// Logs in for what tenants ask.
    public static let visitor = "islet_visitor"

    /// What an administrator runs in the database; a second time it changes nothing.
    public static let setup = String(decoding: PackageResources.roles_sql, as: UTF8.self)
}
