import CPostgres

/// What can be said of a connection string without repeating any of it: its password may be
/// anywhere in one that is written wrongly, and libpq quotes what it does not understand.
public struct ConnectionString {
    /// What is wrong with it and what would be right; nil when libpq takes it as it was meant.
    public let complaint: String?
    public let hasPassword: Bool
    /// What it says, by libpq's keywords.
    let options: [String: String]

    public init(_ text: String) {
        let options = Self.options(text)
        complaint = Self.complaint(about: text, options)
        self.options = options ?? [:]
        hasPassword = self.options["password"]?.isEmpty == false
    }

    private static func complaint(about text: String, _ options: [String: String]?) -> String? {
        // A name alone is a database's on this machine.
        if !text.contains("="), !isURL(text) {
            return text.isEmpty || text.contains { "/:@ ".contains($0) } ? unreadable : nil
        }
        guard let options else { return unreadable }
        if isURL(text), hasStrayAt(text) {
            return "has an @ or a / in its password or after the host: \(encoding)"
        }
        let isNumber = options["port"]?.allSatisfy { $0.isASCII && $0.isNumber || $0 == "," }
        return isNumber == false ? "has a port that is no number: \(encoding)" : nil
    }

    private static let encoding =
        "in a URL a / is written %2F, an @ %40 and a : %3A in names and passwords"
    private static let unreadable =
        "is no connection string: it must look like postgresql://user@host/database, and "
        + encoding

    private static func isURL(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// libpq ends a password at the first `@` or `/`, so that the rest of it would be a host, a
    /// port or a database, which its messages name.
    private static func hasStrayAt(_ url: String) -> Bool {
        let rest = url.drop { $0 != ":" }.dropFirst(3)
        let authority = rest.prefix { $0 != "/" }
        return authority.count { $0 == "@" } > 1 || rest.dropFirst(authority.count).contains("@")
    }

    /// Nil when libpq cannot read it.
    static func options(_ text: String) -> [String: String]? {
        var message: UnsafeMutablePointer<CChar>?
        guard let list = PQconninfoParse(text, &message) else {
            // Quotes what it stumbled over.
            if let message { PQfreemem(message) }
            return nil
        }
        return values(of: list)
    }

    /// Those of a list of libpq's that are set; frees the list.
    static func values(of list: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        defer { PQconninfoFree(list) }
        var options: [String: String] = [:]
        var entry = list
        while let keyword = entry.pointee.keyword {
            if let value = entry.pointee.val {
                options[String(cString: keyword)] = String(cString: value)
            }
            entry += 1
        }
        return options
    }
}
