import Domain
import Testing

@testable import Archive

/// Exports of one log that are read as one.
struct `A series of exports` {
    private let place = Place()
    private let log = MemoryLog(count: 60)

    /// Exports with these positions, each in a place of its own.
    private func exports(_ parts: [ClosedRange<Int64>]) async throws -> [Layout] {
        var layouts: [Layout] = []
        for part in parts {
            let layout = place.layout("events-\(part.lowerBound)-\(part.upperBound)")
            try await log.export(
                Selection(after: part.lowerBound - 1), until: part.upperBound,
                to: layout)
            layouts.append(layout)
        }
        return layouts
    }

    private func refusal(_ layouts: [Layout]) async -> String {
        do throws(ArchiveError) {
            let series = try await ArchiveSeries.open(layouts) { _ in }
            await series.close()
            return ""
        } catch { return error.description }
    }

    @Test func `is read across the places where one ends, in whatever order they are given`()
        async throws
    {
        let layouts = try await exports([11...30, 1...10, 31...60, 21...40])
        let series = try await ArchiveSeries.open(layouts) { _ in }
        #expect((series.after, series.lastPosition) == (0, 60))
        #expect(series.tenant == "acme")
        for stretch in [1...60, 5...12, 11...30, 38...45, 9...9] as [ClosedRange<Int64>] {
            let events = try await series.events(stretch)
            #expect(events.map(\.position) == Array(stretch))
            #expect(
                events.map(\.event.id)
                    == log.events.filter { stretch.contains($0.position) }.map(\.event.id))
        }
        await series.close()
    }

    @Test func `is refused with what is missing in the middle of it`() async throws {
        let said = await refusal(try await exports([1...10, 21...60]))
        #expect(said.contains("positions 11 to 20 are missing between"), "\(said)")
        #expect(said.hasSuffix("events-21-60; give the export that has them too"), "\(said)")
    }

    @Test func `is of one log, and of all its activities`() async throws {
        let first = try await exports([1...10])
        let rest = place.layout("rest")
        let origin = { Manifest.Origin(tenant: TenantID(rawValue: $0), createdAt: MemoryLog.now) }
        try await log.export(
            Selection(after: 10), until: 60, to: rest, origin: origin(1))
        let other = place.layout("other")
        try await log.export(to: other, origin: origin(2))
        #expect(await refusal([rest, other]).contains("are of two logs"))
        // Nor does one go with both that does not say which log it is of.
        #expect(await refusal(first + [rest]) == "")
        #expect(await refusal(first + [rest, other]).contains("are of two logs"))
        let redacted = place.layout("redacted")
        try await log.export(
            Selection(after: 10, isRedacted: true), until: 60, to: redacted)
        #expect(await refusal(first + [redacted]).contains("is redacted"))
        let one = place.layout("one.ndjson")
        try await log.export(Selection(activity: "order-1"), to: one)
        #expect(await refusal(first + [one]).contains("a single activity's events only"))
        #expect(await refusal([one]) == "")
        #expect(await refusal(first + [place.layout("nowhere")]).contains("there is no export"))
    }
}
