import Encodings
public import Foundation
import JSON

/// The body of a Live Activity push: one `aps` dictionary.
///
/// All times here are Unix seconds; dates inside `contentState` follow the stock `JSONEncoder`
/// (seconds since 2001) and are passed through untouched.
/// Source: Starting and updating Live Activities with ActivityKit push notifications.
public struct Payload: Hashable, Sendable {
    /// Goes out as the singular key `event`; the widely copied `events` is ignored by phones.
    public enum Event: String, Sendable {
        case start, update, end
    }

    /// What a start has beside the state.
    public struct Start: Hashable, Sendable {
        /// How the started card is to be updated. Phones before iOS 18 know neither, and a start
        /// with a channel fails on them.
        public enum Input: Hashable, Sendable {
            /// With a push token that the app is given.
            case pushToken
            /// By the broadcasts of a channel, named by its base64 id.
            case channel(String)
        }

        /// Name of the attributes' type in the app.
        public var attributesType: String
        /// One JSON object, as the stock `JSONEncoder` writes it.
        public var attributes: Data
        /// Nil leaves it to the phone, which then uses a push token.
        public var input: Input?

        public init(attributesType: String, attributes: Data, input: Input? = nil) {
            self.attributesType = attributesType
            self.attributes = attributes
            self.input = input
        }
    }

    /// What interrupts a person.
    public struct AlertText: Hashable, Sendable {
        /// What a phone shows, or where its app has that in the phone's language.
        /// Source: Generating a remote notification; for Live Activities both title and body may
        /// be an object with `loc-key` and `loc-args`.
        public enum Text: Hashable, Sendable {
            case plain(String)
            case key(String, arguments: [String])

            var isEmpty: Bool {
                switch self {
                case .plain(let text), .key(let text, _): text.isEmpty
                }
            }
        }

        /// The first line.
        public var title: Text
        /// The text below the title.
        public var body: Text
        /// A sound file of the app, or `default`.
        public var sound: String

        /// - Precondition: as below.
        public init(title: String, body: String, sound: String) {
            self.init(title: .plain(title), body: .plain(body), sound: sound)
        }

        /// - Precondition: title and body are not empty; a phone drops such an alert silently.
        public init(title: Text, body: Text, sound: String) {
            precondition(!title.isEmpty && !body.isEmpty, "an alert needs a title and a body")
            self.title = title
            self.body = body
            self.sound = sound
        }
    }

    /// Whether the push starts, updates or ends a card.
    public var event: Event
    /// Orders pushes on the phone: strictly increasing per activity, Unix seconds.
    public var timestamp: Int64
    /// A whole `ContentState` as one JSON object, never a difference.
    public var contentState: Data
    /// Nil for a push that nobody should notice.
    public var alert: AlertText?
    /// Unix seconds from which the phone marks the state as outdated.
    public var staleDate: Int64?
    /// Only meaningful with `end`; left out otherwise.
    public var dismissalDate: Int64?
    /// Orders the app's cards: the greatest one is shown first.
    public var relevanceScore: Double?
    /// Only meaningful with `start`, which needs it and an alert; left out otherwise.
    public var start: Start?

    public init(
        event: Event, timestamp: Int64, contentState: Data, alert: AlertText? = nil,
        staleDate: Int64? = nil, dismissalDate: Int64? = nil, relevanceScore: Double? = nil,
        start: Start? = nil
    ) {
        self.event = event
        self.timestamp = timestamp
        self.contentState = contentState
        self.alert = alert
        self.staleDate = staleDate
        self.dismissalDate = dismissalDate
        self.relevanceScore = relevanceScore
        self.start = start
    }

    /// The body as UTF-8 JSON. Written member by member, so that the content state keeps the very
    /// bytes that were folded and stored.
    public var json: [UInt8] {
        var json = Array(#"{"aps":{"timestamp":\#(timestamp),"event":"\#(event.rawValue)""#.utf8)
        if let start, event == .start { json += start.members }
        json += Array(#","content-state":"#.utf8) + contentState
        if let staleDate { json += Array(#","stale-date":\#(staleDate)"#.utf8) }
        if let dismissalDate, event == .end {
            json += Array(#","dismissal-date":\#(dismissalDate)"#.utf8)
        }
        if let relevanceScore, relevanceScore.isFinite {
            json += Array(#","relevance-score":\#(relevanceScore)"#.utf8)
        }
        if let alert {
            json += Array(#","alert":{"title":"#.utf8) + alert.title.json
            json += Array(#","body":"#.utf8) + alert.body.json
            json += Array(#","sound":"#.utf8) + quoted(alert.sound) + Array("}".utf8)
        }
        json += Array("}}".utf8)
        return json
    }
}

extension Payload.AlertText.Text {
    fileprivate var json: [UInt8] {
        switch self {
        case .plain(let text): return quoted(text)
        case .key(let key, let arguments):
            var json = Array(#"{"loc-key":"#.utf8) + quoted(key)
            if !arguments.isEmpty {
                let list = arguments.map(quoted).joined(separator: [UInt8(ascii: ",")])
                json += Array(#","loc-args":["#.utf8) + list + [UInt8(ascii: "]")]
            }
            return json + [UInt8(ascii: "}")]
        }
    }
}

extension Payload.Start {
    /// Members of `aps`, each after a comma.
    fileprivate var members: [UInt8] {
        var json = Array(#","attributes-type":"#.utf8) + quoted(attributesType)
        json += Array(#","attributes":"#.utf8) + attributes
        switch input {
        case .pushToken: json += Array(#","input-push-token":1"#.utf8)
        case .channel(let id): json += Array(#","input-push-channel":"#.utf8) + quoted(id)
        case nil: break
        }
        return json
    }
}

/// A JSON string literal. Only what has to be is escaped: every byte counts in 4096.
private func quoted(_ text: String) -> [UInt8] {
    var literal: [UInt8] = []
    CanonicalText.append(text, to: &literal, controls: .numbered)
    return literal
}
