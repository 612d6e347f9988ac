import Domain
import EventLoop
import EventStore
import Foundation
import Testing

@testable import Archive

struct `An export` {
    private let place = Place()

    @Test func `is segments of events in order with a manifest that fits them`() async throws {
        let layout = place.layout()
        let summary = try await MemoryLog(count: 2_700).export(to: layout)
        #expect(summary.events == 2_700)
        #expect((summary.firstPosition, summary.lastPosition) == (1, 2_700))
        let files = try place.files(layout)
        #expect(
            files.keys.sorted() == [
                "events-000001.ndjson", "events-000002.ndjson", "events-000003.ndjson",
                "manifest.json",
            ])
        let manifest = try JSONDecoder().decode(
            Manifest.self, from: try #require(files["manifest.json"]))
        try manifest.check(chain: summary.chain)
        let lines = files.filter { $0.key.hasPrefix("events") }.sorted { $0.key < $1.key }
            .flatMap { $0.value.split(separator: UInt8(ascii: "\n")) }
        let positions = try lines.map { try EventLine.event($0).position }
        #expect(positions == Array(1...2_700))
    }

    @Test func `of an empty log is complete and has no segment`() async throws {
        let layout = place.layout()
        let summary = try await MemoryLog(count: 0).export(to: layout)
        #expect(summary.events == 0 && summary.segments == 0)
        #expect(try place.files(layout).keys.sorted() == ["manifest.json"])
        #expect(try await Receiver().take(layout).events == 0)
    }

