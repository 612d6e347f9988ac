import EventLoop

/// Another way to the same database, such as with a new password.
extension Pool {
    /// Connections are opened by this URL from now on; those that are open stay.
    public nonisolated func replaceURL(_ url: String) { replacedURL.withLock { $0 = url } }

    /// What connections are opened by. May contain a password: never shown.
    public nonisolated var url: String { connectionConfiguration.url }

    nonisolated var connectionConfiguration: ConnectionConfiguration {
        var connection = configuration.connection
        if let url = replacedURL.withLock({ $0 }) { connection.url = url }
        return connection
    }
}
