/// What an alert is about, for those that are said together or taken back. The glossary has an
/// example of amendments, extents and what people have heard, under degree.
public struct AlertContext: Hashable, Sendable {
    /// The text for a subject from now on, where its alert is not sent yet.
    public struct Amendment: Hashable, Codable, Sendable {
        /// The subject of the alert that it changes.
        public var subject: String
        /// The alert as it is true now.
        public var alert: Alert
        /// How far it has gone by now; nil unless that is counted: see `Degree`.
        public var extent: Extent?

        public init(subject: String, alert: Alert, extent: Extent? = nil) {
            self.subject = subject
            self.alert = alert
            self.extent = extent
        }
    }

    /// The larger, the more significant among the kind's rules.
    public var weight: Int
    /// What it is about, such as `goal/17`; nil for what nothing ever takes back.
    public var subject: String?
    /// Subjects that are no longer true.
    public var withdrawnSubjects: [String]
    /// It is news only to those who got what it takes back, such as a goal that did not count.
    public var isCorrection: Bool
    /// Other texts for alerts that were made before and not sent yet: theirs are no longer true.
    public var amendments: [Amendment] = []
    /// Nil for what does not grow and fall back.
    public var degree: Degree?
    /// Set if its alert corrects a value that people have heard, such as a result. The value may
    /// change back before anybody hears of the correction.
    public var changedValue: ChangedValue?
    /// Why its alert was not sent when it was decided about; nil when it was.
    public var silence: Silence?
    /// Alerts that were kept back before and are sent now, oldest first.
    public var carried: [KeptBackAlert] = []
    /// Versions whose alerts were kept back before and will never be sent: what they say is no
    /// longer true, more significant ones took their place, or the activity has ended.
    public var dropped: [Int64] = []

    @inlinable public init(
        weight: Int = 0, subject: String? = nil, withdrawing withdrawnSubjects: [String] = [],
        isCorrection: Bool = false
    ) {
        self.weight = weight
        self.subject = subject
        self.withdrawnSubjects = withdrawnSubjects
        self.isCorrection = isCorrection
    }
}

extension AlertContext {
    /// The context of an alert that nobody reports anything; any report takes it back. Its subject
    /// has nothing to do with `Silence`.
    public static let overdue = newest("silence")

    /// The context of an alert about a subject of which only the newest alert is true.
    public static func newest(_ subject: String) -> AlertContext {
        AlertContext(subject: subject, withdrawing: [subject])
    }

    /// The same of a subject that may grow and fall back.
    /// - Parameter heardSeconds: how much people had heard by the alerts before it.
    public static func newest(
        _ subject: String, _ extent: Extent, heardSeconds: Double
    ) -> AlertContext {
        var context = newest(subject)
        context.degree = Degree(extent, heardSeconds: heardSeconds)
        return context
    }
}

/// Why an alert was not sent.
public enum Silence: String, Codable, Sendable, CaseIterable {
    /// It is about something that happened too long before it was reported.
    case late
    /// Nobody is alerted at that time of the day; a later decision sends it.
    case quietHours
    /// It takes back what nobody was sent.
    case untold
}

/// An alert of one decision that quiet hours kept back, so that only another one can send it.
public struct KeptBackAlert: Hashable, Codable, Sendable {
    /// Version of the decision that could not send it.
    public var version: Int64
    /// What was kept back.
    public var alert: Alert
    /// What it is about.
    public var alertContext: AlertContext

    public init(version: Int64, alert: Alert, alertContext: AlertContext) {
        self.version = version
        self.alert = alert
        self.alertContext = alertContext
    }

    private enum CodingKeys: String, CodingKey {
        case version, alert
        case alertContext = "news"
    }
}

/// What most alerts do not have is not written.
extension AlertContext: Codable {
    private enum Member: String, CodingKey {
        case weight, subject, isCorrection, degree, silence, carried, dropped
        case withdrawnSubjects = "withdraws"
        case amendments = "amends"
        case changedValue = "revision"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        weight = try members.decode(Int.self, forKey: .weight)
        subject = try members.decodeIfPresent(String.self, forKey: .subject)
        withdrawnSubjects = try members.decode([String].self, forKey: .withdrawnSubjects)
        isCorrection = try members.decode(Bool.self, forKey: .isCorrection)
        amendments = try members.decodeIfPresent([Amendment].self, forKey: .amendments) ?? []
        degree = try members.decodeIfPresent(Degree.self, forKey: .degree)
        changedValue = try members.decodeIfPresent(ChangedValue.self, forKey: .changedValue)
        silence = try members.decodeIfPresent(Silence.self, forKey: .silence)
        carried = try members.decodeIfPresent([KeptBackAlert].self, forKey: .carried) ?? []
        dropped = try members.decodeIfPresent([Int64].self, forKey: .dropped) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(weight, forKey: .weight)
        try members.encodeIfPresent(subject, forKey: .subject)
        try members.encode(withdrawnSubjects, forKey: .withdrawnSubjects)
        try members.encode(isCorrection, forKey: .isCorrection)
        if !amendments.isEmpty { try members.encode(amendments, forKey: .amendments) }
        try members.encodeIfPresent(degree, forKey: .degree)
        try members.encodeIfPresent(changedValue, forKey: .changedValue)
        try members.encodeIfPresent(silence, forKey: .silence)
        if !carried.isEmpty { try members.encode(carried, forKey: .carried) }
        if !dropped.isEmpty { try members.encode(dropped, forKey: .dropped) }
    }
}
