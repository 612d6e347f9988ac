public import Foundation

/// A fact that a merchant's system reports, as a CloudEvent.
///
/// `id` and `source` together name it for good: the same event may be sent as often as you like,
/// and is recorded once. So keep the id with the fact, and do not make another when you try again.
public struct Event: Sendable {
    public let id: String
    /// Which system says so, a URI reference such as `/kitchen/5`.
    public let source: String
    /// For example `PizzaDelivery.OrderPlaced`.
    public let type: String
    /// The activity that it is about.
    public let activity: String
    /// When it happened, which may be long ago.
    public let time: Date
    /// An object that fits the type. A `Date` in it is written as the API wants it.
    public let data: any Encodable & Sendable
    /// The activity's version that this rests on (0: none); a conflict when it is at another.
    public let expectedVersion: Int64?

    public init(
        id: String = Event.makeID(), source: String, type: String, activity: String, time: Date,
        data: any Encodable & Sendable = [String: String](), expectedVersion: Int64? = nil
    ) {
        self.id = id
        self.source = source
        self.type = type
        self.activity = activity
        self.time = time
        self.data = data
        self.expectedVersion = expectedVersion
    }

    /// A UUID of version 7: ids that grow with time are stored fastest.
    public static func makeID() -> String { makeID(at: Date(), UInt64.random, UInt64.random) }

    package static func makeID(
        at date: Date, _ high: (ClosedRange<UInt64>) -> UInt64,
        _ low: (ClosedRange<UInt64>) -> UInt64
    ) -> String {
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970) * 1000) & 0xffff_ffff_ffff
        let digits = String(
            milliseconds << 16 | 0x7000 | high(0...0xfff), radix: 16)
        let rest = String(low(0...(1 << 62 - 1)) | 1 << 63, radix: 16)
        let all = String(repeating: "0", count: 16 - digits.count) + digits + rest
        var text = ""
        for (index, digit) in all.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}

extension Event: Encodable {
    private enum CodingKeys: String, CodingKey {
        case specversion, id, source, type, subject, time, data, expectedversion
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode("1.0", forKey: .specversion)
        try members.encode(id, forKey: .id)
        try members.encode(source, forKey: .source)
        try members.encode(type, forKey: .type)
        try members.encode(activity, forKey: .subject)
        try members.encode(time, forKey: .time)
        try members.encode(data, forKey: .data)
        try members.encodeIfPresent(expectedVersion, forKey: .expectedversion)
    }
}
