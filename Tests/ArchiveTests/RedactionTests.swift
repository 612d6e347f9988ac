import Domain
import EventStore
import Foundation
import ProjectFiles
import Projections
import TestSupport
import Testing

@testable import Archive

struct `A redaction` {
    private let redaction = Redaction(key: Array("sixteen bytes and more".utf8))

    private func redacted(
        _ data: String, of type: String = "PizzaDelivery.DriverAssigned", version: Int = 1
    ) -> (text: String, tally: RedactionTally) {
        var tally = RedactionTally()
        let bytes = redaction.redacted(data: Array(data.utf8), of: type, version, &tally)
        return (String(decoding: bytes, as: UTF8.self), tally)
    }

    @Test func `replaces names and free texts and nothing else, byte for byte as long`() {
        let data =
            #"{"driverName": "Ada Lovelace 7", "estimatedAt": "2026-05-01T18:20:00Z"}"#
        let (out, tally) = redacted(data)
        #expect(out.utf8.count == data.utf8.count)
        #expect(!out.contains("Ada") && !out.contains("Lovelace"))
        #expect(out.contains(#""estimatedAt": "2026-05-01T18:20:00Z""#))
        let name = out.split(separator: "\"")[3]
        #expect(name.firstMatch(of: /^[A-Z][a-z]{2} [A-Z][a-z]{7} [0-9]$/) != nil, "\(name)")
        #expect(tally.valuesMasked == 1 && tally.valuesUnlisted == 0 && tally.unlisted.isEmpty)
    }

