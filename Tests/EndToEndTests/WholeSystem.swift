import API
import APNs
import APNsClient
import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import HTTP
import Pipeline
import Postgres
import Projections
import Simulator
import TLS
import TestSupport
import Testing

/// All that `islet serve` is made of, in this process: a real Postgres behind it, a real HTTP
/// server in front of it, and an APNs simulator with its phones over HTTP/2 and TLS.
struct WholeSystem: Sendable {
    /// What can be wrong with it.
    struct Flaws: Sendable {
        /// Trust somebody else's authority.
        var distrustsAPNs = false
        /// Sign with a key that Apple does not know.
        var hasWrongKey = false
        /// Done to every push on its way out.
        var tampering: @Sendable (APNsRequest) -> APNsRequest = { $0 }
    }

    let database: TestDatabase
    let tenant: TenantID
    let merchant: Merchant
    let port: Int
    let simulator: RunningSimulator
    private let sender: Sender
    private let loop: EventLoop
    private let noticed: Lock<[Sender.Diagnostic]>
    private let tasks = Lock<[Task<Void, Never>]>([])

    var store: EventStore { database.store }
    /// What the sender had to tell.
    var diagnostics: [Sender.Diagnostic] { noticed.withLock { $0 } }

    /// Starts everything but the projector and the sender, and stops everything afterwards.
    static func with(
        _ flaws: Flaws = Flaws(), _ body: (WholeSystem) async throws -> Void
    ) async throws {
        let loop = EventLoop(name: "whole-system")
        let database = try await TestDatabase.make()
        let simulator = try await Simulator.start(
            loop: loop, configuration: SimulatorConfiguration(now: { .timeOfDay }))
        let http = HTTP1Server(
            loop: loop, host: "127.0.0.1", port: 0, rejection: API.rejection,
            handler: API.service(
                store: database.store,
                environment: APIEnvironment(now: { .timeOfDay }, version: "test")
            ).handler)
        let client = try apnsClient(simulator, simulator.apnsPort, flaws, loop)
        let broadcasts = try apnsClient(simulator, simulator.apnsPort, flaws, loop)
        let channels = try apnsClient(simulator, simulator.managementPort, flaws, loop)
        let system = try await WholeSystem(
            database: database, port: try await http.start(), simulator: simulator,
            client: client,
            broadcasts: { _, request in
                await (request.service == .broadcast ? broadcasts : channels).send(request)
            }, flaws: flaws, loop: loop)
        let result: Result<Void, any Error>
        do { result = .success(try await body(system)) } catch { result = .failure(error) }
        await system.stopWorking()
        for client in [client, broadcasts, channels] { await client.close() }
        await http.drain(within: .seconds(1))
        await simulator.stop(within: .seconds(1))
        await database.pool.close()
        await loop.shutdown()
        try result.get()
    }

    /// Starts everything, with nothing wrong.
    static func working(_ body: (WholeSystem) async throws -> Void) async throws {
        try await with { system in
            system.startProjector()
            system.startSender()
            try await body(system)
        }
    }

    private init(
        database: TestDatabase, port: Int, simulator: RunningSimulator, client: APNsClient,
        broadcasts: @escaping BroadcastTransport, flaws: Flaws, loop: EventLoop
    ) async throws {
        let tenants = database.store.tenants
        let key = "islet_end_to_end"
        let tenant = try await tenants.ensure("tests").id
        try await tenants.addKey(tenant, SHA256.hash(Array(key.utf8)), Set(Scope.allCases))
        let noticed = Lock<[Sender.Diagnostic]>([])
        self.database = database
        self.tenant = tenant
        self.port = port
        self.simulator = simulator
        self.loop = loop
        self.noticed = noticed
        merchant = Merchant(port: port, key: key)
        sender = Sender(
            store: database.store,
            transport: PushTransport { _, request in await client.send(flaws.tampering(request)) },
            broadcasts: broadcasts,
            now: { .timeOfDay }, makePushID: { UUID().uuidString.lowercased() },
            report: { diagnostic in noticed.withLock { $0.append(diagnostic) } })
    }

