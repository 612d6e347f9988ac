public import Domain
public import EventStore
import Explaining
public import JSON

/// The JSON forms of apps: their keys, and what keeps their phones waiting.
public enum AppDocument {
    /// - Parameter all: the tenant's keys at least, which say where this one is in use.
    public static func key(_ record: AppKeyRecord, among all: [AppKeyRecord]) -> JSON {
        let identity = record.identity
        return [
            "bundleId": .string(identity.bundleID), "teamId": .string(identity.teamID),
            "keyId": .string(identity.keyID), "environment": .string(identity.scope.rawValue),
            "inUse": .array(all.environments(using: record).map { .string($0.rawValue) }),
            "addedAt": .string(record.addedAt.rfc3339),
            "masterKeyId": .string(record.masterKeyID),
        ]
    }

    /// An app for which sending was stopped.
    public static func alarm(_ alarm: AppAlarm) -> JSON {
        app(alarm.app, alarm.suspension, remedy: alarm.explanation).adding([
            "reason": .string(alarm.reason), "since": .string(alarm.since.rfc3339),
            "probeAt": .string(alarm.probeAt.rfc3339),
        ])
    }

    /// - Parameter alarms: of the tenant at least.
    public static func waiting(_ deferred: DeferredPhones, _ alarms: [AppAlarm]) -> JSON {
        app(deferred.app, deferred.suspension, remedy: alarms.explanation(of: deferred))
            .adding(["phones": .integer(deferred.count), "starts": .integer(deferred.starts)])
    }

    /// Counts only phones on which a card is to be started.
    static func waitingStarts(_ deferred: DeferredPhones) -> JSON {
        let remedy = deferred.suspension.explanation(for: deferred.app.app)
        return app(deferred.app, deferred.suspension, remedy: remedy)
            .adding(["starts": .integer(deferred.starts)])
    }

    private static func app(
        _ app: TenantApp, _ suspension: AppSuspension, remedy: String
    ) -> JSON {
        [
            "bundleId": .string(app.app.bundleID),
            "environment": .string(app.app.environment.rawValue),
            "hold": .string(suspension.rawValue), "remedy": .string(remedy),
        ]
    }
}
