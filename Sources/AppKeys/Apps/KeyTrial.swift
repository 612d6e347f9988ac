public import APNs
import APNsClient
public import Domain
public import EventStore

/// A push to no phone with one key, which shows whether APNs takes the key.
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
            let all = setup.fallbackClients(fallback)
            for environment in APNsEnvironment.allCases {
                guard let clients = all[environment] else { continue }
                trials.append(
                    await run(fallback.keyID, environment, "dev.islet.doctor", clients))
            }
        }
        for record in records.prefix(keysMax) {
            let identity = record.identity
            for environment in APNsEnvironment.allCases where identity.scope.covers(environment) {
                var clients: AppClients?
                if case .opened(let text)? = setup.masterKeys?.open(record) {
                    clients = setup.clients(environment, identity, opened: text)
                }
                trials.append(
                    await run(identity.keyID, environment, identity.bundleID, clients))
            }
        }
        return trials
    }

    /// - Parameter clients: nil when no line opens the key.
    private static func run(
        _ keyID: String, _ environment: APNsEnvironment, _ bundleID: String, _ clients: AppClients?
    ) async -> KeyTrial {
        guard let clients else {
            return KeyTrial(keyID: keyID, environment: environment, result: .sealed)
        }
        let result = await clients.tryKey(of: bundleID)
        await clients.close()
        return KeyTrial(keyID: keyID, environment: environment, result: .tried(result))
    }

    /// An installation with more would wait for minutes.
    private static let keysMax = 20
}
