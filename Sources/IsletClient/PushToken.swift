import Encodings
public import Foundation

extension Secret {
    /// A push token as ActivityKit gives it.
    public init(pushToken: Data) { self.init(Hexadecimal.encode(pushToken)) }
}
