import BucketStandIn
import Domain
import Foundation
import ObjectStorage
import Testing

@testable import Archive

@Suite(.timeLimit(.minutes(2)))
struct `An export in a bucket` {
    private static func layout(
        _ endpoint: String, _ name: String = "shops/export", segmentEvents: Int = 40
    ) throws -> Layout {
        let bucket = try Bucket(
            BucketStandIn.bucket, endpoint: endpoint, region: "eu-central-1",
            credentials: #require(
                BucketCredentials(keyID: BucketStandIn.keyID, secret: "verysecret")))
        var layout = Layout(
            "s3://\(BucketStandIn.bucket)/\(name)", in: bucket)
        layout.segmentEventsMax = segmentEvents
        return layout
    }

    private func with(_ body: (BucketStandIn, Layout) async throws -> Void) async throws {
        try await BucketStandIn.with { standIn, endpoint in
            try await body(standIn, Self.layout(endpoint))
        }
    }

    private static let forbidden = BucketStandIn.Fault.answer(status: 403, code: "AccessDenied")
    private let log = MemoryLog(count: 1_200)

    @Test func `has the same bytes as in a directory, and is imported as it is from there`()
        async throws
    {
        let place = Place()
        let here = place.layout(segmentEvents: 500)
        let local = try await log.export(to: here)
        try await BucketStandIn.with { standIn, endpoint in
            let layout = try Self.layout(endpoint, segmentEvents: 500)
            let summary = try await log.export(to: layout)
            #expect(summary == local)
            #expect(summary.segments == 3)
            let files = try place.files(here)
            #expect(
                standIn.objects.mapValues { Data($0) }
                    == Dictionary(
                        uniqueKeysWithValues: files.map { ("shops/export/\($0)", $1) }))
            let receiver = Receiver()
            let imported = try await receiver.take(layout, chain: local.chain)
            #expect(imported.recorded == 1_200 && imported.keepsPositions == false)
            let other = Receiver()
            try await other.take(here)
            #expect(await receiver.events == other.events)
        }
    }

    @Test func `is read from any position on`() async throws {
        try await with { _, layout in
            try await log.export(to: layout)
            let reader = try await ArchiveReader.open(layout) { _ in }
            for positions in [100...1_100, 3...4, 1_200...1_200] as [ClosedRange<Int64>] {
                let events = try await reader.events(positions)
                #expect(events.map(\.position) == Array(positions))
            }
            await reader.close()
        }
    }

    @Test func `may be one object`() async throws {
        try await BucketStandIn.with { standIn, endpoint in
            let layout = try Self.layout(endpoint, "order-1.ndjson")
            try await log.export(Selection(activity: "order-1"), to: layout)
            #expect(
                Set(standIn.objects.keys) == ["order-1.ndjson", "order-1.ndjson.manifest.json"])
            let receiver = Receiver()
            #expect(try await receiver.take(layout).recorded > 100)
        }
    }

    @Test func `is completed by another run, which keeps what is there`() async throws {
        let place = Place()
        let whole = try await log.export(to: place.layout(segmentEvents: 500))
        try await BucketStandIn.with { standIn, endpoint in
            let layout = try Self.layout(endpoint, segmentEvents: 500)
            standIn.next("PUT", "events-000002.ndjson", Self.forbidden)
            await #expect(throws: ArchiveError.self) { try await log.export(to: layout) }
            #expect(standIn.objects.keys.contains("shops/export/events-000001.ndjson"))
            let receiver = Receiver()
            #expect(await receiver.refusal(layout) == .incomplete)
            let again = try await log.export(to: layout)
            #expect(again.segmentsKept == 1)
            #expect(again.chain == whole.chain)
            #expect(try await receiver.take(layout, chain: whole.chain).recorded == 1_200)
        }
    }

    @Test func `loses no segment because the bucket was away when it was taken up`() async throws {
        try await with { standIn, layout in
            try await log.export(to: layout)
            let objects = standIn.objects
            standIn.next("GET", "events-000001.ndjson", Self.forbidden)
            await #expect(throws: ArchiveError.self) { try await log.export(to: layout) }
            #expect(standIn.objects == objects)
        }
    }

    @Test func `is not taken for one of another log`() async throws {
        try await with { standIn, layout in
            try await log.export(to: layout)
            let objects = standIn.objects
            do throws(ArchiveError) {
                try await log.another.export(to: layout)
                Issue.record("it was taken for one")
            } catch {
                #expect(error.description.contains("s3://archive/shops/export has another log"))
            }
            #expect(standIn.objects == objects)
        }
    }

    @Test(arguments: ["events-000001.ndjson", "manifest.json"])
    func `counts only when the bucket gives back what was sent`(name: String) async throws {
        try await with { standIn, layout in
            standIn.next("PUT", name, .garbles)
            do throws(ArchiveError) {
                try await log.export(to: layout)
                Issue.record("it was taken for right")
            } catch {
                #expect(error.description.contains("does not give back what was sent"))
                #expect(error.description.contains("s3://archive/shops/export/\(name)"))
            }
            if name != "manifest.json" {
                let again = try await log.export(to: layout)
                #expect(again.events == 1_200)
            }
        }
    }

    @Test func `is refused where one bit of an object differs, and nothing is recorded`()
        async throws
    {
        try await with { standIn, layout in
            try await log.export(to: layout)
            standIn.objects["shops/export/events-000002.ndjson"]?[100] ^= 1
            let receiver = Receiver()
            guard case .damaged(let file, _)? = await receiver.refusal(layout) else {
                Issue.record("it was imported")
                return
            }
            #expect(file == "events-000002.ndjson")
            standIn.objects["shops/export/events-000002.ndjson"] = nil
            guard case .damaged? = await receiver.refusal(layout) else {
                Issue.record("it was imported")
                return
            }
            #expect(await receiver.events.isEmpty)
        }
    }

    @Test func `that is changed between check and reading is noticed`() async throws {
        try await with { standIn, layout in
            try await log.export(to: layout)
            let lines = try await ArchiveLines.open(layout) { _ in }
            standIn.next("GET", "events-000001.ndjson", .garbles)
            var reading = lines
            await #expect(throws: ArchiveError.self) {
                while try await !reading.next().isEmpty {}
            }
            await lines.close()
        }
    }

    @Test func `says what the bucket refused, where, and nothing secret`() async throws {
        try await with { standIn, layout in
            standIn.next("GET", "", .answer(status: 403, code: "SignatureDoesNotMatch"))
            do throws(ArchiveError) {
                try await log.export(to: layout)
                Issue.record("it was taken")
            } catch {
                #expect(error.description.contains("s3://archive/shops/export/manifest.json"))
                #expect(error.description.contains("SignatureDoesNotMatch"))
                #expect(!"\(error) \(layout)".contains("verysecret"))
            }
        }
    }

    @Test func `gets what is added to a file that grows as objects, each once`() async throws {
        try await with { standIn, layout in
            let lines = [["a\n", "b\n"], ["c\n"], ["c\n"]].map { Array($0.joined().utf8) }
            try await ArchiveFiles.with(layout) { (files) async throws(ArchiveError) in
                try await files.prepare()
                for line in lines { try await files.append(line, toEndOf: "ledger.ndjson") }
            }
            #expect(standIn.objects.count == 2)
            #expect(
                standIn.objects.keys.allSatisfy {
                    $0.hasPrefix("shops/export/ledger.ndjson/") && $0.hasSuffix(".ndjson")
                })
            #expect(Set(standIn.objects.values) == Set(lines))
        }
    }
}
