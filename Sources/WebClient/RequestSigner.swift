/// Whom a request is signed for by AWS's Signature Version 4, which libcurl computes. Every header
/// of the request is signed with it.
///
/// Source: CURLOPT_AWS_SIGV4(3); libcurl 7.88 signs the path and the query as they stand.
public struct RequestSigner: Hashable, Sendable {
    /// Both without a colon, which would end them.
    public var region: String
    public var service: String
    public var keyID: String
    let secret: String

    public init(region: String, service: String, keyID: String, secret: String) {
        self.region = region
        self.service = service
        self.keyID = keyID
        self.secret = secret
    }
}

extension RequestSigner: CustomStringConvertible, CustomReflectable {
    /// Without the secret, wherever it is printed.
    public var description: String { "signer for \(keyID)" }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
