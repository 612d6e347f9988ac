public import Domain
public import EventStore
import Explaining
public import JSON

/// The JSON forms of apps: their keys, and what keeps their phones waiting.
public enum AppDocument {
    /// - Parameter all: the tenant's keys at least, which say where this one is in use.
    public static func key(_ record: AppKeyRecord, among all: [AppKeyRecord]) -> JSON {
        let place = record.place
        return [
            "bundleId": .string(place.bundleID), "teamId": .string(place.teamID),
            "keyId": .string(place.keyID), "environment": .string(place.scope.rawValue),
            "inUse": .array(all.environments(using: record).map { .string($0.rawValue) }),
            "addedAt": .string(record.addedAt.rfc3339),
            "masterKeyId": .string(record.masterKeyID),
        ]
    }

    /// An app for which sending was stopped.
    public static func alarm(_ alarm: AppAlarm) -> JSON {
        .object(
            app(alarm.app, alarm.suspension, remedy: alarm.explanation) + [
                .init(name: "reason", value: .string(alarm.reason)),
                .init(name: "since", value: .string(alarm.since.rfc3339)),
                .init(name: "probeAt", value: .string(alarm.probeAt.rfc3339)),
            ])
    }

    /// - Parameter alarms: of the tenant at least.
    public static func waiting(_ deferred: DeferredPhones, _ alarms: [AppAlarm]) -> JSON {
        .object(
            app(deferred.app, deferred.suspension, remedy: alarms.explanation(of: deferred)) + [
                .init(name: "phones", value: .integer(deferred.count)),
                .init(name: "starts", value: .integer(deferred.starts)),
            ])
    }

    /// Of phones on which a card is to be started, and of no others.
    static func waitingStarts(_ deferred: DeferredPhones) -> JSON {
        let remedy = deferred.suspension.explanation(for: deferred.app.app)
        return .object(
            app(deferred.app, deferred.suspension, remedy: remedy) + [
                .init(name: "starts", value: .integer(deferred.starts))
            ])
    }

    private static func app(
        _ app: TenantApp, _ suspension: AppSuspension, remedy: String
    ) -> [JSON.Member] {
        [
            .init(name: "bundleId", value: .string(app.app.bundleID)),
            .init(name: "environment", value: .string(app.app.environment.rawValue)),
            .init(name: "hold", value: .string(suspension.rawValue)),
            .init(name: "remedy", value: .string(remedy)),
        ]
    }
}
