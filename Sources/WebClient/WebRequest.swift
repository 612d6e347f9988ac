/// A POST to somebody else's server.
public struct WebRequest: Sendable {
    public var url: String
    /// Names and values, none with a line break.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// From looking the name up to the end of the answer; as long before that for a place.
    public var deadlineSeconds: Double
    /// On whose account it is, such as a tenant's: requests of one share cannot use up the places
    /// of others.
    public var share: String

    public init(
        url: String, headers: [(name: String, value: String)], body: [UInt8],
        deadlineSeconds: Double, share: String
    ) {
        self.share = share
        self.url = url
        self.headers = headers
        self.body = body
        self.deadlineSeconds = deadlineSeconds
    }
}

/// What came of it. Bodies of answers are not kept: nobody here has business with them.
public enum WebAnswer: Hashable, Sendable {
    /// - `retryAfterSeconds`: as the server asked, in seconds or by a date.
    case answered(status: Int, retryAfterSeconds: Double?)
    case failed(WebFailure)
}

/// Why there was no answer.
public enum WebFailure: String, CaseIterable, Sendable {
    /// The address is one that must not be asked; see `PublicAddress`.
    case addressNotPublic = "address-not-public"
    case nameNotFound = "name-not-found"
    /// Too many names are being looked up, most of them of the same share.
    case nameLookupBusy = "name-lookup-busy"
    /// Too many requests of the same share are under way.
    case busy
    case cannotConnect = "cannot-connect"
    /// TLS failed, or the certificate is not trusted or for another host.
    case notTrusted = "not-trusted"
    case tooSlow = "too-slow"
    /// The head of the answer went on and on.
    case answerTooLong = "answer-too-long"
    /// The connection broke, or what came was not HTTP.
    case broken
    case invalidURL = "invalid-url"
    /// The caller's task was cancelled, or the client closed.
    case cancelled
}
