import Domain
import EventStore
import Foundation
import Testing

@testable import Archive

struct `An import refuses` {
    private let place = Place()
    private let receiver = Receiver()

    /// A sound export of three segments.
    private func exported(_ count: Int = 2_500) async throws -> Layout {
        let layout = place.layout()
        try await MemoryLog(count: count).export(to: layout)
        return layout
    }

    private func edit(
        _ layout: Layout, _ name: String, _ change: (inout Data) -> Void
    ) throws {
        let url = URL(filePath: layout.path(of: name))
        var data = try Data(contentsOf: url)
        change(&data)
        try data.write(to: url)
    }

    @Test(arguments: 1...3)
    func `one changed bit anywhere, before anything is recorded`(segment: Int) async throws {
        let layout = try await exported()
        try edit(layout, "events-00000\(segment).ndjson") { data in
            data[data.count / segment - 2] ^= 1
        }
        let refusal = await receiver.refusal(layout)
        guard case .damaged(let file, _) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(file == "events-00000\(segment).ndjson")
        #expect(await receiver.calls == 0)
    }

    @Test func `a truncated, a lengthened and a missing segment`() async throws {
        let layout = try await exported()
        let name = "events-000002.ndjson"
        let whole = try place.files(layout)[name] ?? Data()
        for change in ["cut", "longer", "gone"] {
            try edit(layout, name) { data in
                data = change == "cut" ? whole.dropLast(50) : whole + [10]
            }
            if change == "gone" {
                try FileManager.default.removeItem(atPath: layout.path(of: name))
            }
            let refusal = await receiver.refusal(layout)
            guard case .damaged? = refusal else {
                Issue.record("\(change) was accepted")
                continue
            }
            #expect(refusal?.description.hasSuffix("; nothing of it was imported") == true)
            // Others import nothing.
            do throws(ArchiveError) {
                let reader = try await ArchiveReader.open(layout) { _ in }
                await reader.close()
                Issue.record("\(change) was read")
            } catch { #expect(!error.description.contains("imported")) }
        }
        #expect(await receiver.calls == 0)
    }

    @Test func `two segments in each other's place`() async throws {
        let layout = try await exported()
        let files = try place.files(layout)
        try edit(layout, "events-000001.ndjson") { $0 = files["events-000002.ndjson"] ?? $0 }
        try edit(layout, "events-000002.ndjson") { $0 = files["events-000001.ndjson"] ?? $0 }
        #expect(await receiver.refusal(layout) != nil)
        #expect(await receiver.calls == 0)
    }

    @Test func `what is no export at all`() async throws {
        let layout = place.layout("nothing")
        #expect(await receiver.refusal(layout) == .noManifest(layout.manifestPath))
        let other = try await exported()
        for text in ["", "{", "[]", "{}", "null", #"{"format":"islet-events"}"#] {
            try edit(other, "manifest.json") { $0 = Data(text.utf8) }
            #expect(await receiver.refusal(other) == .unreadableManifest(other.manifestPath))
        }
    }

    /// An export whose checksums all fit, but whose lines are not those of a log.
    private func forged(
        _ lines: [String], first: Int64, last: Int64, selection: Selection = Selection()
    ) async throws -> Layout {
        let layout = place.layout(UUID().uuidString)
        let files = ArchiveFiles(layout)
        try await files.prepare()
        try await files.beginSegment("events-000001.ndjson")
        try await files.append(Array(lines.joined().utf8))
        let contents = try await files.finishSegment()
        var manifest = Manifest(tenant: "acme", selection: selection, through: last)
        manifest.append(
            Manifest.Segment(
                file: "events-000001.ndjson", events: Int(last - first + 1), firstPosition: first,
                lastPosition: last, bytes: contents.bytes, sha256: contents.sha256))
        manifest.isComplete = true
        try await files.write(manifest)
        await files.close()
        return layout
    }

    private static let lines = MemoryLog(count: 6).events.map {
        String(decoding: EventLine.bytes(of: $0), as: UTF8.self)
    }

    @Test func `lines that repeat, skip or go back, though every checksum fits`() async throws {
        let lines = Self.lines
        let orders = [
            [0, 1, 1, 3], [0, 2, 3, 3], [1, 0, 2, 3], [0, 1, 2], [0, 1, 2, 3, 4], [],
        ]
        for order in orders {
            let layout = try await forged(order.map { lines[$0] }, first: 1, last: 4)
            #expect(await receiver.refusal(layout) != nil, "\(order)")
        }
        let sound = try await forged([0, 1, 2, 3].map { lines[$0] }, first: 1, last: 4)
        #expect(await receiver.refusal(sound) == nil)
    }

    @Test func `a last line without an end and a line that is no event`() async throws {
        let lines = Self.lines
        let open = try await forged([lines[0], String(lines[1].dropLast())], first: 1, last: 2)
        guard case .damaged = await receiver.refusal(open) else {
            Issue.record("was accepted")
            return
        }
        let odd = try await forged([lines[0], "{}\n"], first: 1, last: 2)
        guard case .line(_, 2, _) = await receiver.refusal(odd) else {
            Issue.record("was accepted")
            return
        }
    }

    @Test func `an activity's export with a version missing or another's event`() async throws {
        let log = MemoryLog(count: 60)
        let own = log.events.filter { $0.event.activityID.rawValue == "order-1" }
        let foreign = try #require(
            log.events.first { $0.position > own[0].position && !own.contains($0) })
        let selection = Selection(activity: "order-1")
        for events in [[own[0], own[2]], [own[0], foreign]] {
            let layout = try await forged(
                events.map { String(decoding: EventLine.bytes(of: $0), as: UTF8.self) },
                first: events[0].position, last: events[1].position, selection: selection)
            guard case .line(_, 2, _) = await receiver.refusal(layout) else {
                Issue.record("was accepted")
                continue
            }
        }
    }

