import Encodings
public import Foundation

/// A key, a ticket or a push token: something that belongs in no log.
///
/// However it is printed, dumped or interpolated, it says that it is a secret and not which.
public struct Secret: Hashable, Codable, Sendable {
    package let value: String

    public init(_ value: String) { self.value = value }

    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(secret)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret {
    /// A push token as ActivityKit gives it.
    public init(pushToken: Data) { self.init(Hexadecimal.encode(pushToken)) }
}
