/// Bounds of requests to other people's servers, who may answer anything, slowly, and without end.
enum Limits {
    /// Requests under way, of all shares; each has a socket. One share has at most half of them,
    /// and the more shares there are, the less (`FairShares`).
    static let requestsMax = 512
    /// Requests of one share that wait for a place: what twenty webhooks send at once.
    static let waitingPerShareMax = 640
    /// Of all shares.
    static let waitingMax = 8_192
    /// Connections kept for the next request, of all hosts.
    static let connectionsKeptMax = 64
    /// Of one share to one host, so that a slow one does not have all that the share may have.
    /// Others who send to the same host have places of their own there.
    static let requestsPerHostMax = 64
    /// Bytes of an answer's body that are read, to be dropped: so much costs less than a new
    /// connection. The status counts even where there is more.
    static let answerBodyBytesMax = 64 * 1024
    /// Bytes and lines before an answer's body, interim answers included; trailers as well.
    static let answerHeadBytesMax = 32 * 1024
    static let answerHeadLinesMax = 200
    /// How long a host's addresses are used again, so that messages one after the other need not
    /// ask for them each time.
    static let addressesKeptSeconds: Double = 10
}
