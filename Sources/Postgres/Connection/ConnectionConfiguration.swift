/// Where the server is and how a session with it is set up.
public struct ConnectionConfiguration: Hashable, Sendable, CustomStringConvertible {
    /// A libpq connection string or URL. It may name several hosts and
    /// `target_session_attrs=read-write`; the first that fits is taken at every (re)connect.
    /// May contain a password: never shown.
    public var url: String
    /// Logs in in the place of the URL's user. Its password is the URL's, or its own line of a
    /// password file.
    public var user: String?
    /// Shown in `pg_stat_activity`.
    public var applicationName: String
    /// Per host.
    public var connectTimeoutSeconds: Int
    /// The server gives up a statement after this long; nil for its own setting.
    public var statementTimeoutMillis: Int?
    /// The server refuses whatever would change anything.
    public var isReadOnly: Bool

    public init(
        url: String, user: String? = nil, applicationName: String = "islet",
        connectTimeoutSeconds: Int = 5,
        statementTimeoutMillis: Int? = 30_000, isReadOnly: Bool = false
    ) {
        self.url = url
        self.user = user
        self.applicationName = applicationName
        self.connectTimeoutSeconds = connectTimeoutSeconds
        self.statementTimeoutMillis = statementTimeoutMillis
        self.isReadOnly = isReadOnly
    }

    public var description: String { "<connection to Postgres>" }
}
