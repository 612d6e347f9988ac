/// Why an object store did not do what it was asked. Has no secret and nothing of an object.
public enum BucketError: Error, Hashable, Sendable {
    /// What was given cannot be meant, with the remedy.
    case invalid(String)
    /// The answer's status, and the code that S3 gives with it, if there is one.
    case refused(status: Int, code: String?)
    /// No answer came, or none that could be read to its end.
    case unreachable(String)
    /// What was answered is no answer to what was asked.
    case strange(String)
    /// The caller gave up.
    case interrupted
}

extension BucketError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalid(let reason): reason
        case .refused(let status, let code):
            "the object store refused (\(status)\(code.map { " \($0)" } ?? ""))"
                + Self.remedy(status, code)
        case .unreachable(let reason): "the object store cannot be asked: \(reason)"
        case .strange(let reason): "the object store's answer cannot be used: \(reason)"
        case .interrupted: "interrupted"
        }
    }

    /// Source: "Error responses" in the reference of Amazon S3's API.
    private static func remedy(_ status: Int, _ code: String?) -> String {
        switch (status, code) {
        case (_, "NoSuchBucket"): ": make the bucket first"
        case (_, "RequestTimeTooSkewed"): ": set this machine's clock"
        case (_, "ExpiredToken"), (_, "InvalidToken"): ": get a new session token"
        case (_, "SignatureDoesNotMatch"), (_, "InvalidAccessKeyId"):
            ": look at the key, its secret and --s3-region"
        case (301, _), (307, _), (_, "AuthorizationHeaderMalformed"):
            ": the bucket is elsewhere; give its --s3-region, or --s3-endpoint"
        case (403, _):
            ": the key must be allowed s3:GetObject, s3:PutObject and s3:ListBucket there"
        case (500..., _), (429, _): ": run the same command again later; it goes on"
        default: ""
        }
    }
}
