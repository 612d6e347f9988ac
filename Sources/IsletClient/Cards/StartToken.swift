/// A push-to-start token with what its person follows: the app hands it to its backend, and the
/// backend to Islet, since no ticket opens that.
public struct StartToken: Hashable, Codable, Sendable {
    /// The app's own name for its copy on this phone.
    public let installation: String
    /// Kind of activity, for example `Match`.
    public let kind: String
    public let token: Secret
    /// Such as `team:ARG`; with none the person follows nothing of this kind any more.
    public let topics: [String]
    public let profile: AppProfile

    var body: TokenBody {
        TokenBody(pushToken: token, profile: profile, topics: topics)
    }
}
