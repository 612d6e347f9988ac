/// Bounds of requests to other people's servers.
enum Limits {
    /// Connections kept for the next request, of all hosts.
    static let connectionsKeptMax = 64
    /// To one host at a time, so that a slow one does not have all that there are.
    static let connectionsPerHostMax = 32
}
