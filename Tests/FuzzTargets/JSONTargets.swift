import Domain
import Foundation
import JSON
import Projections

@testable import API

enum JSONTargets {
    /// What was read is written, and read again as the same bytes.
    @Sendable static func json(_ bytes: [UInt8]) {
        guard let value = try? JSONParser.parse(bytes) else { return }
        let written = value.canonicalBytes
        guard let again = try? JSONParser.parse(written) else {
            fatalError("what was written cannot be read")
        }
        require(again.canonicalBytes == written, "read again it is another value")
        require(
            (try? JSONSerialization.jsonObject(
                with: Data(written), options: .fragmentsAllowed)) != nil,
            "Foundation cannot read it")
    }

    /// A plain reader that says yes says what the full one says, and what it took can be folded.
    @Sendable static func cloudEvents(_ bytes: [UInt8]) {
        let most = 64 << 10
        let json = try? JSONParser.parse(bytes)
        if let entry = PlainEventReader.entry(of: bytes, dataBytesMax: most),
            let event = entry.event
        {
            guard let json else { fatalError("the plain reader took what is no JSON") }
            compare(event, EventEntry(json, index: nil, dataBytesMax: most, receivedAt: start))
        }
        if let entries = PlainEventReader.entries(of: bytes, dataBytesMax: most) {
            guard case .array(let values)? = json, values.count == entries.count else {
                fatalError("the plain reader took what is no batch")
            }
            for (index, (entry, value)) in zip(entries, values).enumerated() {
                guard let event = entry.event else { continue }
                compare(
                    event,
                    EventEntry(value, index: index, dataBytesMax: most, receivedAt: start))
            }
        }
        guard let json else { return }
        let values = if case .array(let values) = json { values } else { [json] }
        let entries = values.prefix(20).map {
            EventEntry($0, index: nil, dataBytesMax: most, receivedAt: start)
        }
        fold(entries.compactMap(\.event))
    }

    private static let start = Moment(unixSeconds: 0)

    private static func compare(_ event: NewEvent, _ full: EventEntry) {
        guard let other = full.event else { fatalError("the full reader refuses it") }
        require(event == other, "the readers disagree: \(event) and \(other)")
    }

    private static func fold(_ events: [NewEvent]) {
        var snapshot: Snapshot?
        for (index, event) in events.enumerated() where event.activityID == events[0].activityID {
            let recorded = RecordedEvent(
                tenant: TenantID(rawValue: 1), position: Int64(index + 1),
                version: (snapshot?.version ?? 0) + 1,
                recordedAt: Moment(unixSeconds: 1_777_658_400).adding(seconds: Double(index * 60)),
                event: event)
            let folded = try? recorded.withBorrowedEvent { (event) throws(FoldError) in
                let fold = try AssessingFold(FoldStart(snapshot, before: event))
                _ = try fold.fold(event)
                return fold.snapshot()
            }
            if let folded { snapshot = folded }
        }
    }

    /// The first byte chooses the kind.
    @Sendable static func policies(_ bytes: [UInt8]) {
        guard let first = bytes.first, let body = try? JSONParser.parse(Array(bytes[1...])) else {
            return
        }
        let wish = PolicyWish(body)
        let kind = ActivityCatalog.standard.kinds[Int(first) % ActivityCatalog.standard.kinds.count]
        guard let policy = try? ActivityCatalog.standard.newPolicy(ofKind: kind.name, wish) else {
            return
        }
        _ = policy.quietHours?.end(at: Moment(unixSeconds: 1_777_658_400))
        let again = try? JSONDecoder().decode(PolicyDocument.self, from: wish.document.encoded)
        require(again == wish.document, "stored it is another policy")
    }
}
