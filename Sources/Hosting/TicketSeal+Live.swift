import API
import TLS

extension TicketSeal {
    static let live = TicketSeal(
        code: { HMACSHA256.code(for: $0, key: $1) },
        isValid: { HMACSHA256.isValid($0, for: $1, key: $2) },
        makeSecret: { SecureRandom.bytes(32) })
}
