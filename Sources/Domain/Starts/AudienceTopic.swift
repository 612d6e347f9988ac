/// What people follow, as a merchant names it: `team:ARG`, `customer:42`. Not APNs' topic.
public struct AudienceTopic: ByteIdentity, CustomStringConvertible {
    /// `name:value`, neither of them empty, without control characters; UTF-8.
    public let rawValue: String

    /// Long enough for a name and two UUIDs.
    public static let bytesMax = 200
    /// In one list: of a phone or of an activity's audience.
    public static let countMax = 100

    /// - Returns: nil unless it is well formed. The name has letters, digits, `-`, `_` and `.`; the
    ///   value begins after the first colon and may have more of them.
    public init?(rawValue: String) {
        guard rawValue.utf8.count <= Self.bytesMax, let colon = rawValue.utf8.firstIndex(of: 58)
        else { return nil }
        let name = rawValue.utf8[..<colon]
        let value = rawValue[rawValue.utf8.index(after: colon)...]
        guard !name.isEmpty, name.allSatisfy(Self.isOfName), !value.isEmpty,
            value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.rawValue = rawValue
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    public var description: String { rawValue }
}
