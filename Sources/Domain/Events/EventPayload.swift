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

    /// Takes the fields over, as decoding does. A payload that does not say how is decoded by
    /// way of `Decodable`, in twice the time.
    init(_ fields: CheckedFields) throws
}

extension EventPayload {
    /// There is one version only.
    public static var olderVersions: [OlderVersion] { [] }

    public init(_ fields: CheckedFields) throws {
        try self.init(from: FieldDecoder(fields: fields.decodable))
    }
}
