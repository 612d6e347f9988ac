public import Domain

/// Something that goes wrong on purpose: at once, or for a while.
public struct Fault: Hashable, Sendable {
    /// Whose phone.
    public enum Whom: Hashable, Sendable {
        case phone(PhoneID)
        case everybody
    }

    /// How a request gets no answer. Whether it was taken is even chance, but for one on a stream
    /// that is refused, which never is.
    public enum Loss: String, Hashable, Sendable, CaseIterable, Decodable {
        /// The connection is dropped without a word, and with it all its streams.
        case connection
        /// The stream is reset with INTERNAL_ERROR.
        case stream
        /// The stream is reset with REFUSED_STREAM.
        case refusedStream
        /// Nothing comes any more.
        case silence
    }

    /// What happens once.
    public enum Blow: Hashable, Sendable {
        /// The next `count` requests to the service that are otherwise in order are refused.
        case refuse(APNsRefusal, count: Int, of: APNsService)
        case kill(Whom, TokenDeath)
        case dismiss(Whom)
        /// The phone finds its network again.
        case back(Whom)
        /// The app loses the Broadcast capability with its channels, or gets it back.
        case broadcast(isEnabled: Bool)
        /// Every connection is dropped without a word.
        case disconnect
        /// Every connection gets a GOAWAY.
        /// - abandons: its open streams are not processed; else they are answered.
        case goAway(APNsRefusal, abandons: Bool)
    }

    /// What lasts for a while.
    public enum Condition: Hashable, Sendable {
        case delay(Latency)
        /// That share of the requests to the service that are otherwise in order is refused.
        case answer(APNsRefusal, of: APNsService)
        case lose(Loss)
        /// As the blow, for the connection of a request.
        case goAway(APNsRefusal, abandons: Bool)
        /// Streams that a connection may have open.
        case streams(Int)
        /// Bytes that are read from a connection in a second.
        case readRate(Int)
        /// Seconds that Apple's clock is ahead.
        case apnsClock(Double)
        /// Seconds that the phones' clocks are ahead.
        case phoneClock(Double)
        /// Apple answers as that environment does, which knows none of the other's tokens and
        /// channels.
        case environment(APNsEnvironment)
        /// The phone has no network.
        case away(Whom)
    }

    public enum What: Hashable, Sendable {
        case blow(Blow)
        case condition(Condition)
    }

    public var what: What
    /// Of the requests, or of all the phones, that it meets.
    public var share: Double
    /// Until it begins.
    public var afterSeconds: Double
    /// How long a condition lasts; nil until all faults are cleared.
    public var forSeconds: Double?

    public init(
        _ what: What, share: Double = 1, afterSeconds: Double = 0, forSeconds: Double? = nil
    ) {
        self.what = what
        self.share = share
        self.afterSeconds = afterSeconds
        self.forSeconds = forSeconds
    }

    /// The one phone that it is about.
    var phone: PhoneID? {
        let whom: Whom? =
            switch what {
            case .blow(.kill(let whom, _)), .blow(.dismiss(let whom)), .blow(.back(let whom)),
                .condition(.away(let whom)):
                whom
            default: nil
            }
        return if case .phone(let id) = whom { id } else { nil }
    }
}
