public import Domain
import Encodings
public import EventStore
import JSON

struct KeyWish {
    var scopes: Set<Scope>
    var label: String?
    var expiresAt: Moment?
}

struct KeyBody {
    private let body: JSON
    private var faults: [ProblemDocument.Fault] = []

    init(_ body: JSON) { self.body = body }

    mutating func wish(of caller: Caller, now: Moment) throws(ProblemDocument) -> KeyWish {
        let wish = KeyWish(scopes: scopes(caller), label: label(), expiresAt: end(now))
        faults += ProblemDocument.Fault.unknown(
            in: body, besides: ["scopes", "label", "expiresAt"], .invalidKeyRequest)
        guard faults.isEmpty else {
            throw ProblemDocument(faults, umbrella: .invalidKeyRequest)
        }
        return wish
    }

    private mutating func scopes(_ caller: Caller) -> Set<Scope> {
        let known = Scope.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        guard case .array(let elements)? = body["scopes"], !elements.isEmpty else {
            refuse("scopes", "must be a list of one or more of \(known)")
            return []
        }
        let scopes = elements.compactMap { $0.text.flatMap(Scope.init(rawValue:)) }
        guard scopes.count == elements.count else {
            refuse("scopes", "must be a list of one or more of \(known)")
            return []
        }
        // Nobody gives what they have not.
        for scope in scopes where !caller.holds(scope) {
            refuse("scopes", "must not have `\(scope.rawValue)`, which your own key lacks")
        }
        return Set(scopes)
    }

    private mutating func label() -> String? {
        guard let given = body["label"] else { return nil }
        guard let text = given.text, (1...Limits.keyLabelBytesMax).contains(text.utf8.count),
            AttributeText.fault(in: text) == nil
        else {
            refuse(
                "label",
                "must be one line of 1 to \(Limits.keyLabelBytesMax) bytes without control "
                    + "characters")
            return nil
        }
        return text
    }

    private mutating func end(_ now: Moment) -> Moment? {
        guard let given = body["expiresAt"] else { return nil }
        guard let moment = given.text.flatMap(Moment.init(rfc3339:)), moment > now else {
            refuse("expiresAt", "must be a time to come, as RFC 3339 writes it")
            return nil
        }
        return moment
    }

    private mutating func refuse(_ name: String, _ detail: String) {
        faults.append(
            .init(
                problem: .invalidKeyRequest, pointer: "/\(name)",
                detail: body[name] == nil ? "`\(name)` is missing." : "`\(name)` \(detail)."))
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
