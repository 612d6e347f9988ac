extension AlertContext {
    /// How far something has gone that may grow and fall back, such as a delay, and who is to hear
    /// of it. An example with steps of 600 seconds: a delay of 1,500 has its last full step at
    /// 1,200. It is news to people who have heard of 600, and not to those who have heard of 1,200.
    ///
    /// The next policy may have other steps, so seconds are stored and not a number of steps.
    public struct Extent: Hashable, Codable, Sendable {
        /// How far it has gone.
        public let seconds: Double
        /// Where the last full step begins: it is news to those who have heard of less. Never more
        /// than `seconds`.
        public let lastStepSeconds: Double

        /// - Parameter stepSeconds: people hear of each full step.
        public init(seconds: Double, stepSeconds: Double) {
            self.seconds = seconds
            lastStepSeconds = min((seconds / stepSeconds).rounded(.down) * stepSeconds, seconds)
        }

        /// Whether it has gone a step further than people have heard of.
        public func exceeds(heardSeconds seconds: Double) -> Bool { seconds < lastStepSeconds }

        private enum CodingKeys: String, CodingKey {
            case seconds
            case lastStepSeconds = "newsBelowSeconds"
        }
    }

    /// How far something had gone when an alert was made about it, and of how much people had heard
    /// before. An example with steps of 600 seconds: people have heard of a delay of 600, and an
    /// alert about 1,500 waits. If the delay falls to 900, the alert's extent becomes 900. Its last
    /// full step is at 600, which people know, so the alert is not sent.
    public struct Degree: Hashable, Sendable {
        /// As the alert has it.
        public var extent: Extent
        /// How much people had heard by the alerts before it.
        public var heardSeconds: Double

        public init(_ extent: Extent, heardSeconds: Double) {
            self.extent = extent
            self.heardSeconds = heardSeconds
        }

        /// Whether people have not heard of as much.
        public var exceedsHeard: Bool { extent.exceeds(heardSeconds: heardSeconds) }
    }

    /// Earlier programs stored numbers of steps. Each is taken to have been so long, which most
    /// policies had: what is stored does not say it.
    public static let formerStepSeconds = 600.0

    fileprivate static func extent(formerSteps: Int) -> Extent {
        Extent(
            seconds: Double(formerSteps) * formerStepSeconds, stepSeconds: formerStepSeconds)
    }
}

extension AlertContext.Degree: Codable {
    private enum Member: String, CodingKey {
        case extent, heardSeconds
        /// Members that earlier programs wrote.
        case steps, heard
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        if let extent = try members.decodeIfPresent(AlertContext.Extent.self, forKey: .extent) {
            self.init(
                extent, heardSeconds: try members.decode(Double.self, forKey: .heardSeconds))
        } else {
            let heard = try members.decode(Int.self, forKey: .heard)
            self.init(
                AlertContext.extent(formerSteps: try members.decode(Int.self, forKey: .steps)),
                heardSeconds: AlertContext.extent(formerSteps: heard).seconds)
        }
    }
}

extension AlertContext.Amendment {
    private enum Member: String, CodingKey {
        case subject, alert, extent
        /// Members that earlier programs wrote.
        case steps
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        subject = try members.decode(String.self, forKey: .subject)
        alert = try members.decode(Alert.self, forKey: .alert)
        extent = try members.decodeIfPresent(AlertContext.Extent.self, forKey: .extent)
        if extent == nil, let steps = try members.decodeIfPresent(Int.self, forKey: .steps) {
            extent = AlertContext.extent(formerSteps: steps)
        }
    }
}