    @Test func `gives equal texts equal pseudonyms, however they are written, and others others`() {
        let ada = redacted(#"{"driverName":"Ada"}"#).text
        #expect(ada == redacted(#"{"driverName":"\u0041da"}"#).text)
        #expect(ada != redacted(#"{"driverName":"Eva"}"#).text)
        var tally = RedactionTally()
        let other = Redaction(key: Array("another sixteen bytes".utf8))
        let bytes = other.redacted(
            data: Array(#"{"driverName":"Ada"}"#.utf8), of: "PizzaDelivery.DriverAssigned", 1,
            &tally)
        #expect(ada != String(decoding: bytes, as: UTF8.self))
    }

    @Test func `masks members that no schema names, at any depth, with their names`() {
        let (out, tally) = redacted(
            #"{"customerName":"Grace Hopper","phone":4915112345678,"isVIP":true,"none":null,"#
                + #""address":{"street":"Hauptstr. 5","lines":["Berlin",{"zip":"10115"}]},"#
                + #""driverName":{"first":"Ada"}}"#)
        for clear in [
            "customerName", "Grace", "phone", "4915112345678", "isVIP", "true", "address",
            "street", "Hauptstr", "Berlin", "zip", "10115", "first", "Ada",
        ] {
            #expect(!out.contains(clear), "\(clear) in \(out)")
        }
        #expect((try? JSONSerialization.jsonObject(with: Data(out.utf8))) is [String: Any])
        #expect(tally.valuesMasked == 7 && tally.valuesUnlisted == 7)
        #expect(tally.unlisted.count == 7)
        for member in tally.unlisted {
            let last = member.path.split(separator: "/").last.map(String.init) ?? ""
            #expect(member.type == "PizzaDelivery.DriverAssigned" && out.contains(last))
        }
    }

    /// Else a segment that is written again would be another one.
    @Test func `leaves the form of what the log's database wrote as it is`() {
        func form(_ data: String) -> String {
            data.replacing(/"(\\.|[^"\\])*"/, with: "_").replacing(/[0-9]/, with: "0")
        }
        let data =
            #"{"phone": 4915112345678, "driverName": "Ada \"L\"\n", "none": null, "cents": -12.5, "#
            + #""address": {"lines": ["5\\7", {"zip": []}, {}], "\"": "\u0007"}, "isVIP": true}"#
        #expect(form(redacted(data).text) == form(data).replacing("true", with: "null"))
    }

    @Test func `knows names and masks them, however they are written`() {
        let plain = redacted(#"{"driverName":"Ada","ada":"x"}"#)
        let escaped = redacted(#"{ "driver\u004eame" : "\u0041da", "\u0061da" : "x" }"#)
        #expect(plain == escaped)
        // Of one name the first counts.
        #expect(plain == redacted(#"{"driverName":"Ada","ada":"x","ada":"Grace"}"#))
    }

    @Test func `masks a safe field that has what it must not`() {
        let type = "Match.GoalScored"
        let safe = #"{"goalID":"g1","team":"home","minute":12}"#
        let (out, tally) = redacted(safe, of: type)
        #expect(out.contains(#""team": "home", "minute": 12"#) && !out.contains("g1"))
        #expect(tally.valuesMasked == 1)
        let odd = redacted(#"{"goalID":"g1","team":"Ada Lovelace","minute":"Grace"}"#, of: type)
        #expect(!odd.text.contains("Ada") && !odd.text.contains("Grace"))
        #expect(odd.tally.valuesMasked == 3)
    }

    @Test(arguments: [
        ("football", true), ("Association Football", true), ("SOCCER", true),
        ("rugby union", false), ("football of Ada", false), ("", false),
    ])
    func `leaves a sport as it is where a match is folded by it`(sport: String, isOpen: Bool) {
        let data = #"{"sport": "\#(sport)", "homeTeam": "Reds"}"#
        let (out, tally) = redacted(data, of: "Match.MatchScheduled")
        #expect(tally.valuesMasked == (isOpen ? 1 : 2))
        if !sport.isEmpty { #expect(out.contains("\"\(sport)\"") == isOpen) }
    }

    /// Its minutes tell that the second half has begun only where it is football.
    @Test func `leaves a football match the period that its minutes tell`() throws {
        func period(_ change: (RecordedEvent) -> RecordedEvent) throws -> String? {
            let events: [(type: String, data: String)] = [
                (
                    "Match.MatchScheduled",
                    """
                    {"competition":"Cup","homeTeam":"Reds","awayTeam":"Blues","sport":"football",
                    "kickoff":"2026-05-01T18:00:00Z"}
                    """
                ), ("Match.PeriodStarted", #"{"period":"firstHalf"}"#),
                ("Match.GoalScored", #"{"goalID":"g","team":"home","minute":60}"#),
            ]
            var fold: StateFold?
            for (index, event) in events.enumerated() {
                let recorded = change(
                    RecordedEvent(
                        tenant: MemoryLog.tenant.id, position: Int64(index + 1),
                        version: Int64(index + 1), recordedAt: Moment(unixSeconds: 1_000_000),
                        event: NewEvent(
                            id: "\(index)", source: "feed", type: event.type,
                            activityID: ActivityID(rawValue: "m"),
                            occurredAt: Moment(unixSeconds: 1_000_000 + Int64(index)),
                            data: Data(event.data.utf8))))
                if let fold { try fold.fold(recorded) } else { fold = try StateFold(recorded) }
            }
            let state = try #require(fold).snapshot().contentState
            let shown = try JSONSerialization.jsonObject(with: state) as? [String: Any]
            return shown?["period"] as? String
        }
        var tally = RedactionTally()
        let known = try period { $0 }
        let masked = try period { redaction.redacted($0, &tally) }
        #expect(known == "secondHalf" && masked == "secondHalf")
    }

    @Test func `leaves nothing of a type or version that it does not know`() {
        for (type, version) in [("Parcel.Sent", 1), ("Match.GoalScored", 9)] {
            let out = redacted(#"{"team":"home","minute":4242424242}"#, of: type, version: version)
                .text
            #expect(!out.contains("team") && !out.contains("home"))
            #expect(!out.contains("4242424242"))
        }
    }

    @Test func `tells apart what a fold tells apart`() {
        let outs = (0..<1_000).map {
            redacted(#"{"goalID":"\#($0)","team":"home"}"#, of: "Match.GoalScored").text
        }
        #expect(Set(outs).count == 1_000)
    }

    @Test func `keeps a masked number in the bounds of its field`() throws {
        for number in [1, 9, 10, 999_999_999_999] {
            let out = redacted(#"{"orderNumber":\#(number)}"#, of: "BikeRide.BikeOrdered").text
            #expect(out.contains("orderNumber"))
            let object = try JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Int]
            let masked = try #require(object?.values.first)
            #expect((1...999_999_999_999).contains(masked), "\(out)")
        }
    }

    @Test(arguments: ["Müller", "王小明", "x\\\\u00e9y", "", #"a \"b\" c"#, "bell \\u0007"])
    func `keeps what is no ASCII well formed`(name: String) {
        let data = #"{"player":"\#(name)","team":"home","goalID":"g"}"#
        let out = redacted(data, of: "Match.GoalScored").text
        let object = try? JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Any]
        #expect((object?["player"] as? String)?.count != nil)
    }

    @Test(arguments: [
        "", "{", "[1,", #"{"a"}"#, #"{"a":tru}"#, #"{"a":"b"#, "nonsense", #"{"a":1}x"#, "\"\\",
        String(repeating: "[", count: 5_000),
    ])
    func `leaves nothing of what is no JSON`(data: String) {
        #expect(redacted(data).text == "{}")
    }

    @Test func `masks the ids, the source and the type that nobody knows`() {
        let recorded = RecordedEvent(
            tenant: MemoryLog.tenant.id, position: 7, version: 3,
            recordedAt: Moment(microseconds: 1_000_000),
            event: NewEvent(
                id: "ada-1", source: "/ada/shop", type: "Ada.Thing",
                activityID: ActivityID(rawValue: "order-of-ada"),
                occurredAt: Moment(microseconds: 0), data: Data("{}".utf8)))
        var tally = RedactionTally()
        let line = String(
            decoding: EventLine.bytes(of: redaction.redacted(recorded, &tally)), as: UTF8.self)
        #expect(!line.lowercased().contains("ada"), "\(line)")
        #expect(line.contains(#""position":7,"version":3"#))
        let name = redaction.name(of: recorded.event.activityID).rawValue
        #expect(line.contains("\"subject\":\"\(name)\""))
        // What the clock reports stays Islet's own.
        var stale = recorded
        stale.event.source = ActivityClock.source
        stale.event.type = ActivityClock.Event.wentStale.type
        let kept = redaction.redacted(stale, &tally).event
        #expect(
            kept.source == ActivityClock.source && kept.type == ActivityClock.Event.wentStale.type)
    }
}

struct `What a redacted export leaves open` {
    private var fields: [EventField] {
        ActivityCatalog.standard.eventTypes.flatMap(\.versions).flatMap(\.self)
    }

    @Test func `is no text of anybody's own`() {
        for field in fields where field.disclosure == .open {
            if case .text = field.shape { Issue.record("\(field.name)") }
        }
    }

    @Test func `is every time, choice and flag, since their pseudonyms would be none`() {
        for field in fields {
            switch field.shape {
            case .moment, .choice, .flag: #expect(field.disclosure == .open, "\(field.name)")
            case .text, .integer: break
            }
        }
    }

    @Test func `is what the page about exports lists`() throws {
        let page = try ProjectFiles.text("docs/how-to/export-and-import.md")
        let rows = page.matches(of: /\n\| `(\w+)` \| (.+) \|/)
        for kind in ActivityCatalog.standard.kinds {
            let fields = kind.eventTypes.flatMap(\.versions).joined()
            let open = Set(fields.filter { $0.disclosure == .open }.map(\.name))
            let listed = rows.first { $0.1 == kind.name }?.2.matches(of: /\w+/) ?? []
            #expect(open == Set(listed.map { String($0.output) }), "\(kind.name)")
        }
        for field in fields {
            guard case .openAmong(let known) = field.disclosure else { continue }
            for word in [field.name] + known { #expect(page.contains("`\(word)`"), "\(word)") }
        }
        let references = Set(fields.filter { $0.disclosure == .reference }.map(\.name))
        #expect(references == ["cardID", "goalID"])
    }
}

/// Random data for events of every type, of which it is known what may be seen afterwards.
private struct RandomEvent {
    var random: SeededGenerator
    /// Texts that must not be seen: names and values of members that no schema names, and texts of
    /// those that it does.
    var hidden: [String] = []

    mutating func word(bytesMax: Int = 12) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        let count = min(bytesMax, 12) - 1
        let rest = (0..<count).map { _ in letters.randomElement(using: &random) ?? "x" }
        let word = "q" + String(rest)
        // A shorter one may stand in the line by chance.
        if count > 5 { hidden.append(word) }
        return word
    }

    mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 3 ? 3 : 5), using: &random) {
        case 0: return "\"\(word())\""
        case 1:
            let number = String(Int.random(in: 1_000_000_000..<9_999_999_999, using: &random))
            hidden.append(number)
            return number
        case 2: return ["true", "false", "null"].randomElement(using: &random) ?? "null"
        case 3:
            let count = Int.random(in: 0...3, using: &random)
            return "[" + (0..<count).map { _ in value(depth: depth + 1) }.joined(separator: ", ")
                + "]"
        default:
            let count = Int.random(in: 0...3, using: &random)
            return "{" + members(count, depth + 1).joined(separator: ",") + "}"
        }
    }

    private mutating func members(_ count: Int, _ depth: Int) -> [String] {
        (0..<count).map { _ in "\"\(word())\": \(value(depth: depth))" }
    }

    mutating func data(_ fields: [EventField]) -> String {
        var members = members(Int.random(in: 0...6, using: &random), 0)
        for field in fields {
            switch field.shape {
            case .text(let bytesMax):
                members.append("\"\(field.name)\":\"\(word(bytesMax: bytesMax))\"")
            case .integer(let range): members.append("\"\(field.name)\":\(range.lowerBound)")
            case .moment: members.append("\"\(field.name)\":\"2026-05-01T12:00:00Z\"")
            case .choice(let choices): members.append("\"\(field.name)\":\"\(choices[0])\"")
            case .flag: members.append("\"\(field.name)\":true")
            }
        }
        return "{" + members.shuffled(using: &random).joined(separator: ", ") + "}"
    }
}

@Test(arguments: 0..<20 as Range<UInt64>)
func `what no schema names as safe is never seen, and folds as before`(seed: UInt64) throws {
    let redaction = Redaction(key: Array("sixteen bytes and more".utf8))
    var event = RandomEvent(random: SeededGenerator(seed: seed))
    for kind in ActivityCatalog.standard.kinds {
        for type in kind.eventTypes {
            for version in 1...type.newestVersion {
                event.hidden = []
                let data = event.data(type.fields(of: version) ?? [])
                try ActivityCatalog.standard.validate(
                    type: type.name, schemaVersion: version, data: Data(data.utf8))
                let recorded = RecordedEvent(
                    tenant: MemoryLog.tenant.id, position: 1, version: 1,
                    recordedAt: Moment(microseconds: 0),
                    event: NewEvent(
                        id: event.word(), source: event.word(), type: type.name,
                        schemaVersion: version, activityID: ActivityID(rawValue: event.word()),
                        occurredAt: Moment(microseconds: 0), data: Data(data.utf8)))
                var tally = RedactionTally()
                let out = redaction.redacted(recorded, &tally)
                let line = String(decoding: EventLine.bytes(of: out), as: UTF8.self)
                for text in event.hidden { #expect(!line.contains(text), "\(text) in \(line)") }
                try ActivityCatalog.standard.validate(
                    type: out.event.type, schemaVersion: version, data: out.event.data)
            }
        }
    }
}
