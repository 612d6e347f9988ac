import Domain
import EventStore
import HTTP

/// Where a client wants to go on. What it sends may be anything, whatever it was given: so every
/// cursor is read here, part by part, and each part has its range.
protocol Cursor: Sendable {
    /// - Returns: nil unless every part is there and within its range.
    init?(_ parts: inout CursorParts)

    /// Completes "`after` must be".
    static var expectation: String { get }
}

/// The parts of a cursor, taken one after the other.
struct CursorParts {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// Decimal digits, after a hyphen where the range goes below zero.
    mutating func number(in range: ClosedRange<Int64>) -> Int64? {
        var left = rest
        let isNegative = range.lowerBound < 0 && left.utf8.first == UInt8(ascii: "-")
        if isNegative { left.removeFirst() }
        let digits = left.prefix { $0.isASCII && $0.isNumber }
        guard let magnitude = Int64(digits: digits) else { return nil }
        let number = isNegative ? -magnitude : magnitude
        guard range.contains(number) else { return nil }
        rest = left[digits.endIndex...]
        return number
    }

    /// Whatever follows the mark, an accent perhaps, does not belong to it.
    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard rest.unicodeScalars.first == mark else { return false }
        rest.unicodeScalars.removeFirst()
        return true
    }

    mutating func text() -> String {
        defer { rest = "" }
        return String(rest)
    }
}

/// `1795392000:17`: a place, and the epoch of the log that it is a place in. In a log that was
/// never restored the place alone.
struct InEpoch<Place: Cursor>: Cursor {
    var epoch = firstLogEpoch
    var place: Place

    init?(_ parts: inout CursorParts) {
        var ahead = parts
        if let epoch = ahead.number(in: Limits.positions), ahead.take(":") {
            (self.epoch, parts) = (epoch, ahead)
        }
        guard let place = Place(&parts) else { return nil }
        self.place = place
    }

    static var expectation: String { Place.expectation + ", after the log's epoch if it has one" }
}

extension LogStatus {
    /// How a place in this log is written.
    func cursor(_ place: String) -> String {
        epoch == firstLogEpoch ? place : "\(epoch):\(place)"
    }

    func cursor(_ position: Int64) -> String { cursor(String(position)) }
}

struct LogPosition: Cursor, Hashable {
    var number: Int64

    init?(_ parts: inout CursorParts) {
        guard let number = parts.number(in: Limits.positions) else { return nil }
        self.number = number
    }

    static var expectation: String { "a whole number from 0 to \(Limits.positions.upperBound)" }
}

/// `17`, or `17-3`: a position, and the number of a notice after it where the place is one.
extension ActivityChange.Place: Cursor {
    init?(_ parts: inout CursorParts) {
        guard let position = parts.number(in: Limits.positions) else { return nil }
        self.init(position: position)
        guard !parts.isAtEnd else { return }
        guard parts.take("-"), let number = parts.number(in: Limits.positions) else { return nil }
        noticeNumber = number
    }

    var cursor: String { noticeNumber == 0 ? "\(position)" : "\(position)-\(noticeNumber)" }

    static var expectation: String {
        "what `next` has, or a position from 0 to \(Limits.positions.upperBound)"
    }
}

/// `1777658400000000_push-17`: microseconds since 1970, and the id of the last one.
extension DeadLetterPlace: Cursor {
    init?(_ parts: inout CursorParts) {
        guard let time = parts.number(in: Moment.writableMicroseconds), parts.take("_"),
            let id = DeadLetter.ID(text: parts.text()), id.isStorable
        else { return nil }
        self.init(givenUpAt: Moment(microseconds: time), id: id)
    }

    var cursor: String { "\(givenUpAt.microseconds)_\(id.text)" }

    static var expectation: String { "what `next` says" }
}

/// `1777658400000000_match-1`: microseconds since 1970, and an activity's id; `_match-1` where
/// nobody knows when it starts.
extension ScoreboardPage.Place: Cursor {
    init?(_ parts: inout CursorParts) {
        let time = parts.number(in: Moment.writableMicroseconds)
        guard parts.take("_") else { return nil }
        let id = parts.text()
        guard AttributeText.refusal(of: id) == nil else { return nil }
        self.init(
            startsAt: time.map { Moment(microseconds: $0) },
            activityID: ActivityID(rawValue: id))
    }

    var cursor: String {
        (startsAt.map { "\($0.microseconds)" } ?? "") + "_\(activityID.rawValue)"
    }

    static var expectation: String { "what `next` says" }
}

extension DeadLetter.ID {
    /// Its activity's id is one that a database could keep.
    var isStorable: Bool {
        activity.map { AttributeText.refusal(of: $0.rawValue) == nil } ?? true
    }
}

extension Call {
    func cursor<C: Cursor>(_ type: C.Type, in name: String = "after") throws(ProblemDocument) -> C?
    {
        guard let text = query[name] else { return nil }
        return try Self.cursor(type, text, in: name)
    }

    /// A version or position to read on from.
    func after() throws(ProblemDocument) -> InEpoch<LogPosition>? {
        try cursor(InEpoch<LogPosition>.self)
    }

    /// Where a stream goes on: after `Last-Event-ID`, else `after`, which may ask for the latest.
    func resumption() throws(ProblemDocument) -> (
        after: InEpoch<LogPosition>?, isFromLatest: Bool
    ) {
        if let text = lastEventID {
            return (try Self.cursor(InEpoch<LogPosition>.self, text, in: resumptionName), false)
        }
        if query["after"] == "latest" { return (nil, true) }
        return (try after(), false)
    }

    /// What says where a stream goes on.
    var resumptionName: String { lastEventID == nil ? "after" : "Last-Event-ID" }

    private var lastEventID: String? {
        request.headers["last-event-id"].flatMap { $0.isEmpty ? nil : $0 }
    }

    func number(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(ProblemDocument) -> Int64? {
        guard let text = query[name] else { return nil }
        var parts = CursorParts(text)
        guard let number = parts.number(in: range), parts.isAtEnd else {
            throw ProblemDocument(
                .invalidParameter,
                "`\(name)` must be a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound).")
        }
        return number
    }

    private static func cursor<C: Cursor>(
        _ type: C.Type, _ text: String, in name: String
    ) throws(ProblemDocument) -> C {
        var parts = CursorParts(text)
        guard let cursor = C(&parts), parts.isAtEnd else {
            throw ProblemDocument(.invalidParameter, "`\(name)` must be \(C.expectation).")
        }
        return cursor
    }
}
