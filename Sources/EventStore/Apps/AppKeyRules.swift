public import Domain

/// What may be added to the keys of an app.
public enum AppKeyRules {
    public enum Intent: Sendable {
        /// A key for environments that have none.
        case add
        /// A key that takes over from the one that is in use.
        case rotate
    }

    /// Why a key was not added.
    public enum Refusal: Error, Hashable, Sendable {
        /// The bundle id belongs to another developer account.
        case otherTeam(String)
        case alreadyThere
        /// There is a key for one of the environments.
        case covered(keyID: String, AppKeyScope)
        /// There is no key to take over from.
        case nothingToRotate
        /// There is one that takes over already.
        case twoAlready(oldest: String)
    }

    /// - Parameter known: keys of the bundle id, of all tenants, oldest first.
    public static func refusal(
        adding identity: AppKeyIdentity, _ intent: Intent, to known: [AppKeyIdentity]
    ) -> Refusal? {
        if let other = known.first(where: { $0.teamID != identity.teamID }) {
            return .otherTeam(other.teamID)
        }
        let mine = known.filter { $0.tenant == identity.tenant }
        if mine.contains(where: { $0.keyID.hasBytes(of: identity.keyID) }) { return .alreadyThere }
        let overlapping = mine.filter { $0.scope.overlaps(identity.scope) }
        switch (intent, overlapping.first) {
        case (.add, nil): return nil
        case (.add, let first?): return .covered(keyID: first.keyID, first.scope)
        case (.rotate, nil): return .nothingToRotate
        case (.rotate, let first?):
            return overlapping.count >= Limits.keysPerEnvironmentMax
                ? .twoAlready(oldest: first.keyID) : nil
        }
    }
}

extension [AppKeyRecord] {
    /// The one in use: the newest that covers the environment.
    public func inUse(
        for tenant: TenantID, _ bundleID: String, _ environment: APNsEnvironment
    ) -> AppKeyRecord? {
        filter {
            $0.identity.tenant == tenant && $0.identity.bundleID.hasBytes(of: bundleID)
                && $0.identity.scope.covers(environment)
        }.max { $0.id < $1.id }
    }

    /// Environments whose pushes go with a key.
    public func environments(using key: AppKeyRecord) -> [APNsEnvironment] {
        APNsEnvironment.allCases.filter {
            inUse(for: key.identity.tenant, key.identity.bundleID, $0)?.id == key.id
        }
    }
}
