import Domain
public import Foundation
import JSON

/// What a tenant says about a kind, as it is sent and stored; all of it may be left out.
public struct PolicyDocument: Codable, Hashable, Sendable {
    /// Quiet hours as a tenant writes them.
    public struct Hours: Codable, Hashable, Sendable {
        /// `22:00`, local time.
        public var from: String
        /// `07:00`.
        public var to: String
        /// IANA name.
        public var timeZone: String
        /// Rules that alert within the hours, too.
        public var except: [String]?

        public init(from: String, to: String, timeZone: String, except: [String]? = nil) {
            self.from = from
            self.to = to
            self.timeZone = timeZone
            self.except = except
        }
    }

    /// One text, or its plural forms and the argument that decides between them.
    public enum Text: Hashable, Sendable {
        case plain(String)
        case plural(by: String, forms: [String: String])
    }

    /// Figures by name.
    public var thresholds: [String: Double]?
    /// Significances by rule.
    public var rules: [String: String]?
    /// Hours in which nobody is alerted.
    public var quietHours: Hours?
    /// By language and key.
    public var texts: [String: [String: Text]]?
    /// `localized` or `keys`.
    public var words: String?
    /// The app's own, by the key of the text.
    public var keys: [String: String]?

    public init(
        thresholds: [String: Double]? = nil, rules: [String: String]? = nil,
        quietHours: Hours? = nil, texts: [String: [String: Text]]? = nil,
        words: String? = nil, keys: [String: String]? = nil
    ) {
        self.thresholds = thresholds
        self.rules = rules
        self.quietHours = quietHours
        self.texts = texts
        self.words = words
        self.keys = keys
    }

    /// With its languages in their usual spelling, as a new one is stored. One in which a language
    /// comes twice, which makes no policy, stays as it is.
    public var usuallySpelled: PolicyDocument {
        guard let texts else { return self }
        let usual = Dictionary(texts.map { (LanguageTag.usual($0.key), $0.value) }) { $1 }
        guard usual.count == texts.count else { return self }
        var document = self
        document.texts = usual
        return document
    }

    /// As it is stored: equal documents give equal bytes.
    public var encoded: Data { WireCoder.encode(self) }
}

extension PolicyDocument.Text {
    /// One text, or each of its plural forms.
    var forms: [String] {
        switch self {
        case .plain(let text): [text]
        case .plural(_, let forms): Array(forms.values)
        }
    }
}

extension PolicyDocument.Text: Codable {
    private static let byMember = "by"

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .plain(text)
        } else {
            var forms = try container.decode([String: String].self)
            let by = forms.removeValue(forKey: Self.byMember) ?? ""
            self = .plural(by: by, forms: forms)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .plain(let text): try container.encode(text)
        case .plural(let by, let forms):
            try container.encode(forms.merging([Self.byMember: by]) { $1 })
        }
    }
}

/// A member of a document that cannot stand, by its JSON pointer.
public struct PolicyInputError: Error, Hashable, Sendable {
    /// A JSON pointer into the document.
    public var pointer: String
    /// A sentence without its end: what is wrong and what would be right.
    public var detail: String
}

extension PolicyInputError {
    /// - Parameter path: names of members, from the document's own on.
    init(path: [String], detail: String) {
        self.init(pointer: path.map { "/" + JSONPointer.escaped($0) }.joined(), detail: detail)
    }
}
