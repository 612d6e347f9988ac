import Domain
import EventStore
import HTTP

@testable import API

enum CursorTargets {
    /// Every opaque parameter, from one text.
    @Sendable static func cursors(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let call = Call(
            request: Request(
                method: "GET", target: "/",
                headers: ["last-event-id": text, "if-none-match": text]),
            path: ["id": text, "letterId": text], query: ["after": text, "at": text, "limit": text])
        _ = try? call.after()
        _ = try? call.resumption()
        _ = try? call.limit()
        _ = try? call.activityID()
        _ = try? call.activityFilter()
        if let place = try? call.cursor(ActivityChange.Place.self) {
            require(read(place.cursor, ActivityChange.Place.self) == place, "another place")
        }
        if let wanted = try? call.cursor(InEpoch<LogPosition>.self) {
            let text = LogStatus(epoch: wanted.epoch).cursor(wanted.place.number)
            let again = read(text, InEpoch<LogPosition>.self)
            require(again?.epoch == wanted.epoch && again?.place == wanted.place, "another epoch")
        }
        if let place = try? call.cursor(DeadLetterPlace.self) {
            require(read(place.cursor, DeadLetterPlace.self) == place, "another dead letter")
        }
        if let place = try? call.cursor(ScoreboardPage.Place.self) {
            require(read(place.cursor, ScoreboardPage.Place.self) == place, "another match")
        }
        if let moment = try? call.moment("at") {
            require(Moment(rfc3339: moment.rfc3339) == moment, "another moment")
            _ = moment.adding(seconds: -1e300).adding(seconds: .infinity).seconds(since: moment)
        }
        if let id = DeadLetter.ID(text: text) {
            require(DeadLetter.ID(text: id.text) == id, "another id")
        }
        if let decoded = PercentEncoding.decoded(text) {
            require(
                PercentEncoding.decoded(PercentEncoding.encoded(decoded)) == decoded, "another text"
            )
        }
        _ = EntityTag(of: bytes).isNamed(by: call.request)
        _ = PresentedTicket(bytes)
        _ = PresentedTicket(Array(Ticket.prefix.utf8) + bytes)
    }

    private static func read<C: Cursor>(_ text: String, _ type: C.Type) -> C? {
        var parts = CursorParts(text)
        guard let cursor = C(&parts), parts.isAtEnd else { return nil }
        return cursor
    }
}
