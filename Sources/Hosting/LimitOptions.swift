import API
import Domain
import EventStore
import Foundation
import Terminal

/// `islet serve`'s limits on what each tenant may use of the node.
enum LimitOptions {
    static let all = [
        OptionSpec(
            "requests-per-second", .integer(1...rateMax),
            "Requests per second that each tenant may send to this node, with bursts of twice "
                + "that; `islet tenants limits` gives a tenant a figure of its own. Default: "
                + "\(APILimits.requestsPerSecondAndCore) for each core, of \(coresMax) at most, "
                + "half of what a node can do."),
        OptionSpec(
            "events-per-second", .integer(1...rateMax),
            "Events per second, likewise. Default: \(APILimits.eventsPerSecondAndCore) for each "
                + "core, likewise."),
        OptionSpec(
            "bytes-per-second", .integer(1...rateMax),
            "Bytes of bodies per second, likewise. Default: \(APILimits.usualEventBytes) for each "
                + "of the events by default."),
        OptionSpec(
            "ticket-requests-per-second", .integer(1...rateMax),
            "Requests per second that each ticket is good for on this node, with bursts of twice "
                + "that.", default: "\(APILimits.standard.ticketRequestsPerSecond)"),
        OptionSpec(
            "stored-events-max", .integer(1...Int.max),
            "Events that each tenant may keep; `islet tenants limits` gives a tenant a figure of "
                + "its own. What is beyond it is refused with 507, a few seconds late. Default: "
                + "any number."),
        OptionSpec(
            "stored-bytes-max", .integer(1...Int.max),
            "Bytes that a tenant's events may take up, without indexes, likewise; they are counted "
                + "from a sample. Default: any number."),
        OptionSpec(
            "stored-policy-bytes-max", .integer(1...Int.max),
            "Bytes of policies that each tenant may keep, of all versions, of which each counts "
                + "as \(StoredPolicy.countedBytesMin) at least. "
                + "What is beyond it is refused with 507.",
            default: "\(APILimits.standard.storedPolicyBytesMax)"),
        OptionSpec(
            "stored-registrations-max", .integer(1...1_000_000_000),
            "What each tenant may keep of phones and for them: push tokens and installations, "
                + "start tokens, audiences and channels. What is beyond it is refused with 507, "
                + "once it was counted.",
            default: "\(APILimits.standard.storedRegistrationsMax)"),
        OptionSpec(
            "body-bytes-max", .integer(TenantLimits.bodyBytesMin...(64 << 20)),
            "Bytes of a request's body; a tenant's own figure counts only where it is lower.",
            default: "\(APILimits.standard.bodyBytesMax)"),
        OptionSpec(
            "batch-events-max", .integer(1...10_000),
            "Events in one request; a tenant's own figure counts only where it is lower.",
            default: "\(APILimits.standard.eventsPerBatchMax)"),
        OptionSpec(
            "ticket-registrations-max", .integer(1...10_000_000),
            "Push tokens and installations that one ticket may register with this node; a ticket "
                + "is for one phone. In twenty minutes it may be used as often.",
            default: "\(APILimits.standard.registrationsPerTicketMax)"),
        OptionSpec(
            "activity-registrations-max", .integer(1...1_000_000_000),
            "Push tokens and installations that all tickets of one activity may; those of API keys "
                + "count for the tenant alone.",
            default: "\(APILimits.standard.registrationsPerActivityMax)"),
    ]

    private static let rateMax = 1_000_000_000
    private static let coresMax = APILimits.coresUsedMax

    static func limits(_ arguments: Arguments) -> APILimits {
        var limits = APILimits.fitting(cores: ProcessInfo.processInfo.activeProcessorCount)
        func set(_ limit: WritableKeyPath<APILimits, Int>, _ option: String) {
            if let figure = arguments.integer(option) { limits[keyPath: limit] = figure }
        }
        set(\.requestsPerSecond, "requests-per-second")
        set(\.eventsPerSecond, "events-per-second")
        set(\.bytesPerSecond, "bytes-per-second")
        set(\.ticketRequestsPerSecond, "ticket-requests-per-second")
        limits.storedEventsMax = arguments.integer("stored-events-max")
        limits.storedBytesMax = arguments.integer("stored-bytes-max")
        set(\.storedPolicyBytesMax, "stored-policy-bytes-max")
        set(\.storedRegistrationsMax, "stored-registrations-max")
        set(\.bodyBytesMax, "body-bytes-max")
        set(\.eventsPerBatchMax, "batch-events-max")
        set(\.registrationsPerTicketMax, "ticket-registrations-max")
        set(\.registrationsPerActivityMax, "activity-registrations-max")
        return limits
    }
}
