import Domain
import EventStore
import JSON

enum OverviewDocument {
    /// - Parameter storage: as the function of that name says it.
    static func document(
        _ overview: Overview, _ storage: JSON, since: Moment, now: Moment
    ) -> JSON {
        let minutes = now.seconds(since: since) / 60
        let recent: JSON = [
            "since": .string(since.rfc3339), "now": .string(now.rfc3339),
            "events": [
                "count": .integer(overview.events),
                "perMinute": .decimal(Double(overview.events) / minutes),
                "inLastMinute": .integer(overview.eventsInLastMinute),
            ],
        ]
        return recent.adding(figures(overview, storage))
    }

    /// What the tenant keeps and may keep; null where nobody has looked, or nothing bounds it.
    static func storage(_ usage: TenantUsage?, _ allowance: Allowance) -> JSON {
        [
            "events": .optionalInteger(usage?.events),
            "eventsMax": .optionalInteger(allowance.storedEventsMax),
            "bytes": .optionalInteger(usage?.bytes),
            "bytesMax": .optionalInteger(allowance.storedBytesMax),
        ]
    }

    /// What does not change by asking later: the two times and the rate, which follows from them
    /// and the count, are left out.
    static func lasting(_ overview: Overview, _ storage: JSON) -> JSON {
        let recent: JSON = [
            "count": .integer(overview.events),
            "inLastMinute": .integer(overview.eventsInLastMinute),
        ]
        return recent.adding(figures(overview, storage))
    }

    private static func figures(_ overview: Overview, _ storage: JSON) -> JSON {
        [
            "alerts": [
                "count": .integer(overview.alerts),
                "perActivity": .ratio(overview.alerts, overview.changed),
            ],
            "activities": [
                "changed": .integer(overview.changed),
                "isPartial": .bool(overview.isPartial),
                "late": .integer(overview.kinds.reduce(0) { $0 + $1.late }),
                "faulted": .integer(overview.blocked),
                "tooLarge": .integer(overview.tooLarge),
            ],
            "apps": [
                "waiting": .array(
                    overview.deferred.named.map { AppDocument.waiting($0, overview.alarms) }),
                "waitingMore": .integer(overview.deferred.unnamedCount),
                "alarms": .array(overview.alarms.named(overview.deferred).map(AppDocument.alarm)),
                "alarmsMore": .integer(overview.alarms.unnamedCount),
            ],
            "kinds": .array(overview.kinds.map(kind)),
            "storage": storage,
        ]
    }

    private static func kind(_ kind: Overview.Kind) -> JSON {
        [
            "kind": .string(kind.name),
            "scheduled": .integer(kind.scheduled),
            "live": .integer(kind.live),
            "ended": .integer(kind.ended),
            "late": .integer(kind.late),
            "onTime": [
                "count": .integer(kind.onTime), "of": .integer(kind.measured),
                "share": .ratio(kind.onTime, kind.measured),
            ],
            "delaySeconds": [
                "p50": .decimal(kind.delaySecondsP50),
                "p90": .decimal(kind.delaySecondsP90),
            ],
        ]
    }
}
