/// Counts the bodies in memory, and whose they are: of requests what has come and is not answered
/// yet, of answers what waits for the client to take it. On the loop only.
///
/// What is announced counts nothing: only what has come does. Requests and answers are counted
/// apart, each up to the same bounds, so that one that reads nothing keeps nobody from sending. So
/// are the heads of requests, up to a share of that: a client of HTTP/2 sends many for a few bytes.
final class BodyAccounts {
    enum Kind: Int { case head, request, answer }

    enum Holder: Hashable {
        case address(ClientAddress)
        case named(String)
    }

    /// Bytes of each kind.
    struct Tally {
        private var counts = InlineArray<3, Int>(repeating: 0)

        fileprivate(set) subscript(kind: Kind) -> Int {
            get { counts[kind.rawValue] }
            set { counts[kind.rawValue] = newValue }
        }
    }

    /// What one holder has at present.
    final class Account {
        let holder: Holder
        fileprivate(set) var bytes = Tally()
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

    /// The bytes of all together.
    private(set) var bytes = Tally()
    private let bytesMax: Int
    /// The largest body there can be. One of that size is always let in, from any client.
    private let bodyBytesMax: Int
    private var accounts: [Holder: Account] = [:]

    init(_ limits: ServerLimits) {
        bodyBytesMax = limits.bodyBytesMax
        bytesMax = max(limits.heldBodyBytesMax, limits.bodyBytesMax)
    }

    /// Accounts in use, each for a connection, a request or an answer that there is.
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
    ///   The only answer of a client is never too much for it, however long it is.
    fileprivate func hold(_ count: Int, _ kind: Kind, _ holders: [Account]) -> Bool {
        guard bytes[kind] + count <= Self.share(bytesMax, kind),
            holders.allSatisfy({
                $0.bytes[kind] == 0 || $0.bytes[kind] + count <= Self.share($0.bytesMax, kind)
            })
        else { return false }
        bytes[kind] += count
        for holder in holders { holder.bytes[kind] += count }
        return true
    }

    fileprivate func hasRoom(_ kind: Kind, _ holders: [Account]) -> Bool {
        bytes[kind] < Self.share(bytesMax, kind)
            && holders.allSatisfy { $0.bytes[kind] < Self.share($0.bytesMax, kind) }
    }

    /// The part of a bound that is for bodies of this kind.
    private static func share(_ bytesMax: Int, _ kind: Kind) -> Int {
        kind == .head ? bytesMax / Limits.headsShare : bytesMax
    }

    fileprivate func drop(_ count: Int, _ kind: Kind, _ holders: [Account]) {
        bytes[kind] -= count
        for holder in holders { holder.bytes[kind] -= count }
    }
}

/// What one request or one answer holds, and for whom. On the loop only.
struct Holding {
    private let kind: BodyAccounts.Kind
    private let accounts: BodyAccounts
    private(set) var bytes = 0
    private var holders: [BodyAccounts.Account] = []

    init(_ kind: BodyAccounts.Kind, in accounts: BodyAccounts) {
        self.kind = kind
        self.accounts = accounts
    }

    /// It is somebody's.
    var isOpen: Bool { !holders.isEmpty }

    /// Whether one byte more could be held.
    var hasRoom: Bool { accounts.hasRoom(kind, holders) }

    /// Gives it to other holders; what was held before is given back.
    /// - Parameter holders: opened for it.
    mutating func open(_ holders: [BodyAccounts.Account]) {
        end()
        self.holders = holders
    }

    /// As `open`, for accounts that are in use.
    mutating func join(_ holders: [BodyAccounts.Account]) {
        for holder in holders { accounts.join(holder) }
        open(holders)
    }

    /// - Parameter count: all that there is, not what has been added.
    /// - Returns: false when there is no room for it; then it is as it was.
    mutating func hold(_ count: Int) -> Bool {
        if count < bytes {
            accounts.drop(bytes - count, kind, holders)
        } else if !accounts.hold(count - bytes, kind, holders) {
            return false
        }
        bytes = count
        return true
    }

    /// Nothing is held for now. It stays theirs.
    mutating func drop() {
        accounts.drop(bytes, kind, holders)
        bytes = 0
    }

    /// Nothing is held any more, by nobody.
    mutating func end() {
        guard bytes > 0 || isOpen else { return }
        drop()
        for holder in holders { accounts.close(holder) }
        holders = []
    }
}
