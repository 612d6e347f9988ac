import JSON
import Domain

/// The `aps` dictionary of a push as ActivityKit reads it: what it does not know it passes over.
struct PushEnvelope {
    enum Event: String {
        case start, update, end
    }

    /// Where a started activity is to get its pushes from.
    enum InputPush {
        case token
        case channel(String)
        /// One sentence about what is wrong with it.
        case flawed(String)
    }

    var event: Event
    /// Unix seconds; a fraction is cut off.
    var timestamp: Int64
    var hasContentState: Bool
    var alert: Alert?
    var staleAt: Moment?
    var dismissAt: Moment?
    var relevanceScore: Double?
    var attributesType: String?
    /// Nil when a start leaves it to the system, which then gives the activity a token.
    var inputPush: InputPush?
    /// Things that ActivityKit passes over in silence and a sender should hear of.
    var warnings: [String]

    /// - Throws: `IgnoredPush` when the phone can do nothing with it.
    init(_ body: [UInt8]) throws(IgnoredPush) {
        let whole = try? JSONParser.parse(body, depthMax: Self.depthMax, isStrict: false)
        guard case .object(let members)? = whole?["aps"] else {
            throw IgnoredPush("the body is not a JSON object with an aps dictionary")
        }
        let fields = Fields(members)
        guard let event = fields.aps["event"]?.text else {
            throw IgnoredPush(
                fields.keys.contains("events")
                    ? "aps has events where event belongs" : "aps has no event, or not a string")
        }
        guard let known = Event(rawValue: event) else {
            throw IgnoredPush("aps.event is neither start, update nor end")
        }
        guard let timestamp = fields.number("timestamp"), abs(timestamp) < 1e15 else {
            throw IgnoredPush("aps.timestamp is missing or not a number of Unix seconds")
        }
        self.event = known
        self.timestamp = Int64(timestamp)
        hasContentState = fields.keys.contains("content-state")
        staleAt = Self.moment(fields.number("stale-date"))
        dismissAt = Self.moment(fields.number("dismissal-date"))
        relevanceScore = fields.number("relevance-score")
        attributesType = fields.aps["attributes-type"]?.text
        inputPush = Self.inputPush(fields)
        warnings = []
        alert = Self.alert(fields.aps["alert"])
        collectWarnings(fields)
    }

    /// As deep as Foundation's decoder goes.
    private static let depthMax = 512

    private mutating func collectWarnings(_ fields: Fields) {
        if fields.keys.contains("alert"), alert == nil {
            warnings.append("the alert has no title, so neither it nor its sound is presented")
        }
        if fields.keys.contains("sound") {
            warnings.append("aps.sound is ignored: the sound belongs inside alert")
        }
        if event != .end, fields.keys.contains("dismissal-date") {
            warnings.append("dismissal-date does nothing without event end")
        }
        for key in ["attributes-type", "attributes", "input-push-token", "input-push-channel"]
        where event != .start && fields.keys.contains(key) {
            warnings.append("\(key) does nothing without event start")
        }
        for key in ["stale-date", "dismissal-date", "relevance-score"]
        where fields.keys.contains(key) && fields.number(key) == nil {
            warnings.append("\(key) is not a number and is ignored")
        }
    }

    private static func inputPush(_ fields: Fields) -> InputPush? {
        switch (
            fields.keys.contains("input-push-token"), fields.keys.contains("input-push-channel")
        ) {
        case (false, false): nil
        case (true, true):
            .flawed("input-push-token and input-push-channel exclude each other")
        case (true, false):
            fields.number("input-push-token") == 1
                ? .token : .flawed("input-push-token is not the number 1")
        case (false, true):
            fields.aps["input-push-channel"]?.text.map(InputPush.channel)
                ?? .flawed("input-push-channel is not a string")
        }
    }

    private static func moment(_ unixSeconds: Double?) -> Moment? {
        guard let unixSeconds, abs(unixSeconds) < 1e12 else { return nil }
        return Moment(microseconds: 0).adding(seconds: unixSeconds)
    }

    /// Nil without a title, and where a member is of another form.
    private static func alert(_ alert: JSON?) -> Alert? {
        let (body, sound) = (alert?["body"], alert?["sound"])
        guard let title = text(alert?["title"]), !title.isEmpty,
            body == nil || text(body) != nil, sound == nil || sound?.text != nil
        else { return nil }
        return Alert(title: title, body: text(body) ?? "", sound: sound?.text ?? "")
    }

    /// Plain text, or the key of a text in the app.
    private static func text(_ value: JSON?) -> String? {
        value?.text ?? value?["loc-key"]?.text
    }
}

/// Why a phone does nothing with a push, as one sentence without a full stop.
struct IgnoredPush: Error {
    var reason: String
    var outcome: PhoneLogEntry.Outcome

    init(_ reason: String, outcome: PhoneLogEntry.Outcome = .ignored) {
        self.reason = reason
        self.outcome = outcome
    }
}

/// The members one by one: a wrong one among the optional ones does not spoil the rest.
private struct Fields {
    let aps: JSON
    /// Of all members, those that are null too.
    let keys: Set<String>

    init(_ members: [JSON.Member]) {
        aps = .object(members)
        keys = Set(members.map(\.name))
    }

    func number(_ name: String) -> Double? {
        guard case .number(let literal)? = aps[name], let number = Double(literal),
            number.isFinite
        else { return nil }
        return number
    }
}
