import EventStore
import HTTP
import JSON

extension Response {
    /// What is read may be kept, but it is asked for each time whether it is still valid. How far
    /// it is behind the log stands in the head of a 304 too.
    /// - Parameters:
    ///   - tag: of all that the body says but how far it is behind.
    ///   - freshness: nil when the answer comes from the log itself.
    static func reading(
        _ call: Call, _ body: @autoclosure () -> [UInt8], _ tag: EntityTag,
        _ freshness: Freshness? = nil
    ) -> Response {
        var headers: Headers = [
            "etag": tag.text, "cache-control": "private, no-cache",
        ]
        if let freshness {
            headers.append("islet-position", String(freshness.position))
            headers.append("islet-head", String(freshness.head))
        }
        guard !tag.isNamed(by: call.request) else { return Response(status: 304, headers: headers) }
        headers.append("content-type", "application/json")
        return Response(status: 200, headers: headers, body: .bytes(body()))
    }

    /// An answer that does not depend on how far the log is folded.
    static func reading(_ call: Call, _ document: JSON) -> Response {
        let body = document.bytes
        return .reading(call, body, EntityTag(of: body, in: call.epoch))
    }

    /// - Parameters:
    ///   - document: all but the last members, which say how fresh they are.
    ///   - tagged: what the tag stands for, where that is not all of it.
    static func reading(
        _ call: Call, _ document: JSON, _ freshness: Freshness, tagged: JSON? = nil
    ) -> Response {
        var whole = document
        whole["position"] = .integer(freshness.position)
        whole["head"] = .integer(freshness.head)
        // A position alone does not say where to go on in a log that was restored.
        if call.epoch != firstLogEpoch { whole["epoch"] = .integer(call.epoch) }
        let tag = EntityTag(of: (tagged ?? document).bytes, in: call.epoch)
        return .reading(call, whole.bytes, tag, freshness)
    }
}
