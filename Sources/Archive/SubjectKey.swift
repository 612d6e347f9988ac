import Encodings
import Domain
import JSON
import TLS

/// Seals one activity's personal values with its key. Equal values are sealed alike, so that a
/// segment that was lost is written again byte by byte the same.
struct SubjectKey {
    private static let prefix = "islet-sealed:"

    private let key: [UInt8]
    private let activity: ActivityID

    /// - Parameter key: 32 bytes.
    init?(_ key: [UInt8]?, of activity: ActivityID) {
        guard let key, key.count == AES256GCM.keyBytes else { return nil }
        self.key = key
        self.activity = activity
    }

    /// What an erasure has left stays as it is.
    func sealed(_ value: JSON) -> JSON {
        if PersonalData.isErased(value) { return value }
        let text = value.bytes
        // Of the value and nothing else: the same nonce never hides two different ones.
        let derived = HMACSHA256.code(for: Array("nonce".utf8), key: key)
        let nonce = HMACSHA256.code(for: text, key: derived).prefix(AES256GCM.nonceBytes)
        let sealed = AES256GCM.seal(
            text, key: key, binding: Array(activity.rawValue.utf8), nonce: Array(nonce))
        return .string(Self.prefix + Base64URL.encode(sealed))
    }

    /// - Returns: nil for what is not sealed; else what stands there now, and whether that is what
    ///   was sealed.
    /// - Parameters:
    ///   - key: nil where there is none any more, or none at hand.
    ///   - mark: what stands in place of what cannot be opened begins with it.
    static func opened(
        _ value: JSON, by key: SubjectKey?, orElse mark: String
    ) -> (value: JSON, isOpened: Bool)? {
        guard case .string(let text) = value, text.utf8.starts(with: prefix.utf8),
            let sealed = Base64URL.decode(text.dropFirst(prefix.count)),
            sealed.count > AES256GCM.nonceBytes
        else { return nil }
        if let key,
            let bytes = AES256GCM.open(
                sealed, key: key.key, binding: Array(key.activity.rawValue.utf8)),
            let value = try? JSONParser.parse(
                bytes, depthMax: Limits.nestingMax, isStrict: false)
        {
            return (value, true)
        }
        // Tells values apart and says nothing about them.
        let digits = Hexadecimal.encode(sealed.prefix(PersonalData.sealedMarkBytes))
        return (.string(mark + digits), false)
    }
}