    @Test func `can be one file with its manifest beside it`() async throws {
        let layout = place.layout("log.ndjson", segmentEvents: 10)
        try await #expect(MemoryLog(count: 1_234).export(to: layout).segments == 1)
        #expect(
            try place.files(layout).keys.sorted() == ["log.ndjson", "log.ndjson.manifest.json"])
        #expect(try await Receiver().take(layout).recorded == 1_234)
    }

    @Test func `that was given another name is read by it, never another file`() async throws {
        let old = place.layout("monday.ndjson")
        try await MemoryLog(count: 20).export(to: old)
        let new = place.layout("copy.ndjson")
        for (from, to) in [
            (old.path(of: "monday.ndjson"), new.path(of: "copy.ndjson")),
            (old.manifestPath, new.manifestPath),
        ] {
            try FileManager.default.moveItem(atPath: from, toPath: to)
        }
        #expect(try await Receiver().take(new).recorded == 20)
        // Whatever has the old name now.
        try Data("other\n".utf8).write(to: URL(filePath: old.path(of: "monday.ndjson")))
        #expect(try await Receiver().take(new).recorded == 20)
        // And the old name does not stand in for what was changed.
        try FileManager.default.moveItem(
            atPath: new.path(of: "copy.ndjson"), toPath: new.path(of: "monday2.ndjson"))
        try FileManager.default.copyItem(
            atPath: new.path(of: "monday2.ndjson"), toPath: new.path(of: "copy.ndjson"))
        let file = try FileHandle(forWritingTo: URL(filePath: new.path(of: "copy.ndjson")))
        try file.write(contentsOf: Data("x".utf8))
        try file.close()
        let error = await #expect(throws: ArchiveError.self) { try await Receiver().take(new) }
        guard case .damaged(let name, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(name == "copy.ndjson")
    }

    @Test func `of events that are in no log is read as one of a log, and replaces nothing`()
        async throws
    {
        let log = MemoryLog(count: 25)
        let fromLog = place.layout("from-log")
        try await log.export(to: fromLog)
        let expected = Receiver()
        try await expected.take(fromLog)
        let layout = place.layout("from-no-log", segmentEvents: 10)
        let summary = try await Export.write(log.events, of: "acme", to: layout)
        #expect(summary.segments == 3 && summary.lastPosition == 25)
        let receiver = Receiver()
        try await receiver.take(layout)
        #expect(await receiver.events == expected.events)
        await #expect(throws: ArchiveError.self) {
            try await Export.write([], of: "acme", to: layout)
        }
    }

    @Test(
        arguments: [
            (Selection(after: 100), nil, 101, 3_000), (Selection(), 1, 1, 1),
            (Selection(), 2_000, 1, 2_000), (Selection(), 9_999, 1, 3_000),
            (Selection(after: 5), 1_500, 6, 1_500), (Selection(), 0, 0, 0),
            (Selection(after: 3_000), nil, 0, 0), (Selection(after: 10), 5, 0, 0),
        ] as [(Selection, Int64?, Int64, Int64)])
    func `has what was selected and nothing else`(
        selection: Selection, until: Int64?, first: Int64, last: Int64
    ) async throws {
        let layout = place.layout()
        let summary = try await MemoryLog(count: 3_000).export(
            selection, until: until, to: layout)
        #expect((summary.firstPosition, summary.lastPosition) == (first, last))
        #expect(summary.events == (first == 0 ? 0 : Int(last - first + 1)))
        let receiver = Receiver()
        try await receiver.take(layout)
        #expect(await receiver.events.count == summary.events)
    }

    @Test func `of one activity has all of its events`() async throws {
        let log = MemoryLog(count: 3_000)
        let layout = place.layout(segmentEvents: 400)
        let summary = try await log.export(Selection(activity: "order-4"), to: layout)
        let expected = log.events.filter { $0.event.activityID.rawValue == "order-4" }
        #expect(summary.events == expected.count && expected.count > 500)
        let receiver = Receiver()
        try await receiver.take(layout)
        #expect(await receiver.events.map(\.event) == expected.map(\.event))
    }

    @Test func `stops at a hole in the log and names it`() async throws {
        var log = MemoryLog(count: 2_000)
        log.events.removeSubrange(1_200..<1_203)
        await #expect(throws: ArchiveError.hole(from: 1_201, to: 1_203)) {
            try await log.export(to: place.layout())
        }
    }

    @Test func `that lost its end while it ran is no complete export`() async throws {
        let layout = place.layout()
        let whole = MemoryLog(count: 2_000)
        try await interrupt(whole, to: layout, afterReads: 3)
        var cut = whole
        cut.events.removeLast(10)
        await #expect(throws: ArchiveError.hole(from: 1_991, to: 2_000)) {
            try await cut.export(to: layout)
        }
    }

    /// Cancels the export from inside the log's nth read.
    private func interrupt(
        _ log: MemoryLog, to layout: Layout, afterReads limit: Int
    ) async throws {
        let reads = Lock(0)
        let result = Lock<ArchiveError?>(nil)
        await withTaskGroup { group in
            group.addTask {
                do throws(ArchiveError) {
                    _ = try await log.export(to: layout) {
                        let count = reads.withLock {
                            $0 += 1
                            return $0
                        }
                        if count == limit { withUnsafeCurrentTask { $0?.cancel() } }
                    }
                } catch { result.withLock { $0 = error } }
            }
        }
        #expect(result.withLock { $0 } == .interrupted)
    }

    @Test(arguments: 1...9)
    func `that was interrupted anywhere goes on to the same bytes`(reads: Int) async throws {
        let log = MemoryLog(count: 5_000)
        let whole = place.layout("whole")
        let expected = try await log.export(to: whole)
        let layout = place.layout("part")
        try await interrupt(log, to: layout, afterReads: reads)
        #expect(await Receiver().refusal(layout) == .incomplete)
        // The log has grown meanwhile: the export ends where it was to end.
        var summary = try await MemoryLog(count: 6_000).export(to: layout)
        // Two pages make a segment; the one after it is read while its last is written.
        #expect(summary.segmentsKept == (reads - 1) / 2)
        summary.segmentsKept = expected.segmentsKept
        #expect(summary == expected)
        #expect(try place.files(layout) == place.files(whole))
    }

    @Test func `repeated when it is complete changes nothing`() async throws {
        let layout = place.layout()
        let log = MemoryLog(count: 2_500)
        try await log.export(to: layout)
        let files = try place.files(layout)
        let again = try await log.export(to: layout)
        #expect(again.segmentsKept == 3)
        #expect(try place.files(layout) == files)
    }

    /// The one event that comes later is order-1's.
    @Test(
        arguments: [
            (Selection(), nil, true), (Selection(after: 2_500), nil, true),
            (Selection(activity: "order-1"), nil, true),
            (Selection(after: 2_400, activity: "order-1"), nil, true),
            (Selection(), 9_999, true), (Selection(activity: "order-4"), nil, false),
            (Selection(), 2_500, false), (Selection(after: 9_999), nil, false),
        ] as [(Selection, Int64?, Bool)])
    func `that is complete is refused once there is more, and stays as it is`(
        selection: Selection, until: Int64?, isMore: Bool
    ) async throws {
        let layout = place.layout()
        let summary = try await MemoryLog(count: 2_500).export(
            selection, until: until, to: layout)
        let files = try place.files(layout)
        var refusal: ArchiveError?
        do throws(ArchiveError) {
            let again = try await MemoryLog(count: 2_501).export(
                selection, until: until, to: layout)
            #expect(again.chain == summary.chain)
        } catch { refusal = error }
        #expect(refusal == (isMore ? .finished(layout.directory, through: 2_500) : nil))
        #expect(try place.files(layout) == files)
    }

    @Test(arguments: ["cut", "changed", "removed"])
    func `whose segment was damaged writes it again`(damage: String) async throws {
        let layout = place.layout()
        let log = MemoryLog(count: 4_000)
        try await log.export(to: layout)
        let files = try place.files(layout)
        let victim = URL(filePath: layout.path(of: "events-000003.ndjson"))
        var data = try Data(contentsOf: victim)
        switch damage {
        case "cut": try data.dropLast(100).write(to: victim)
        case "changed":
            data[500] ^= 1
            try data.write(to: victim)
        default: try FileManager.default.removeItem(at: victim)
        }
        #expect(try await log.export(to: layout).segmentsKept == 2)
        #expect(try place.files(layout) == files)
    }

    @Test func `writes over what a crash left half done`() async throws {
        let log = MemoryLog(count: 4_000)
        let whole = place.layout("whole")
        try await log.export(to: whole)
        let layout = place.layout("part")
        try await interrupt(log, to: layout, afterReads: 3)
        // A crash in the middle of a line, and one between a segment's and the manifest's writing.
        try Data("{\"specvers".utf8).write(
            to: URL(filePath: layout.partialPath(of: "events-000002.ndjson")))
        try Data("{}\n".utf8).write(to: URL(filePath: layout.path(of: "events-000002.ndjson")))
        try Data("{".utf8).write(to: URL(filePath: layout.partialPath(of: "manifest.json")))
        try await log.export(to: layout)
        #expect(try place.files(layout) == place.files(whole))
    }

    @Test func `does not write over something else`() async throws {
        let log = MemoryLog(count: 10)
        let layout = place.layout()
        try await log.export(to: layout)
        await #expect(throws: ArchiveError.self) {
            try await log.export(Selection(after: 3), to: layout)
        }
        let foreign = place.layout("mine.ndjson")
        try Data("precious".utf8).write(to: URL(filePath: foreign.path(of: "mine.ndjson")))
        await #expect(throws: ArchiveError.self) { try await log.export(to: foreign) }
        #expect(
            try String(contentsOfFile: foreign.path(of: "mine.ndjson"), encoding: .utf8)
                == "precious")
    }

    @Test func `of a tenant that was made again is refused where the first one's is`() async throws
    {
        let layout = place.layout()
        let first = Manifest.Origin(tenant: TenantID(rawValue: 1), createdAt: MemoryLog.time(0))
        for second in [
            Manifest.Origin(tenant: TenantID(rawValue: 2), createdAt: MemoryLog.time(0)),
            Manifest.Origin(tenant: TenantID(rawValue: 1), createdAt: MemoryLog.time(1)),
        ] {
            // Without an event there is nothing else to tell them apart by.
            let empty = place.layout("empty-\(second.tenant.rawValue)")
            try await MemoryLog(count: 0).export(to: empty, origin: first)
            #expect(await refusal(MemoryLog(count: 0), to: empty, origin: second) != nil)
        }
        let log = MemoryLog(count: 2_500)
        try await log.export(to: layout, origin: first)
        let files = try place.files(layout)
        let second = Manifest.Origin(tenant: TenantID(rawValue: 2), createdAt: MemoryLog.now)
        let error = try #require(await refusal(log.another, to: layout, origin: second))
        #expect(
            error.description
                == "\(layout.directory) has the log of another tenant, which was called acme too "
                + "and was made at \(first.createdAt.rfc3339); export to another place")
        #expect(try place.files(layout) == files)
        #expect(try await log.export(to: layout, origin: first).segmentsKept == 3)
    }

    /// Its manifest says by name alone where it is from.
    @Test(arguments: [Selection(), Selection(activity: "order-4")])
    func `that is older is taken up by the log that it is of, and by no other`(
        selection: Selection
    ) async throws {
        let layout = place.layout()
        let log = MemoryLog(count: 2_500)
        try await log.export(selection, to: layout)
        let files = try place.files(layout)
        let origin = Manifest.Origin(tenant: TenantID(rawValue: 2), createdAt: MemoryLog.now)
        for other in [log.another, MemoryLog(count: 1_000)] {
            let error = await refusal(other, selection, to: layout, origin: origin)
            #expect(error?.description.contains("has another log") == true)
        }
        #expect(try place.files(layout) == files)
        #expect(try await log.export(selection, to: layout, origin: origin).segmentsKept > 0)
    }

    /// Nil when it is not refused because of what is there.
    private func refusal(
        _ log: MemoryLog, _ selection: Selection = Selection(), to layout: Layout,
        origin: Manifest.Origin
    ) async -> ArchiveError? {
        do throws(ArchiveError) {
            try await log.export(selection, to: layout, origin: origin)
            return nil
        } catch {
            guard case .occupied = error else { return nil }
            return error
        }
    }

    @Test func `says why its directory cannot be made`() async {
        let layout = Layout("/dev/null/archive")
        let why = "the directory cannot be made: Not a directory"
        await #expect(throws: ArchiveError.file(layout.directory, why)) {
            try await MemoryLog(count: 1).export(to: layout)
        }
    }

    @Test func `is readable by its owner alone`() async throws {
        let layout = place.layout()
        try await MemoryLog(count: 10).export(to: layout)
        for name in ["manifest.json", "events-000001.ndjson"] {
            let facts = try FileManager.default.attributesOfItem(atPath: layout.path(of: name))
            #expect(facts[.posixPermissions] as? Int == 0o600)
        }
    }
}
