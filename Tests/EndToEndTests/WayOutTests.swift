import APNsClient
import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import Pipeline
import Simulator
import TLS
import TestSupport
import Testing

@testable import AppKeys

/// An Apple of one environment, with the files that an operator of Islet has for it.
private struct Apple {
    static let app = "com.example.pies"

    let simulator: RunningSimulator

    static func start(
        _ loop: EventLoop, host: String = "127.0.0.1", port: Int = 0, keyID: String = "KEYPIES001",
        environment: APNsEnvironment = .sandbox, seed: UInt64? = 7, key: ES256PrivateKey
    ) async throws -> Apple {
        var configuration = SimulatorConfiguration(now: { .timeOfDay })
        configuration.host = host
        configuration.furtherHosts = ["apns.test"]
        configuration.apnsPort = port
        configuration.environment = environment
        configuration.teamID = "TEAMPIES01"
        configuration.keyID = keyID
        configuration.bundleID = app
        configuration.signingKeyPEM = key.pem
        // Equal seeds, equal tokens: one Apple can take the other's place.
        configuration.seed = seed
        return Apple(
            simulator: try await Simulator.start(loop: loop, configuration: configuration))
    }

    var accepted: Int { simulator.simulator.tally().accepted }

    func addPhone(_ database: TestDatabase, _ environment: APNsEnvironment = .sandbox) async throws
    {
        _ = try await database.store.registrations.register(
            try await database.store.tenants.ensure("pies").id,
            ActivityID(rawValue: Story.order), simulator.simulator.addSilentToken(), environment,
            Self.app)
    }
}

/// What happens to the order of the one tenant.
private func report(_ type: String, _ data: String = "{}", to database: TestDatabase) async throws {
    let tenant = try await database.store.tenants.ensure("pies").id
    let event = NewEvent(
        id: UUID().uuidString, source: "/shops/test", type: "PizzaDelivery.\(type)",
        activityID: ActivityID(rawValue: Story.order), occurredAt: .timeOfDay,
        data: Data(data.utf8))
    let outcomes = try await database.store.log.append(tenant, [event])
    let isAccepted = outcomes.allSatisfy(\.isAccepted)
    try #require(isAccepted)
}

private let order =
    #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"€24.00","#
    + #""promisedAt":"2099-12-31T19:00:00Z"}"#

extension ScratchDirectory {
    fileprivate static func mayMount() async throws -> Bool {
        let probe = Lock(false)
        try await with { directory in
            let result = try await IsletProgram.start(
                program: ["unshare", "--mount", "true"], in: directory
            ).result()
            probe.withLock { $0 = result.code == 0 }
        }
        return probe.withLock { $0 }
    }

