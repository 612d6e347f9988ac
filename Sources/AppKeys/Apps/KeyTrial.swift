public import APNs
import APNsClient
public import Domain
public import EventStore

/// A push to a token that no phone has, with one key: if APNs takes the key, it refuses the push
/// for the token.
public struct KeyTrial: Sendable {
    public enum Result: Hashable, Sendable {
        case tried(PushResult)
        /// No line of the master key file opens it.
        case sealed
    }

    public var keyID: String
    public var environment: APNsEnvironment
    public var result: Result

    /// Tries each key in each environment that it is for, one after the other.
    public static func run(_ setup: APNsSetup, _ records: [AppKeyRecord]) async -> [KeyTrial] {
        var trials: [KeyTrial] = []
        if let fallback = setup.fallback {
            for environment in APNsEnvironment.allCases {
                trials.append(await run(setup, fallback, environment, "dev.islet.doctor"))
            }
        }
        for record in records.prefix(keysMax) {
            let identity = record.identity
            for environment in APNsEnvironment.allCases where identity.scope.covers(environment) {
                guard case .opened(let pem)? = setup.masterKeys?.open(record),
                    let credentials = APNsCredentials(identity, pem: pem)
                else {
                    trials.append(
                        KeyTrial(keyID: identity.keyID, environment: environment, result: .sealed))
                    continue
                }
                trials.append(await run(setup, credentials, environment, identity.bundleID))
            }
        }
        return trials
    }

    private static func run(
        _ setup: APNsSetup, _ credentials: APNsCredentials, _ environment: APNsEnvironment,
        _ bundleID: String
    ) async -> KeyTrial {
        let clients = setup.clients(environment, credentials)
        clients.begin()
        let results = await clients.push([
            PushRequest.device(
                tokenHex: nobody, bundleID: bundleID,
                apnsID: "00000000-0000-4000-8000-000000000000", priority: .conserving,
                expiration: 0, body: Array(#"{"aps":{}}"#.utf8))
        ])
        await clients.close()
        return KeyTrial(
            keyID: credentials.keyID, environment: environment, result: .tried(results[0]))
    }

    /// An installation with more would wait for minutes.
    private static let keysMax = 20
    /// No phone has a token of nothing but zeros.
    private static let nobody = String(repeating: "0", count: 64)
}
