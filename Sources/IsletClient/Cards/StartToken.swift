/// A push-to-start token with what its person follows: the app hands it to its backend, and the
/// backend to Islet, since no ticket opens that.
///
/// As JSON it is the body of `PUT /v1/start-tokens/{installation}/{kind}`, and both names of that
/// path are in it too: a backend in any language puts it as it came.
public struct StartToken: Hashable, Sendable {
    /// The app's own name for its copy on this phone.
    public var installation: String
    /// Kind of activity, for example `Match`.
    public let kind: String
    public let token: Secret
    /// Such as `team:ARG`; with none the person follows nothing of this kind any more.
    public let topics: [String]
    public let profile: AppProfile
}

extension StartToken: Codable {
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: TokenMember.self)
        installation = try members.decode(String.self, forKey: .installation)
        kind = try members.decode(String.self, forKey: .kind)
        token = try members.decode(Secret.self, forKey: .pushToken)
        topics = try members.decode([String].self, forKey: .topics)
        profile = try members.profile()
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: TokenMember.self)
        try members.encode(installation, forKey: .installation)
        try members.encode(kind, forKey: .kind)
        try members.encode(token, forKey: .pushToken)
        try members.encode(topics, forKey: .topics)
        try members.encode(profile)
    }
}
