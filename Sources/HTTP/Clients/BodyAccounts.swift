/// Counts the bodies in memory, and whose they are: of requests what has come and is not answered
/// yet, of answers what waits for the client to take it. On the loop only.
///
/// What is announced counts nothing: only what has come does. Requests and answers are counted
/// apart, each up to the same bounds, so that one that reads nothing keeps nobody from sending. So
/// are the heads of requests, up to a share of that: a client of HTTP/2 sends many for a few bytes.
final class BodyAccounts {
    enum Kind: Int { case head, request, answer }

    enum Owner: Hashable {
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

    /// What one owner has at present.
    final class Account {
        let owner: Owner
        fileprivate(set) var bytes = Tally()
        fileprivate let bytesMax: Int
        /// Connections of the address.
        var connections = 0
        var turns = IterationQuota.Turns()
        /// For as long as there is one, the account stays.
        fileprivate var users = 0

        fileprivate init(_ owner: Owner, bytesMax: Int) {
            self.owner = owner
            self.bytesMax = bytesMax
        }
    }

    /// The bytes of all together.
    private(set) var bytes = Tally()
    private let bytesMax: Int
    /// The largest body there can be. One of that size is always let in, from any client.
    private let bodyBytesMax: Int
    private var accounts: [Owner: Account] = [:]

    init(_ limits: ServerLimits) {
        bodyBytesMax = limits.bodyBytesMax
        bytesMax = max(limits.reservedBytesMax, limits.bodyBytesMax)
    }

    /// Accounts in use, each for a connection, a request or an answer that there is.
    var count: Int { accounts.count }

    /// - Parameter bytesMax: in force when the owner has no account yet.
    func open(_ owner: Owner, bytesMax: Int) -> Account {
        if let account = accounts[owner] {
            account.users += 1
            return account
        }
        let account = Account(owner, bytesMax: max(bytesMax, bodyBytesMax))
        account.users = 1
        accounts[owner] = account
        return account
    }

    /// As `open`, for an account that is in use.
    func join(_ account: Account) { account.users += 1 }

    func close(_ account: Account) {
        account.users -= 1
        if account.users == 0 { accounts[account.owner] = nil }
    }

    /// - Returns: false when one of them, or all together, would have too much; then nothing is
    ///   reserved. The only answer of a client is never too much for it, however long it is.
    fileprivate func reserve(_ count: Int, _ kind: Kind, _ owners: [Account]) -> Bool {
        guard bytes[kind] + count <= Self.share(bytesMax, kind),
            owners.allSatisfy({
                $0.bytes[kind] == 0 || $0.bytes[kind] + count <= Self.share($0.bytesMax, kind)
            })
        else { return false }
        bytes[kind] += count
        for owner in owners { owner.bytes[kind] += count }
        return true
    }

    fileprivate func hasRoom(_ kind: Kind, _ owners: [Account]) -> Bool {
        bytes[kind] < Self.share(bytesMax, kind)
            && owners.allSatisfy { $0.bytes[kind] < Self.share($0.bytesMax, kind) }
    }

    /// The part of a bound that is for bodies of this kind.
    private static func share(_ bytesMax: Int, _ kind: Kind) -> Int {
        kind == .head ? bytesMax / Limits.headsShare : bytesMax
    }

    fileprivate func drop(_ count: Int, _ kind: Kind, _ owners: [Account]) {
        bytes[kind] -= count
        for owner in owners { owner.bytes[kind] -= count }
    }
}

/// What is reserved for one request or one answer, and whose it is. On the loop only.
struct BodyReservation {
    private let kind: BodyAccounts.Kind
    private let accounts: BodyAccounts
    private(set) var bytes = 0
    private var owners: [BodyAccounts.Account] = []

    init(_ kind: BodyAccounts.Kind, in accounts: BodyAccounts) {
        self.kind = kind
        self.accounts = accounts
    }

    /// It is somebody's.
    var isOpen: Bool { !owners.isEmpty }

    /// Whether one byte more could be reserved.
    var hasRoom: Bool { accounts.hasRoom(kind, owners) }

    /// Gives it to other owners; what was reserved before is given back.
    /// - Parameter owners: opened for it.
    mutating func open(_ owners: [BodyAccounts.Account]) {
        end()
        self.owners = owners
    }

    /// As `open`, for accounts that are in use.
    mutating func join(_ owners: [BodyAccounts.Account]) {
        for owner in owners { accounts.join(owner) }
        open(owners)
    }

    /// - Parameter count: all that there is, not what has been added.
    /// - Returns: false when there is no room for it; then it is as it was.
    mutating func reserve(_ count: Int) -> Bool {
        if count < bytes {
            accounts.drop(bytes - count, kind, owners)
        } else if !accounts.reserve(count - bytes, kind, owners) {
            return false
        }
        bytes = count
        return true
    }

    /// Nothing is reserved for now. It stays theirs.
    mutating func drop() {
        accounts.drop(bytes, kind, owners)
        bytes = 0
    }

    /// Nothing is reserved any more, and it is nobody's.
    mutating func end() {
        guard bytes > 0 || isOpen else { return }
        drop()
        for owner in owners { accounts.close(owner) }
        owners = []
    }
}
