import EventLoop

/// What the connections of one server share to decide whose requests and bodies they take, whatever
/// version of HTTP they speak. On the loop only.
final class AdmissionControl {
    let limits: ServerLimits
    /// Nil takes everybody's body.
    let admission: Admitter?
    let streamsBody: @Sendable (Request) -> Bool
    let endsWithClient: @Sendable (Request) -> Bool
    let trustedProxies: [AddressRange]
    let observer: (any RequestObserver)?
    let accounts: BodyAccounts
    let quota: IterationQuota
    private var refusalPace = RefusalPace()

    init(
        loop: EventLoop, limits: ServerLimits, admission: Admitter? = nil,
        streamsBody: @escaping @Sendable (Request) -> Bool = { _ in false },
        endsWithClient: @escaping @Sendable (Request) -> Bool = { _ in false },
        trustedProxies: [AddressRange] = [], observer: (any RequestObserver)? = nil
    ) {
        self.limits = limits
        self.admission = admission
        self.streamsBody = streamsBody
        self.endsWithClient = endsWithClient
        self.trustedProxies = trustedProxies
        self.observer = observer
        accounts = BodyAccounts(limits)
        quota = IterationQuota(loop: loop)
    }

    /// Shows a request to the observer, as it is handed to the handler.
    /// - Returns: when it began; nil if nobody is to hear of its answer.
    func begin(_ request: Request) -> ContinuousClock.Instant? {
        observer?.began(request) == true ? ContinuousClock.now : nil
    }

    func isTrusted(_ address: ClientAddress) -> Bool {
        !trustedProxies.isEmpty && trustedProxies.contains { $0.contains(address) }
    }

    /// Opens the accounts of those for whom the body of a request or of its answer takes room.
    /// - Parameter headers: of the request.
    func openAccounts(
        askedWith headers: Headers, _ terms: Admission.Terms = Admission.Terms(),
        from connection: any ServerConnection
    ) -> [BodyAccounts.Account] {
        let client = client(askedWith: headers, on: connection)
        return [accounts.open(client, bytesMax: limits.reservedBytesPerAddressMax)]
            + terms.owners.map { accounts.open(.named($0.name), bytesMax: $0.bytesMax) }
    }

    /// The client that has asked: the peer, or the one that a trusted proxy names.
    private func client(
        askedWith headers: Headers, on connection: any ServerConnection
    ) -> BodyAccounts.Owner {
        let owner = connection.account.owner
        guard connection.isOfProxy, case .address(let peer) = owner else { return owner }
        return .address(
            ClientAddress.forwarded(headers, by: peer, trusted: trustedProxies).share)
    }

    /// Counts what waits of an answer, as the client's who has asked.
    /// - Parameters:
    ///   - count: all that waits of it.
    ///   - headers: of the request.
    /// - Returns: false when there is no room for it.
    func reserve(
        _ count: Int, _ waiting: inout BodyReservation, askedWith headers: Headers,
        on connection: any ServerConnection
    ) -> Bool {
        if !waiting.isOpen {
            if connection.isOfProxy {
                waiting.open(openAccounts(askedWith: headers, from: connection))
            } else {
                waiting.join(connection.own)
            }
        }
        return waiting.reserve(count)
    }

    /// Counts a refusal of the client.
    /// - Parameter headers: of the request; none when its head could not be read.
    func refusalDelayMillis(
        askedWith headers: Headers, on connection: any ServerConnection, nowMillis: UInt64
    ) -> Int {
        guard case .address(let address) = client(askedWith: headers, on: connection) else {
            return 0
        }
        return refusalPace.delayMillis(for: address, nowMillis: nowMillis)
    }
}
