import Domain
import Encodings
import JSON
import TLS

/// The trace that an event belongs to and is recorded for.
///
/// Every node finds the same: the event has its `traceparent` with it, and the rest follows from
/// the event. So a node that folds or sends needs no word from the one that received it.
struct EventTrace: Hashable, Sendable {
    let traceID: String
    /// Of the sender of the event; nil for a trace that begins with it.
    let parentID: String?
    let state: String?

    /// Nil for an event that is not traced.
    /// - Parameter ratio: of events without a `traceparent`, the share that is traced.
    init?(_ event: NewEvent, of tenant: TenantID, ratio: Double) {
        if let data = event.extensions, let own = try? JSONParser.parse(Array(data)),
            let parent = own["traceparent"]?.text.flatMap({ TraceParent($0) })
        {
            guard parent.isSampled else { return nil }
            traceID = parent.traceID
            parentID = parent.spanID
            state = own["tracestate"]?.text
            return
        }
        guard ratio > 0 else { return nil }
        let digest = SHA256.hash(
            Array("\(tenant.rawValue)\u{0}\(event.source)\u{0}\(event.id)".utf8))
        let place = digest[16..<22].reduce(0.0) { $0 * 256 + Double($1) } / 281_474_976_710_656
        guard place < ratio else { return nil }
        traceID = Hexadecimal.encode(digest[..<16])
        parentID = nil
        state = nil
    }

    /// Of what is done once for an event.
    func spanID(_ name: Span.Name, _ tenant: TenantID, _ position: Int64) -> String {
        let text = "\(traceID)/\(name.rawValue)/\(tenant.rawValue)/\(position)"
        return Hexadecimal.encode(SHA256.hash(Array(text.utf8)).prefix(8))
    }
}