    private static let unfit: [(member: String, value: String)] = [
        ("subject", ""), ("subject", "a\u{1B}[2J"), ("subject", repeated("a", 201)),
        ("source", ""), ("type", "a\u{9B}"), ("id", repeated("é", 101)), ("data", "[]"),
        ("data", "7"), ("data", #"{"a":1,"a":2}"#), ("data", #"{"n":1e131000}"#),
        ("data", #"{"a":"\u0000"}"#), ("data", #"{"a":"x"} "y""#),
    ]

    private static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }

    @Test(arguments: unfit)
    func `what the API would not take, since nobody could then reach it`(
        member: String, value: String
    ) async throws {
        try await expectRefusal(of: member, value)
    }

    @Test func `data that nobody could send, by their depth or length`() async throws {
        try await expectRefusal(
            of: "data", #"{"a":\#(Self.repeated("[", 6_000))\#(Self.repeated("]", 6_000))}"#)
        try await expectRefusal(
            of: "data", #"{"a":\#(Self.repeated("[", 32))\#(Self.repeated("]", 32))}"#)
        try await expectRefusal(of: "data", #"{"a":"\#(Self.repeated("a", 4_000_000))"}"#)
        // Short, until the log writes them out.
        try await expectRefusal(of: "data", #"{"a":[\#(Self.repeated("1e300,", 4_000))1]}"#)
    }

    @Test func `more of extension attributes than data may have`() async throws {
        var log = MemoryLog(count: 3)
        log.events[1].event.extensions = Data(
            #"{"more":"\#(Self.repeated("a", 2_000_000))"}"#.utf8)
        let layout = place.layout()
        try await log.export(to: layout)
        guard case .unfit(2, _) = await receiver.refusal(layout) else {
            Issue.record("it was imported")
            return
        }
    }

    private func expectRefusal(of member: String, _ value: String) async throws {
        var log = MemoryLog(count: 3)
        switch member {
        case "id": log.events[1].event.id = value
        case "source": log.events[1].event.source = value
        case "type": log.events[1].event.type = value
        case "subject": log.events[1].event.activityID = ActivityID(rawValue: value)
        default: log.events[1].event.data = Data(value.utf8)
        }
        let layout = place.layout(UUID().uuidString)
        try await log.export(to: layout)
        let refusal = await receiver.refusal(layout)
        guard case .unfit(2, let reason) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(reason.hasPrefix("`\(member)` "), "\(reason)")
        #expect(await receiver.calls == 0)
    }

    @Test func `nothing that the API takes or took`() async throws {
        var log = MemoryLog(count: 4)
        let longest = Self.repeated("a", 200)
        log.events[0].event.activityID = ActivityID(rawValue: longest)
        log.events[0].event.id = "\(ActivityClock.Event.wentStale.type)/1@1/\(longest)"
        log.events[0].event.source = ActivityClock.source
        log.events[1].event.activityID = ActivityID(rawValue: "..")
        // In binary mode the data may be as deep as otherwise the whole event.
        let levels = Self.repeated("[", 31) + Self.repeated("]", 31)
        log.events[2].event.data = Data("{\"a\": \(levels), \"b\": \"\\t\u{1F355}\"}".utf8)
        // As older versions wrote out what was sent as `1e300`, and as digits of the largest number
        // are after a redaction. And digits of many places, which were sent with an exponent.
        let number = "1" + Self.repeated("0", 300)
        var numbers = Array(repeating: number, count: 1_000)
        numbers.append(Self.repeated("9", 309))
        numbers.append("0.\(Self.repeated("0", 300))\(Self.repeated("3", 390))")
        log.events[3].event.data = Data("{\"a\": [\(numbers.joined(separator: ", "))]}".utf8)
        let layout = place.layout()
        try await log.export(to: layout)
        #expect(await receiver.refusal(layout) == nil)
        #expect(await receiver.events.map(\.event) == log.events.map(\.event))
    }

    @Test func `events from the future, since the log's time could then never go on`() async throws
    {
        let layout = try await exported(10)
        #expect(
            await receiver.refusal(layout, now: MemoryLog.time(7))
                == .fromTheFuture(position: 8))
        #expect(await receiver.calls == 0)
    }

    @Test func `an export other than the one whose chain value was noted`() async throws {
        let layout = try await exported()
        let chain = try await MemoryLog(count: 2_500).export(to: layout).chain
        try await receiver.take(layout, chain: chain)
        await #expect(throws: ArchiveError.otherChain(chain)) {
            try await receiver.take(layout, chain: String(chain.reversed()))
        }
    }
}