    /// Last position of the log.
    func head() async throws -> Int64 { try await store.log.head(tenant) }

    func startProjector() {
        let projector = Projector(store: store) { Issue.record("folding failed: \($0)") }
        tasks.withLock { $0.append(Task { await projector.run() }) }
    }

    func startSender() {
        tasks.withLock { $0.append(Task { [sender] in await sender.run() }) }
    }

    private func stopWorking() async {
        let working = tasks.withLock { $0 }
        for task in working { task.cancel() }
        for task in working { await task.value }
    }

    private static func apnsClient(
        _ simulator: RunningSimulator, _ port: Int, _ flaws: Flaws, _ loop: EventLoop
    ) throws -> APNsClient {
        let authority =
            try flaws.distrustsAPNs
            ? SelfSignedAuthority.make(hosts: ["127.0.0.1"]).authorityPEM : simulator.authorityPEM
        let key =
            try flaws.hasWrongKey
            ? ES256PrivateKey.generate() : ES256PrivateKey(pem: simulator.signingKeyPEM)
        return APNsClient(
            loop: loop, endpoint: APNsEndpoint(host: "127.0.0.1", port: port),
            tls: try .client(trust: .pem(authority)),
            credentials: APNsCredentials(
                teamID: simulator.teamID, keyID: simulator.keyID, key: key),
            timing: APNsTiming(pushDeadline: .seconds(5)), now: { Moment.timeOfDay.unixSeconds })
    }
}

/// The phones of the system.
extension WholeSystem {
    /// Starts an activity on a new phone and registers it, as an app does.
    @discardableResult
    func follow(
        _ activity: String, kind: String = "PizzaDelivery", attributes: String? = nil,
        by name: String = "Ann", environment: APNsEnvironment? = nil
    ) async throws -> PhoneID {
        let (phone, given) = try simulator.simulator.addPhone(
            named: name, with: PhoneTraits(environment: environment),
            starting: ActivityStart(
                kind: kind, activity: ActivityID(rawValue: activity),
                attributes: attributes.map { Data($0.utf8) }))
        let token = try #require(given)
        try await merchant.register(token.hex, for: activity, bundleID: simulator.bundleID)
        return phone
    }

    /// A further activity on a known phone.
    func follow(_ activity: String, kind: String = "PizzaDelivery", on phone: PhoneID) async throws
    {
        let given = try simulator.simulator.start(
            ActivityStart(kind: kind, activity: ActivityID(rawValue: activity)), on: phone)
        let token = try #require(given)
        try await merchant.register(token.hex, for: activity, bundleID: simulator.bundleID)
    }

    func card(_ activity: String = Story.order, on phone: PhoneID) -> PhoneView.Activity? {
        simulator.simulator.phone(phone)?.activities.first { $0.activity.rawValue == activity }
    }

    /// The Lock Screen's texts, without clocks; empty when the card is gone.
    func screen(_ activity: String = Story.order, on phone: PhoneID) -> [String] {
        card(activity, on: phone)?.shows?.lockScreen.map(\.text) ?? []
    }

    /// What the phone did with each push, oldest first.
    func pushes(to phone: PhoneID) -> [PhoneLogEntry] {
        simulator.simulator.log(of: phone).filter { $0.timestamp != nil }
    }

    func ledger(_ activity: String = Story.order) async throws -> [LedgerRow] {
        try await store.projections.decisions(tenant, ActivityID(rawValue: activity), 0, 500)
    }

    /// Waits until the sender has tried everything that is to be sent.
    func waitUntilSettled(_ activity: String = Story.order, versions: Int) async throws {
        try await waitUntil("the ledger of \(activity) is settled") {
            let rows = try await ledger(activity)
            return rows.count == versions
                && rows.allSatisfy { !$0.decision.verdict.pushes || $0.outcome != nil }
        }
    }
}
