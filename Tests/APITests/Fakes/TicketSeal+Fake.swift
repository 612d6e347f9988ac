@testable import API

extension TicketSeal {
    /// Good enough to tell keys and messages apart.
    static let fake = TicketSeal(
        code: { fakeCode($0, $1) }, isValid: { $0 == fakeCode($1, $2) },
        makeSecret: { [UInt8](repeating: 7, count: 32) })

    /// The same, with a new secret each time.
    static let fakeWithChance = TicketSeal(
        code: { fakeCode($0, $1) }, isValid: { $0 == fakeCode($1, $2) },
        makeSecret: { (0..<32).map { _ in UInt8.random(in: 0...255) } })

    private static func fakeCode(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
        var code = key
        for (index, byte) in message.enumerated() {
            code[index % 32] = code[index % 32] &* 31 &+ byte
        }
        return code
    }
}
