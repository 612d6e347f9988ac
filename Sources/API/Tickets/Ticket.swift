import Domain
import Encodings
import EventStore
import JSON
import TLS

/// What lets a phone act for itself, for a while, on one activity. Its signature is all the proof
/// it needs: nothing is stored for it.
struct Ticket: Hashable, Sendable {
    static let prefix = "islet_t1."
    /// The prefix in a cell with a name; that name and the tenant's id follow.
    static let prefixInCell = "islet_t1-"

    var tenant: TenantID
    var activity: ActivityID
    /// Unix seconds.
    var expiresAt: Int64
    /// The one of the tenant's secrets that signed it.
    var secretID: Int
    /// Whether its owner may read the activity, besides registering for it.
    var reads: Bool
    /// The API key that made it; nil for tickets from before they said so.
    var keyID: Int64?
    /// Tells it from others that were made at the same time; nil for such old tickets.
    var nonce: String?

    var scopes: Set<Scope> {
        reads ? [.registrationsWrite, .activitiesRead] : [.registrationsWrite]
    }

    func sealed(with secret: TicketSecret, in cell: Cell? = nil) -> String {
        let payload: JSON = [
            "t": .integer(tenant.rawValue), "a": .string(activity.rawValue),
            "e": .integer(expiresAt), "k": .integer(secretID), "g": reads ? "rw" : "w",
            "m": .optionalInteger(keyID), "n": .optional(nonce),
        ]
        let prefix = cell.map { "\(Ticket.prefixInCell)\($0.name)-\(tenant.rawValue)." }
        let signed = (prefix ?? Ticket.prefix) + Base64URL.encode(payload.bytes)
        let code = HMACSHA256.code(for: Array(signed.utf8), key: secret.bytes)
        return signed + "." + Base64URL.encode(code)
    }
}

/// A ticket as it came, whose signature is still to be checked.
struct PresentedTicket {
    var ticket: Ticket
    private let signed: [UInt8]
    private let code: [UInt8]

    static func isTicket(_ text: [UInt8]) -> Bool {
        // Every request has a key or a ticket, and one byte tells nearly all of them apart.
        let place = Ticket.prefix.utf8.count - 1
        guard place < text.count,
            text[place] == UInt8(ascii: ".") || text[place] == UInt8(ascii: "-")
        else { return false }
        return text.starts(with: Ticket.prefix.utf8) || text.starts(with: Ticket.prefixInCell.utf8)
    }

    /// Nil for what no server has made.
    init?(_ text: [UInt8]) {
        guard Self.isTicket(text) else { return nil }
        let parts = String(decoding: text, as: UTF8.self).split(
            separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let code = Base64URL.decode(parts[2]), let json = try? JSONParser.parse(payload),
            let tenant = json["t"]?.whole(Int32.self), let activity = json["a"]?.text,
            let end = json["e"]?.whole(Int64.self), let secretID = json["k"]?.whole(Int.self),
            let grants = json["g"]?.text, ["rw", "w"].contains(grants)
        else { return nil }
        ticket = Ticket(
            tenant: TenantID(rawValue: tenant), activity: ActivityID(rawValue: activity),
            expiresAt: end, secretID: secretID, reads: grants == "rw",
            keyID: json["m"]?.whole(Int64.self), nonce: json["n"]?.text)
        signed = Array("\(parts[0]).\(parts[1])".utf8)
        self.code = code
    }

    /// Made of its signature, so that no two tickets share it. Another one in each process.
    var id: Int { code.hashValue }

    func isSigned(with secret: TicketSecret) -> Bool {
        HMACSHA256.isValid(code, for: signed, key: secret.bytes)
    }
}

extension JSON {
    fileprivate func whole<I: FixedWidthInteger>(_ type: I.Type) -> I? {
        if case .number(let literal) = self { I(literal) } else { nil }
    }
}
