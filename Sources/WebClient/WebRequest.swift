/// A request to somebody else's server, or to one of ours.
public struct WebRequest: Sendable {
    public var method: String
    public var url: String
    /// Names and values, none with a line break.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// From looking the name up to the end of the answer; as long before that for a place.
    public var deadlineSeconds: Double
    /// On whose account it is, such as a tenant's: requests of one share cannot use up the places
    /// of others.
    public var share: String
    /// Of the answer's body that are kept; what is longer fails. Nil where nobody has business with
    /// it: it is read to its end and dropped.
    public var answerBytesMax: Int?
    /// Signs the request; nil for one that nobody has to sign.
    public var signer: RequestSigner?

    public init(
        _ method: String = "POST", url: String, headers: [(name: String, value: String)],
        body: [UInt8], deadlineSeconds: Double, share: String, answerBytesMax: Int? = nil,
        signer: RequestSigner? = nil
    ) {
        self.signer = signer
        self.method = method
        self.answerBytesMax = answerBytesMax
        self.share = share
        self.url = url
        self.headers = headers
        self.body = body
        self.deadlineSeconds = deadlineSeconds
    }
}

/// What came of it, with the answer's body where the request keeps one.
public struct WebReply: Sendable {
    public var answer: WebAnswer
    public var body: [UInt8]
}

/// What came of it.
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
    /// The head of the answer went on and on, or the body where it is kept.
    case answerTooLong = "answer-too-long"
    /// The connection broke, or what came was not HTTP.
    case broken
    case invalidURL = "invalid-url"
    /// The caller's task was cancelled, or the client closed.
    case cancelled
}
