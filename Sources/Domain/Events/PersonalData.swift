public import Foundation
public import JSON

/// Which values in events may say something of a person: those of fields that their type calls
/// personal, and those of members that no schema names, since nobody knows what they are.
public struct PersonalData: Sendable {
    /// What an erased value begins with. Equal texts of one activity have the same rest, so that
    /// what is folded from them differs in these texts and in nothing else.
    public static let erasedPrefix = "erased-"
    /// Bytes that a text in the place of an erased one has at most.
    public static let erasedBytesMax = 16

    private let types: [ByteKey: EventType]

    public init(_ types: [EventType]) {
        self.types = Dictionary(types.map { (ByteKey($0.name), $0) }, uniquingKeysWith: { $1 })
    }

    /// Whether a value is what an erasure has left.
    public static func isErased(_ value: JSON) -> Bool {
        guard case .string(let text) = value else { return false }
        return text.utf8.starts(with: erasedPrefix.utf8)
    }

    /// An event's data with other values in the place of the personal ones.
    /// - Parameter replace: gives what stands there instead; not asked about `null`.
    /// - Returns: nil when nothing is replaced by anything else.
    public func replacing(
        in data: Data, of type: String, schemaVersion: Int, _ replace: (JSON) -> JSON
    ) -> Data? {
        let fields = types[ByteKey(type)]?.fields(of: schemaVersion) ?? []
        guard
            case .object(var members)? = try? JSONParser.parse(
                Array(data), depthMax: Self.depthMax, isStrict: false)
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

    /// Postgres takes no deeper data than this from the API.
    private static let depthMax = 512
}
