import Domain
import Postgres

/// The payloads are written by `append_events()` and `announce_key_change()` too.
extension StoreNews {
    static let channel = "islet_news"

    /// Nil for what a newer program may say.
    init?(payload: String) {
        let words = payload.split(separator: " ")
        guard words.count == 2, let number = Int32(words[1]) else { return nil }
        let tenant = TenantID(rawValue: number)
        switch words[0] {
        case "appended": self = .appended(tenant)
        case "folded": self = .folded(tenant)
        case "phones": self = .phonesWaiting(tenant)
        case "keys": self = .keysChanged(tenant)
        default: return nil
        }
    }

    var payload: String? {
        switch self {
        case .appended(let tenant): "appended \(tenant.rawValue)"
        case .folded(let tenant): "folded \(tenant.rawValue)"
        case .phonesWaiting(let tenant): "phones \(tenant.rawValue)"
        case .keysChanged(let tenant): "keys \(tenant.rawValue)"
        case .lost, .resumed: nil
        }
    }
}

extension Statement {
    /// Tells every node, once the transaction is committed.
    /// - Precondition: `lost` and `resumed` are only ever found out locally.
    static func notify(_ news: StoreNews) -> Statement {
        guard let payload = news.payload else { preconditionFailure("\(news) is not announced") }
        return Statement(
            "SELECT pg_notify($1, $2)", [.text(StoreNews.channel), .text(payload)])
    }
}
