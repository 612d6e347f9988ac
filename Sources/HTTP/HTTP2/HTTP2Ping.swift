/// When the client asks the peer whether the connection still lives.
public struct HTTP2Ping: Hashable, Sendable {
    /// Nothing was received for so long and nothing is under way.
    public var afterSilence: Duration = .seconds(60)
    /// Nothing was received for so long although requests wait for their answers: a connection
    /// that is open on our side only is found out before they run into their deadlines.
    public var whileWaiting: Duration = .seconds(3)
    /// How long the peer may then stay silent before the connection counts as lost.
    public var timeout: Duration = .seconds(5)

    public static let standard = HTTP2Ping()
}
