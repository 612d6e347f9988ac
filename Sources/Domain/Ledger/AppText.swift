/// A text of an alert as the app is to find it among its own.
public enum AppText: Hashable, Sendable {
    /// Nobody's to translate.
    case plain(String)
    /// - Parameter arguments: fill the text's places, `%1$@` first.
    case key(String, arguments: [String])
}

/// In the form in which a push carries it.
/// Source: Generating a remote notification.
extension AppText: Codable {
    private enum Member: String, CodingKey {
        case key = "loc-key"
        case arguments = "loc-args"
    }

    public init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .plain(text)
        } else {
            let members = try decoder.container(keyedBy: Member.self)
            self = .key(
                try members.decode(String.self, forKey: .key),
                arguments: try members.decodeIfPresent([String].self, forKey: .arguments) ?? [])
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .plain(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .key(let key, let arguments):
            var members = encoder.container(keyedBy: Member.self)
            try members.encode(key, forKey: .key)
            if !arguments.isEmpty { try members.encode(arguments, forKey: .arguments) }
        }
    }
}
