import Domain
import Foundation
import Projections

@testable import Archive

enum ArchiveTargets {
    /// A manifest, then lines of a segment. Either half may be anything.
    @Sendable static func archive(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        manifest(Data(parts[0]))
        guard parts.count == 2 else { return }
        var selection = Selection()
        if parts[1].first == UInt8(ascii: "a") { selection.activity = "a" }
        var order = LineOrder(selection)
        order.begin(
            Manifest.Segment(
                file: "events-000001.ndjson", events: 3, firstPosition: 1, lastPosition: 3,
                bytes: 100, sha256: "", chain: ""))
        for given in parts[1].split(separator: UInt8(ascii: "\n")) {
            guard let taken = try? order.take(Array(given)) else { continue }
            redact(Array(taken.event.data), of: taken.event.type)
            // What was written is read as it was.
            var line: [UInt8] = []
            EventLine.append(taken, to: &line)
            let again = try? EventLine.event(Array(line.dropLast()), of: "", number: 1)
            require(again == taken, "written again it is another event")
        }
        try? order.end()
        redact(Array(parts[1]), of: "PizzaDelivery.OrderPlaced")
    }

    private static func manifest(_ data: Data) {
        guard var manifest = try? JSONDecoder().decode(Manifest.self, from: data) else { return }
        try? manifest.check()
        guard (try? manifest.checkFigures()) != nil else { return }
        _ = manifest.segments.reduce(0) { $0 + Int64($1.bytes) }
        if !manifest.segments.isEmpty { manifest.cut(at: manifest.segments.count - 1) }
    }

    private static let redaction = Redaction(key: [UInt8](repeating: 7, count: 32))

    private static func redact(_ data: [UInt8], of type: String) {
        var tally = RedactionTally()
        _ = redaction.redacted(data: data, of: type, 1, &tally)
    }
}
