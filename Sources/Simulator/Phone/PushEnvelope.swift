import JSON
import Domain
import Foundation

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
        let fields: Fields
        do { fields = try JSONDecoder().decode(Body.self, from: Data(body)).aps } catch {
            throw IgnoredPush("the body is not a JSON object with an aps dictionary")
        }
        guard let event = fields.event else {
            throw IgnoredPush(
                fields.keys.contains("events")
                    ? "aps has events where event belongs" : "aps has no event, or not a string")
        }
        guard let known = Event(rawValue: event) else {
            throw IgnoredPush("aps.event is neither start, update nor end")
        }
        guard let timestamp = fields.timestamp, timestamp.isFinite, abs(timestamp) < 1e15 else {
            throw IgnoredPush("aps.timestamp is missing or not a number of Unix seconds")
        }
        self.event = known
        self.timestamp = Int64(timestamp)
        hasContentState = fields.keys.contains("content-state")
        staleAt = Self.moment(fields.staleDate)
        dismissAt = Self.moment(fields.dismissalDate)
        relevanceScore = fields.relevanceScore
        attributesType = fields.attributesType
        inputPush = Self.inputPush(fields)
        warnings = []
        alert = fields.alert.flatMap { $0.shown }
        collectWarnings(fields)
    }

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
        let numbers = [
            ("stale-date", fields.staleDate), ("dismissal-date", fields.dismissalDate),
            ("relevance-score", fields.relevanceScore),
        ]
        for (key, number) in numbers where fields.keys.contains(key) && number == nil {
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
            fields.inputPushToken == 1
                ? .token : .flawed("input-push-token is not the number 1")
        case (false, true):
            fields.inputPushChannel.map { .channel($0) }
                ?? .flawed("input-push-channel is not a string")
        }
    }

    private static func moment(_ unixSeconds: Double?) -> Moment? {
        guard let unixSeconds, unixSeconds.isFinite, abs(unixSeconds) < 1e12 else { return nil }
        return Moment(microseconds: 0).adding(seconds: unixSeconds)
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

private struct Body: Decodable {
    var aps: Fields
}

/// The members one by one: a wrong one among the optional ones does not spoil the rest.
private struct Fields: Decodable {
    var keys: Set<String>
    var event: String?
    var timestamp: Double?
    var alert: AlertFields?
    var staleDate: Double?
    var dismissalDate: Double?
    var relevanceScore: Double?
    var attributesType: String?
    var inputPushToken: Double?
    var inputPushChannel: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyName.self)
        keys = Set(container.allKeys.map(\.stringValue))
        func read<T: Decodable>(_ type: T.Type, _ name: String) -> T? {
            try? container.decode(type, forKey: AnyName(name))
        }
        event = read(String.self, "event")
        timestamp = read(Double.self, "timestamp")
        alert = read(AlertFields.self, "alert")
        staleDate = read(Double.self, "stale-date")
        dismissalDate = read(Double.self, "dismissal-date")
        relevanceScore = read(Double.self, "relevance-score")
        attributesType = read(String.self, "attributes-type")
        inputPushToken = read(Double.self, "input-push-token")
        inputPushChannel = read(String.self, "input-push-channel")
    }
}

private struct AlertFields: Decodable {
    /// Plain text, or the key of a text in the app.
    struct Text: Decodable {
        var shown: String

        private enum CodingKeys: String, CodingKey {
            case key = "loc-key"
        }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                shown = text
            } else {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                shown = try container.decode(String.self, forKey: .key)
            }
        }
    }

    var title: Text?
    var body: Text?
    var sound: String?

    var shown: Alert? {
        guard let title, !title.shown.isEmpty else { return nil }
        return Alert(title: title.shown, body: body?.shown ?? "", sound: sound ?? "")
    }
}
