import Domain

/// Something that needs a hand.
public struct Finding: Hashable, Sendable, Encodable {
    /// What was found.
    public var what: String
    /// What it means for those who use Islet.
    public var meaning: String
    /// What mends it, with the command.
    public var remedy: String

    public init(what: String, meaning: String, remedy: String) {
        self.what = what
        self.meaning = meaning
        self.remedy = remedy
    }

    /// One for each tenant, those in most need first; of very many only the first are named.
    static func ofEach<Tenant>(_ tenants: [Tenant], _ finding: (Tenant) -> Finding) -> [Finding] {
        let named = tenants.prefix(Limits.findingsListedMax).map(finding)
        let others = tenants.count - named.count
        guard others > 0 else { return named }
        return named + [
            Finding(
                what: "the same is true of \(others.counted("more tenant"))",
                meaning: "The tenants with the most are named above.",
                remedy: "deal with those first, and run islet doctor again")
        ]
    }
}

extension Finding {
    /// The first of many names.
    static func listed(_ names: [String]) -> String {
        let named = names.prefix(Limits.findingsListedMax).joined(separator: ", ")
        let others = names.count - Limits.findingsListedMax
        return others > 0 ? "\(named) and \(others) more" : named
    }

    /// Each statement has a transaction of its own, so that no table is locked while another one is
    /// waited for.
    static func psql(_ statements: [String]) -> String {
        "psql " + statements.map { "-c \($0.inShell)" }.joined(separator: " ")
    }
}

extension String {
    /// One word of a command, whatever is in it.
    var inShell: String { "'\(replacing("'", with: #"'\''"#))'" }
}
