public import Domain
import Encodings
public import EventStore
import JSON

struct KeyWish {
    var scopes: Set<Scope>
    var label: String?
    var expiresAt: Moment?
}

extension BodyFields {
    /// - Parameter own: the key that asks.
    mutating func keyWish(of own: KeyGrant, now: Moment) throws(ProblemDocument) -> KeyWish {
        let scopes = scopes(own)
        let rule =
            "must be one line of 1 to \(Limits.keyLabelBytesMax) bytes, not blank, without control "
            + "characters"
        let label = optional("label", rule) {
            Self.line($0, bytesMax: Limits.keyLabelBytesMax).flatMap { $0.isShownLine ? $0 : nil }
        }
        let end = moment("expiresAt")
        if let end, end <= now { refuse("expiresAt", "must be a time to come") }
        refuseOthers(than: ["scopes", "label", "expiresAt"])
        try check()
        return KeyWish(scopes: scopes, label: label, expiresAt: end)
    }

    private mutating func scopes(_ own: KeyGrant) -> Set<Scope> {
        var elements: [JSON] = []
        if case .array(let given)? = body["scopes"] { elements = given }
        let scopes = elements.compactMap { $0.text.flatMap(Scope.init(rawValue:)) }
        guard !scopes.isEmpty, scopes.count == elements.count else {
            let known = Scope.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            refuse("scopes", "must be a list of one or more of \(known)")
            return []
        }
        // Nobody gives what they have not.
        for scope in scopes where !own.allows(scope) {
            refuse("scopes", "must not have `\(scope.rawValue)`, which your own key lacks")
        }
        return Set(scopes)
    }
}

/// How an API key looks: `islet_` and 256 random bits in base64url. In a cell with a name they
/// stand behind that and the tenant's id, as in `islet_eu1-7.…`: a proxy can go by it.
public enum APIKey {
    /// - Parameter secret: 32 random bytes.
    public static func text(of secret: [UInt8], in cell: Cell? = nil, _ tenant: TenantID) -> String
    {
        let place = cell.map { "\($0.name)-\(tenant.rawValue)." } ?? ""
        return "islet_" + place + Base64URL.encode(secret)
    }
}
