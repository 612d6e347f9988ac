public import Foundation
public import JSON

/// Which values in events may say something of a person: those of fields that their type calls
/// personal, and those of members that no schema names, since nobody knows what they are.
public struct PersonalData: Sendable {
    /// What an erased value begins with. Equal texts of one activity have the same rest, so that
    /// what is folded from them differs in these texts and in nothing else.
    public static let erasedPrefix = "erased-"
    /// Bytes that a text in place of an erased one has at most.
    public static let erasedBytesMax = 16
    /// Bytes, in two hexadecimal digits each, that tell apart sealed values that nobody can open.
    public static let sealedMarkBytes = 4

    private let types: [ByteKey: EventType]

    public init(_ types: [EventType]) {
        self.types = Dictionary(types.map { (ByteKey($0.name), $0) }, uniquingKeysWith: { $1 })
    }

    /// Whether a value is what an erasure has left: the prefix and a number, or the digits that an
    /// import leaves of what cannot be opened. A name may begin with the prefix too, and is one.
    /// `is_erased_from()` of the database goes by the same.
    public static func isErased(_ value: JSON) -> Bool {
        guard case .string(let text) = value, text.utf8.starts(with: erasedPrefix.utf8) else {
            return false
        }
        let mark = text.utf8.dropFirst(erasedPrefix.utf8.count)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        if mark.allSatisfy({ digits.contains($0) }) {
            return (1...erasedBytesMax - erasedPrefix.utf8.count).contains(mark.count)
        }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
        return mark.count == 2 * sealedMarkBytes
            && mark.allSatisfy { digits.contains($0) || letters.contains($0) }
    }

    /// An event's data with other values in place of the personal ones.
    /// - Parameter replace: gives what stands there instead; not asked about `null`.
    /// - Returns: nil when nothing is replaced by anything else.
    public func replacing(
        in data: Data, of type: String, schemaVersion: Int, _ replace: (JSON) -> JSON
    ) -> Data? {
        let fields = types[ByteKey(type)]?.fields(of: schemaVersion) ?? []
        guard
            case .object(var members)? = try? JSONParser.parse(
                Array(data), depthMax: Limits.dataDepthMax, isStrict: false)
        else { return nil }
        var isChanged = false
        for place in members.indices {
            let member = members[place]
            let field = fields.first { $0.name.hasBytes(of: member.name) }
            guard field?.isPersonal ?? true, member.value != .null else { continue }
            let value = replace(member.value)
            guard value != member.value else { continue }
            members[place].value = value
            isChanged = true
        }
        return isChanged ? Data(JSON.object(members).bytes) : nil
    }
}
