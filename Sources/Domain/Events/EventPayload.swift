/// The `data` of one type of event.
///
/// Payloads come into being by decoding alone, so that one which exists has passed its checks.
public protocol EventPayload: Codable, Hashable, Sendable {
    /// Stored type, written out: it is a format, not a name to be refactored.
    static var type: String { get }
    /// Every field that the payload has, in the order of the reference.
    static var fields: [EventField] { get }
    /// Released schema versions before the one that the payload has; version 1 first.
    static var olderVersions: [OlderVersion] { get }
}

extension EventPayload {
    public static var olderVersions: [OlderVersion] { [] }
}
