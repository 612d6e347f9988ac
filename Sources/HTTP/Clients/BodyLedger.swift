/// Whose the bodies are that have come and are not answered yet, and how much each holds. On the
/// loop only.
///
/// What is announced counts nothing: only what has come does.
final class BodyLedger {
    enum Holder: Hashable {
        case address(ClientAddress)
        case named(String)
    }

    /// What one holder has at present.
    final class Account {
        let holder: Holder
        fileprivate(set) var bytes = 0
        fileprivate let bytesMax: Int
        /// Connections of the address.
        var connections = 0
        /// For as long as there is one, the account stays.
        fileprivate var users = 0

        fileprivate init(_ holder: Holder, bytesMax: Int) {
            self.holder = holder
            self.bytesMax = bytesMax
        }
    }

    /// Of all together.
    private(set) var bytes = 0
    private let bytesMax: Int
    /// The largest body there can be. One of that size is always let in, from any client.
    private let bodyBytesMax: Int
    private var accounts: [Holder: Account] = [:]

    init(_ limits: ServerLimits) {
        bodyBytesMax = limits.bodyBytesMax
        bytesMax = max(limits.heldBodyBytesMax, limits.bodyBytesMax)
    }

    /// Accounts in use, each for a connection or a request that there is.
    var count: Int { accounts.count }

    /// - Parameter bytesMax: in force when the holder has no account yet.
    func open(_ holder: Holder, bytesMax: Int) -> Account {
        if let account = accounts[holder] {
            account.users += 1
            return account
        }
        let account = Account(holder, bytesMax: max(bytesMax, bodyBytesMax))
        account.users = 1
        accounts[holder] = account
        return account
    }

    /// As `open`, for an account that is in use.
    func join(_ account: Account) { account.users += 1 }

    func close(_ account: Account) {
        account.users -= 1
        if account.users == 0 { accounts[account.holder] = nil }
    }

    /// - Returns: false when one of them, or all together, would hold too much; then nothing is.
    func hold(_ count: Int, _ holders: [Account]) -> Bool {
        guard bytes + count <= bytesMax,
            holders.allSatisfy({ $0.bytes + count <= $0.bytesMax })
        else { return false }
        bytes += count
        for holder in holders { holder.bytes += count }
        return true
    }

    /// Whether one byte more could be held.
    func hasRoom(_ holders: [Account]) -> Bool {
        bytes < bytesMax && holders.allSatisfy { $0.bytes < $0.bytesMax }
    }

    func drop(_ count: Int, _ holders: [Account]) {
        bytes -= count
        for holder in holders { holder.bytes -= count }
    }
}
