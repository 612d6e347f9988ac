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

/// An ActivityKit token as the app got it from the phone. It never shows itself in logs or errors.
public struct PushToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Lower-case hexadecimal digits. Live Activity tokens seen so far have 160; Apple says not to
    /// rely on any size, so only the alphabet and a generous bound are checked.
    public let hex: String

    /// The answer to an app that sends another one.
    public static let requirement = "must have 16 to 512 hexadecimal digits, in pairs"

    /// - Returns: nil unless `hex` has 16 to 512 hexadecimal digits, an even number of them.
    public init?(hex: String) {
        let digits = hex.lowercased()
        guard (16...512).contains(digits.utf8.count), digits.utf8.count.isMultiple(of: 2),
            digits.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        self.hex = digits
    }

    /// As a store gives it back, which took it from one that was checked: pages of phones are read
    /// while many wait.
    public init(stored hex: String) { self.hex = hex }

    public var description: String { "<push token>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Apple's two separate worlds; a token belongs to exactly one.
public enum APNsEnvironment: String, Codable, Sendable, CaseIterable {
    case sandbox, production

    /// The answer to an app that names another one.
    public static var requirement: String {
        "must be " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    }
}