    fileprivate func write(_ name: String, _ text: String) throws -> String {
        let isWritten = FileManager.default.createFile(
            atPath: file(name), contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        try #require(isWritten)
        return file(name)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `A server's way to Apple` {
    /// Of a server with one key for all apps.
    private func options(
        _ database: TestDatabase, _ key: ES256PrivateKey, _ authorities: [Apple],
        url: String, in directory: ScratchDirectory
    ) throws -> [String] {
        [
            "--database-url", database.url, "--apns-url", url, "--apns-key-id", "KEYPIES001",
            "--apns-team-id", "TEAMPIES01", "--apns-key-file",
            try directory.write("key.p8", key.pem), "--apns-authority-file",
            try directory.write(
                "authority.pem", authorities.map(\.simulator.authorityPEM).joined()),
        ]
    }

    @Test func `may lead through a proxy, which learns names and no contents`() async throws {
        let loop = EventLoop(name: "way-out")
        let database = try await TestDatabase.make()
        let key = ES256PrivateKey.generate()
        let apple = try await Apple.start(loop, key: key)
        let proxy = ProxyStandIn(loop)
        let proxyPort = try await proxy.start()
        try await apple.addPhone(database)
        try await ScratchDirectory.with { directory in
            let options = try options(
                database, key, [apple], url: "https://127.0.0.1:\(apple.simulator.apnsPort)",
                in: directory)
            try await RunningServer.with(
                options, in: directory,
                environment: ["ISLET_APNS_PROXY": "http://user:pass@127.0.0.1:\(proxyPort)"]
            ) { server in
                try await report("OrderPlaced", order, to: database)
                try await waitUntil("the push arrives", within: 20) { apple.accepted == 1 }
                let seen = proxy.seen.withLock { $0 }
                #expect(seen.tunnels >= 1)
                for head in seen.heads {
                    #expect(head.hasPrefix("CONNECT 127.0.0.1:\(apple.simulator.apnsPort) "))
                    #expect(head.contains("proxy-authorization: Basic dXNlcjpwYXNz"))
                }
                #expect(!server.program.errors.contains("pass"))
            }
        }
        await apple.simulator.stop(within: .seconds(1))
    }

    /// In a namespace where a file of ours is the hosts file, if this user may have one.
    @Test(
        .enabled("this user may mount nothing") {
            try await ScratchDirectory.mayMount()
        })
    func `is looked up again at each connect, so that it follows a changed address`() async throws {
        let loop = EventLoop(name: "way-out")
        let database = try await TestDatabase.make()
        let key = ES256PrivateKey.generate()
        let first = try await Apple.start(loop, key: key)
        let port = first.simulator.apnsPort
        let second = try await Apple.start(loop, host: "127.0.0.2", port: port, key: key)
        for apple in [first, second] { try await apple.addPhone(database) }
        try await ScratchDirectory.with { directory in
            let hosts = try directory.write("hosts", "127.0.0.1 localhost apns.test\n")
            let options = try options(
                database, key, [first, second], url: "https://apns.test:\(port)", in: directory)
            try await RunningServer.with(
                options, in: directory, hostsFile: hosts
            ) { _ in
                try await report("OrderPlaced", order, to: database)
                try await waitUntil("the first address is used", within: 20) {
                    first.accepted == 1
                }
                // In place: another file would not be seen through the mount.
                let file = try FileHandle(forWritingTo: URL(filePath: hosts))
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: Data("127.0.0.1 localhost\n127.0.0.2 apns.test\n".utf8))
                try file.close()
                await first.simulator.stop(within: .seconds(1))
                try await report("DriverAssigned", #"{"driverName":"Ada"}"#, to: database)
                try await waitUntil("the second address is used", within: 30) {
                    second.accepted >= 1
                }
            }
        }
        await second.simulator.stop(within: .seconds(1))
    }

    @Test func `is each environment's own, with the key that is for it`() async throws {
        let loop = EventLoop(name: "way-out")
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("pies").id
        let keys: [APNsEnvironment: ES256PrivateKey] = [
            .sandbox: .generate(), .production: .generate(),
        ]
        var apples: [APNsEnvironment: Apple] = [:]
        let masterKeys = try MasterKeys(text: String(repeating: "5c", count: 32))
        for (environment, key) in keys {
            let keyID = environment == .sandbox ? "KEYSANDBX1" : "KEYPRODUC1"
            let apple = try await Apple.start(
                loop, keyID: keyID, environment: environment, seed: nil, key: key)
            apples[environment] = apple
            for _ in 0..<3 { try await apple.addPhone(database, environment) }
            let identity = AppKeyIdentity(
                tenant: tenant, bundleID: Apple.app, teamID: "TEAMPIES01", keyID: keyID,
                scope: environment == .sandbox ? .sandbox : .production)
            let refusal = try await database.store.apps.add(
                masterKeys.seal(key.pem, for: identity), .add)
            #expect(refusal == nil)
        }
        try await report("OrderPlaced", order, to: database)
        let projector = Projector(store: database.store) { Issue.record("\($0)") }
        await projector.drain()
        let router = AppRouter(
            APNsSetup(
                fallback: nil, masterKeys: masterKeys, loop: loop,
                tls: try .client(
                    trust: .pem(apples.values.map(\.simulator.authorityPEM).joined())),
                network: APNsNetwork(),
                endpoints: apples.mapValues { apple in
                    let pushes = APNsEndpoint(host: "127.0.0.1", port: apple.simulator.apnsPort)
                    return APNsSetup.Endpoints(pushes: pushes, broadcasts: pushes)
                }), store: database.store, now: { .timeOfDay }
        ) { Issue.record("\($0)") }
        try await router.start()
        let sender = Sender(
            store: database.store, transport: router.transport,
            makePushID: { UUID().uuidString.lowercased() }, report: { Issue.record("\($0)") })
        await sender.drain()
        await router.close()
        for apple in apples.values {
            #expect(apple.accepted == 3)
            #expect(apple.simulator.simulator.tally().refused == [:])
            await apple.simulator.stop(within: .seconds(1))
        }
    }
}
