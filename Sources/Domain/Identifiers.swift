/// A merchant or a feed. Logs, keys and registrations belong to exactly one.
public struct TenantID: RawRepresentable, Hashable, Comparable, Codable, Sendable {
    /// As the database numbers it.
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    public static func < (left: TenantID, right: TenantID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The stream an event belongs to: one order, one match. Chosen by the merchant, unique per tenant.
public struct ActivityID: ByteIdentity, Codable, CustomStringConvertible {
    /// 1 to 200 bytes of UTF-8 without control characters.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public var description: String { rawValue }
}
