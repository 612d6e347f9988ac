import Domain
import Foundation

extension Card {
    /// Does what the push says, or nothing at all.
    /// - Returns: mistakes of the sender that were passed over.
    /// - Throws: `IgnoredPush` with the reason; the card then shows what it has shown.
    mutating func obey(
        _ push: inout ReadPush, on system: IOSVersion, now: Moment
    ) throws(IgnoredPush) -> [String] {
        let envelope = try push.envelope.get()
        try checkOrder(of: envelope, now: now)
        var warnings = envelope.warnings
        switch envelope.event {
        case .start:
            throw IgnoredPush("event start goes to a push-to-start token, not to a running card")
        case .update:
            guard envelope.hasContentState else {
                throw IgnoredPush("an update without content-state has nothing to show")
            }
            if isNeverShown {
                throw IgnoredPush("the card was stale at its start and is never shown")
            }
            face = try push.face(of: self)
        case .end:
            if envelope.hasContentState { face = try push.face(of: self) }
        }
        warnings += face.dates.compactMap { $0.implausibility(at: now) }
        warnings += Self.implausible(envelope.staleAt, "stale-date", now)
        if envelope.staleAt != nil, system < .withFrequentUpdates {
            warnings.append("stale-date does nothing before iOS 16.2")
        }
        // Zero is the customary way to say "at once".
        if envelope.event == .end, envelope.dismissAt != Moment(unixSeconds: 0) {
            warnings += Self.implausible(envelope.dismissAt, "dismissal-date", now)
        }
        lastTimestamp = envelope.timestamp
        relevanceScore = envelope.relevanceScore
        staleAt = system < .withFrequentUpdates ? nil : envelope.staleAt
        phase = .active
        if let alert = envelope.alert {
            alertCount += 1
            lastAlert = alert
        }
        if envelope.event == .end { end(at: now, dismissAt: envelope.dismissAt) }
        return warnings
    }

    private func checkOrder(of envelope: PushEnvelope, now: Moment) throws(IgnoredPush) {
        if phase.isOver { throw IgnoredPush("the activity is \(phase.rawValue) already") }
        if phase == .pending { throw IgnoredPush("the activity has not begun yet") }
        let ageSeconds = now.unixSeconds - envelope.timestamp
        if Double(-ageSeconds) > Limits.futureSecondsMax {
            throw IgnoredPush("timestamp is more than 8 hours ahead of the phone's clock")
        }
        if let lastTimestamp, envelope.timestamp <= lastTimestamp {
            let relation = envelope.timestamp == lastTimestamp ? "equal to" : "older than"
            throw IgnoredPush(
                "timestamp is \(relation) that of the newest push", outcome: .outdated)
        }
        // An end is obeyed however late it comes: reported by Apple's forum for the same payload.
        if envelope.event != .end, Double(ageSeconds) > Limits.updateAgeSecondsMax {
            throw IgnoredPush("timestamp is \(ageSeconds) s in the past, too old for an update")
        }
    }

    static func implausible(_ moment: Moment?, _ name: String, _ now: Moment) -> [String] {
        guard let moment else { return [] }
        let sentence = FoundDate.implausibility(of: moment.seconds(since: now), named: name)
        return sentence.map { [$0] } ?? []
    }

    /// Names the member and what is wrong with it, never its value.
    /// - Parameter envelope: names at the beginning of the path that go without saying.
    static func explain(
        _ error: any Error, within envelope: Set<String> = ["aps", "content-state"]
    ) -> String {
        if let problem = error as? FieldProblem { return problem.sentence }
        guard let error = error as? DecodingError else { return "its type refuses it" }
        func path(_ context: DecodingError.Context, _ last: String? = nil) -> String {
            let names = context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
            let inside = names.drop { envelope.contains($0) }
            let all = Array(inside) + [last].compactMap { $0 }
            return all.isEmpty ? "the object itself" : all.joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(path(context, key.stringValue)) is missing"
        case .typeMismatch(let type, let context): return "\(path(context)) is not a \(type)"
        case .valueNotFound(let type, let context):
            return "\(path(context)) is null where a \(type) belongs"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            // Foundation on Linux names no member for a number such as 3.5 where an Int belongs.
            return "it is not JSON or has a number that does not fit its member"
        case .dataCorrupted(let context):
            return "\(path(context)) is not a value that its type knows"
        @unknown default: return "its type refuses it"
        }
    }
}
