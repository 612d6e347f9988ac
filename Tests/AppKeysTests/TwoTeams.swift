import APNsClient
import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import Pipeline
import Postgres
@testable import Simulator
import TLS
import TestSupport
import Testing

@testable import AppKeys

/// Two tenants whose apps belong to different developer accounts, the keys of both, and a simulator
/// that knows them. The second account has two keys.
struct TwoTeams: Sendable {
    /// An app and its keys, the first and the one that takes over.
    struct Account: Sendable {
        var tenant: TenantID
        var bundleID: String
        var teamID: String
        var keyIDs: [String]
        var keys: [ES256PrivateKey]

        var app: TenantApp {
            TenantApp(tenant: tenant, bundleID: bundleID, environment: .sandbox)
        }
    }

    static let order = "order-7"
    static let pies = "com.example.pies"
    static let cakes = "com.example.cakes"

    let database: TestDatabase
    let simulator: RunningSimulator
    let masterKeys: MasterKeys
    let first: Account
    let second: Account
    private let diagnostics = Lock<[AppDiagnostic]>([])
    private let senderDiagnostics = Lock<[Sender.Diagnostic]>([])
    private let loop: EventLoop

    var store: EventStore { database.store }
    /// What the router had to tell, and the sender.
    var told: [AppDiagnostic] { diagnostics.withLock { $0 } }
    var senderTold: [Sender.Diagnostic] { senderDiagnostics.withLock { $0 } }

    static func with(_ body: (TwoTeams) async throws -> Void) async throws {
        let loop = EventLoop(name: "two-teams")
        let database = try await TestDatabase.make()
        let tenants = database.store.tenants
        let first = Account(
            tenant: try await tenants.ensure("pies").id, bundleID: pies, teamID: "TEAMPIES01",
            keyIDs: ["KEYPIES001", "KEYPIES002"], keys: [.generate(), .generate()])
        let second = Account(
            tenant: try await tenants.ensure("cakes").id, bundleID: cakes, teamID: "TEAMCAKES1",
            keyIDs: ["KEYCAKES01", "KEYCAKES02"], keys: [.generate(), .generate()])
        var configuration = SimulatorConfiguration(now: { .timeOfDay })
        for account in [first, second] {
            for (keyID, key) in zip(account.keyIDs, account.keys) {
                configuration.furtherKeys.append(
                    SimulatedKey(
                        teamID: account.teamID, keyID: keyID, publicKeyPEM: key.publicKey.pem,
                        bundleIDs: [account.bundleID]))
            }
        }
        let simulator = try await Simulator.start(loop: loop, configuration: configuration)
        let teams = TwoTeams(
            database: database, simulator: simulator,
            masterKeys: try MasterKeys(text: String(repeating: "5c", count: 32)), first: first,
            second: second, loop: loop)
        let result: Result<Void, any Error>
        do { result = .success(try await body(teams)) } catch { result = .failure(error) }
        await simulator.stop(within: .seconds(1))
        await database.pool.close()
        await loop.shutdown()
        try result.get()
    }

    /// As `islet serve` has it, with a clock of its own if wished.
    func withRouter(
        fallback: Account? = nil, now: @escaping @Sendable () -> Moment = { .timeOfDay },
        _ body: (AppRouter, Sender) async throws -> Void
    ) async throws {
        let pushes = APNsEndpoint(host: "127.0.0.1", port: simulator.apnsPort)
        let channels = APNsEndpoint(host: "127.0.0.1", port: simulator.managementPort)
        let endpoints = APNsSetup.Endpoints(
            pushes: pushes, broadcasts: pushes, channels: channels)
        let router = AppRouter(
            APNsSetup(
                fallback: fallback.map {
                    APNsCredentials(teamID: $0.teamID, keyID: $0.keyIDs[0], key: $0.keys[0])
                }, masterKeys: masterKeys, loop: loop,
                tls: try .client(trust: .pem(simulator.authorityPEM)), network: APNsNetwork(),
                endpoints: [.sandbox: endpoints, .production: endpoints]), store: store, now: now
        ) { [diagnostics] diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
        let sender = Sender(
            store: store, transport: router.transport, broadcasts: router.broadcasts,
            makePushID: { UUID().uuidString.lowercased() },
            report: { [senderDiagnostics] diagnostic in
                senderDiagnostics.withLock { $0.append(diagnostic) }
            })
        let result: Result<Void, any Error>
        do {
            try await router.start()
            result = .success(try await body(router, sender))
        } catch { result = .failure(error) }
        await router.close()
        try result.get()
    }

    /// Adds one of the account's keys, perhaps as if it were another account's.
    func add(
        _ account: Account, key: Int = 0, _ intent: AppKeyRules.Intent = .add,
        signedBy other: ES256PrivateKey? = nil
    ) async throws {
        let identity = AppKeyIdentity(
            tenant: account.tenant, bundleID: account.bundleID, teamID: account.teamID,
            keyID: account.keyIDs[key], scope: .both)
        let pem = (other ?? account.keys[key]).pem
        let refusal = try await store.apps.add(masterKeys.seal(pem, for: identity), intent)
        #expect(refusal == nil)
    }

    /// Phones that follow the account's order.
    func register(_ count: Int = 1, of account: Account) async throws {
        for _ in 0..<count {
            let token = simulator.simulator.addSilentToken(of: account.bundleID)
            _ = try await store.registrations.register(
                account.tenant, ActivityID(rawValue: TwoTeams.order), token, .sandbox,
                account.bundleID)
        }
    }

    /// Something happens to the account's order.
    func report(
        _ type: String, _ data: String = "{}", to order: String = TwoTeams.order,
        of account: Account
    ) async throws {
        let event = NewEvent(
            id: UUID().uuidString, source: "/shops/test", type: "PizzaDelivery.\(type)",
            activityID: ActivityID(rawValue: order), occurredAt: .timeOfDay,
            data: Data(data.utf8))
        let outcomes = try await store.log.append(account.tenant, [event])
        let isAccepted = outcomes.allSatisfy(\.isAccepted)
        try #require(isAccepted)
        let projector = Projector(store: store) { Issue.record("folding failed: \($0)") }
        await projector.drain()
    }

    func place(_ order: String = TwoTeams.order, of account: Account) async throws {
        try await report(
            "OrderPlaced",
            #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€24.00","#
                + #""promisedAt":"2099-12-31T19:00:00Z"}"#, to: order, of: account)
    }

    var tally: APNsMachine.Tally { simulator.simulator.tally() }

    func living(of account: Account) async throws -> Int {
        try await store.phoneCount(account.tenant, ActivityID(rawValue: TwoTeams.order))
    }

    /// Sends until an app is stopped.
    func drainUntilStopped(_ sender: Sender) async throws {
        try await waitUntil("it is stopped", within: 20) {
            await sender.drain()
            return try await !store.apps.alarms().isEmpty
        }
    }

    /// Sends until as many pushes were accepted.
    func drain(_ sender: Sender, until accepted: Int) async throws {
        try await waitUntil("\(accepted) pushes are accepted", within: 20) {
            await sender.drain()
            return tally.accepted >= accepted
        }
    }
}
