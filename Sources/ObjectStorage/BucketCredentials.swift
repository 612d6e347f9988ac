/// Who asks an object store. The secret and the token are in no text and in no mirror.
public struct BucketCredentials: Hashable, Sendable {
    public let keyID: String
    let secret: String
    let sessionToken: String?

    /// - Parameter sessionToken: none also where it is empty.
    /// - Returns: nil when one is missing or cannot be a part of a request's head.
    public init?(keyID: String?, secret: String?, sessionToken: String? = nil) {
        guard let keyID, let secret else { return nil }
        let sessionToken = sessionToken == "" ? nil : sessionToken
        for text in [keyID, secret, sessionToken].compactMap(\.self) {
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                return nil
            }
        }
        self.keyID = keyID
        self.secret = secret
        self.sessionToken = sessionToken
    }

    /// From the variables that AWS's own tools read; nil where they do not say it.
    public init?(environment: [String: String]) {
        self.init(
            keyID: environment["AWS_ACCESS_KEY_ID"],
            secret: environment["AWS_SECRET_ACCESS_KEY"],
            sessionToken: environment["AWS_SESSION_TOKEN"])
    }

    /// From a file as AWS's own tools keep it: lines such as `aws_access_key_id = …`, without a
    /// heading or below `[default]`. Nil where it does not say it.
    public init?(file: [UInt8]) {
        guard file.count <= Limits.credentialsBytesMax else { return nil }
        var values: [String: String] = [:]
        var isMeant = true
        for line in String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let line = Self.trimmed(line)
            if line.hasPrefix("[") {
                isMeant = line == "[default]"
            } else if isMeant, !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                values[Self.trimmed(line[..<equals]).lowercased()] =
                    Self.trimmed(line[line.index(after: equals)...])
            }
        }
        self.init(
            keyID: values["aws_access_key_id"], secret: values["aws_secret_access_key"],
            sessionToken: values["aws_session_token"])
    }

    private static func trimmed(_ text: Substring) -> String {
        let end = text.lastIndex { !$0.isWhitespace }
        return end.map { String(text[...$0].drop(while: \.isWhitespace)) } ?? ""
    }
}

extension BucketCredentials: CustomStringConvertible, CustomReflectable {
    public var description: String { "credentials of \(keyID)" }

    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
