import Domain
import HTTP
import JSON

import struct Foundation.Data

/// The trace that a request's header fields name. Events that name none themselves are kept with
/// it, as the CloudEvents extension attributes `traceparent` and `tracestate`.
struct TraceContext {
    private let members: [JSON.Member]
    /// The attributes of an event that has none of its own.
    private let alone: Data

    /// Nil without a `traceparent` that is one.
    init?(_ headers: Headers) {
        let parents = headers.values(of: "traceparent")
        guard parents.count == 1, let parent = parents.first, TraceParent(parent) != nil,
            parent.utf8.count <= Self.parentBytesMax
        else { return nil }
        var members = [JSON.Member(name: "traceparent", value: .string(parent))]
        let state = headers.values(of: "tracestate").joined(separator: ",")
        if !state.isEmpty, state.utf8.count <= Self.stateBytesMax,
            state.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        {
            members.append(JSON.Member(name: "tracestate", value: .string(state)))
        }
        self.members = members
        alone = Data(JSON.object(members).canonicalBytes)
    }

    /// The event with the trace, unless it has one already: without `tracestate` if it has no room
    /// for both, and as it was if it has none for `traceparent`.
    func added(to event: NewEvent) -> NewEvent {
        var event = event
        guard let present = event.extensions else {
            event.extensions = alone
            return event
        }
        guard case .object(let own)? = try? JSONParser.parse(Array(present)),
            !own.contains(where: { $0.name == "traceparent" || $0.name == "tracestate" })
        else { return event }
        for added in [members, Array(members.prefix(1))]
        where own.count + added.count <= Limits.extensionsMax {
            let all = Data(JSON.object(own + added).canonicalBytes)
            if all.count <= Limits.extensionBytesMax {
                event.extensions = all
                break
            }
        }
        return event
    }

    private static let parentBytesMax = 256
    /// What others must pass on (W3C Trace Context, 3.3.1.5).
    private static let stateBytesMax = 512
}
