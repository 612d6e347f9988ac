enum Limits {
    /// APNs accepts a token for an hour and wants a new one no more often than every 20 minutes.
    /// Ten minutes are left for clocks that differ and requests that wait.
    static let providerTokenReuseSeconds: Int64 = 50 * 60
    /// How often one push is sent again after the peer said that it did not process it: once for a
    /// connection that is being closed, once more for bad luck.
    static let resendsMax = 2
}
