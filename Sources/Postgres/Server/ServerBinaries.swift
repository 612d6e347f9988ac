import Foundation

/// Where `initdb` and `pg_ctl` are.
enum ServerBinaries {
    /// The newest of Debian's versions, else whatever the search path has.
    /// - Returns: the directory.
    static func find() throws(PostgresError) -> String {
        let debian = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? [])
            .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        let search = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let candidates =
            versions.map { "\(debian)/\($0)/bin" }
            + search.split(separator: ":").map(String.init)
        for directory in candidates
        where ["initdb", "pg_ctl"].allSatisfy({
            FileManager.default.isExecutableFile(atPath: "\(directory)/\($0)")
        }) {
            return directory
        }
        throw .privateServer(
            detail: "no PostgreSQL server is installed (looked for initdb and pg_ctl in "
                + "\(debian)/*/bin and PATH): install it with `apt-get install postgresql`, or "
                + "set DATABASE_URL to a server elsewhere")
    }
}
