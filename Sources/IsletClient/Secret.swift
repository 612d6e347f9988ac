import Encodings
public import Foundation

/// A key, a ticket or a push token: something that belongs in no log.
///
/// However it is printed, dumped or interpolated, it says that it is a secret and not which.
public struct Secret: Hashable, Codable, Sendable {
    package let value: String

    public init(_ value: String) { self.value = value }

    public init(from decoder: any Decoder) throws {
        value = try String(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
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
