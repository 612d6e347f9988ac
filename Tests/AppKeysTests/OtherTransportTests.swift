import APNs
import APNsClient
import Domain
import EventLoop
import EventStore
import TLS
import Testing

@testable import AppKeys

private let key = ES256PrivateKey.generate()
private let bundleID = "com.example.pies"

/// Production stands for the environment of a transport that there is not yet: one to which no key
/// of APNs leads, or one without channels.
struct `An environment of another transport than APNs` {
    private let nowhere = APNsEndpoint(host: "127.0.0.1", port: 1)
    private let fallback = APNsCredentials(teamID: "TEAMPIES01", keyID: "KEYPIES001", key: key)
    private let identity = AppKeyIdentity(
        tenant: TenantID(rawValue: 1), bundleID: bundleID, teamID: "TEAMPIES01",
        keyID: "KEYPIES001", scope: .both)

    private func makeSetup(
        _ endpoints: [APNsEnvironment: APNsSetup.Endpoints]
    ) throws -> APNsSetup {
        APNsSetup(
            fallback: fallback, masterKeys: nil, loop: EventLoop(name: "other"),
            tls: try .client(trust: .system), network: APNsNetwork(), endpoints: endpoints)
    }

    @Test func `gets no clients by a key of APNs`() throws {
        let setup = try makeSetup([.sandbox: .init(pushes: nowhere, broadcasts: nowhere)])
        #expect(setup.clients(.sandbox, identity, opened: key.pem) != nil)
        #expect(setup.clients(.sandbox, identity, opened: "{}") == nil)
        #expect(setup.clients(.production, identity, opened: key.pem) == nil)
        #expect(Set(setup.fallbackClients(fallback).keys) == [.sandbox])
    }

    @Test func `leaves the others their channels, and waits for one of its own`() async throws {
        let setup = try makeSetup([
            .sandbox: .init(pushes: nowhere, broadcasts: nowhere, channels: nowhere),
            .production: .init(pushes: nowhere, broadcasts: nowhere),
        ])
        #expect(setup.canBroadcast)
        let table = AppClientTable(fallback: setup.fallbackClients(fallback))
        func clients(_ environment: APNsEnvironment) -> AppClients? {
            table.clients(
                forAnyTenantOf: AppInEnvironment(bundleID: bundleID, environment: environment))
        }
        #expect(clients(.sandbox) != nil)
        #expect(clients(.production) == nil)
        let others = try #require(table.fallback[.production])
        others.begin()
        let answer = await others.ask(
            .createChannel(bundleID: bundleID, requestID: "1", storesNewest: false))
        #expect(answer.failure == "no-channels")
    }
}
