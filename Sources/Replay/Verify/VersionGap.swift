import Domain
import EventStore

/// An event that does not have the version which comes next in its activity.
struct VersionGap: Hashable, Sendable {
    var activity: ActivityID
    var position: Int64
    var expected: Int64
    var version: Int64

    /// Versions that other events would have to have. One event that was numbered after another
    /// has the version behind that one's.
    var missing: ClosedRange<Int64>? {
        if version > expected { return expected...version - 1 }
        return version > 1 ? version - 1...version - 1 : nil
    }

    /// - Parameter isPart: others that look like it may not be there.
    func loss(isPart: Bool) -> Defect {
        let reason =
            version > expected
            ? "version \(expected) is missing, \(version) follows: events were lost; restore them "
                + "from a backup"
            : "version \(version) follows where \(expected) was expected: the log was altered; "
                + "restore it from a backup"
        let doubt =
            isPart && !activity.rawValue.utf8.allSatisfy { $0 < 0x80 }
            ? ". Unless it was numbered together with a subject that looks the same, which only a "
                + "verification of the whole log can tell"
            : ""
        return Defect(
            kind: .versionHole, activityID: activity.rawValue, position: position,
            detail: reason + doubt)
    }
}

/// The events of subjects that look like others and are not the same, such as `café` with one
/// scalar for `é`, and with two.
///
/// Before identity was by bytes, a node counted such subjects as one while the log kept them apart:
/// each of the versions that one lacks is the other's.
actor LookalikeWalker: LogWalker {
    /// Compared as Swift compares texts, on purpose.
    private let suspects: Set<String>
    /// Position of each version, by what the subjects look like.
    private var places: [String: [ActivityID: [Int64: Int64]]] = [:]

    init(_ suspects: some Sequence<ActivityID>) {
        self.suspects = Set(suspects.map(\.rawValue))
    }

    func take(_ page: HistoryPage) {
        let areSuspect = page.activities.map { suspects.contains($0.rawValue) }
        for index in page.indices where areSuspect[page.owner(of: index)] {
            let activity = page.activities[page.owner(of: index)]
            let place = page.place(index)
            places[activity.rawValue, default: [:]][activity, default: [:]][place.version] =
                place.position
        }
    }

    /// The others whose events before it have the versions that a gap lacks; nil when not all of
    /// them are found.
    func others(of gap: VersionGap) -> [ActivityID]? {
        guard let missing = gap.missing, let family = places[gap.activity.rawValue] else {
            return nil
        }
        var found: Set<ActivityID> = []
        for version in missing {
            let owner = family.first { activity, places in
                activity != gap.activity && (places[version] ?? .max) < gap.position
            }
            guard let owner else { return nil }
            found.insert(owner.key)
        }
        return found.sorted()
    }
}

extension Verifier {
    /// Tells events that were lost from subjects that were numbered together.
    static func explainGaps(
        of walkers: [VerifyingWalker], in history: History, through: Int64,
        into defects: inout DefectList, or notes: inout DefectList
    ) async throws(ReplayError) {
        var gaps: [VersionGap] = []
        var leftOut = 0
        for walker in walkers {
            gaps += await walker.gaps
            leftOut += await walker.gapsLeftOut
        }
        defects.leaveOut(leftOut)
        // Of an activity that is dropped during the walk only some stretches may have the events.
        if let database = history.database, !gaps.isEmpty {
            let touched = try await database.touched(
                Array(Set(gaps.map(\.activity))), upTo: through)
            let dropped = Set(touched.filter(\.isDropped).map(\.activityID))
            gaps.removeAll { dropped.contains($0.activity) }
        }
        guard !gaps.isEmpty else { return }
        let lookalikes = LookalikeWalker(Set(gaps.map(\.activity)))
        try await LogWalk.run(
            [lookalikes], over: history, through: through, completing: { $0 },
            progress: { _, _ in })
        var together: [ActivityID: (first: VersionGap, count: Int, others: Set<ActivityID>)] = [:]
        for gap in gaps.sorted(by: { $0.position < $1.position }) {
            guard let others = await lookalikes.others(of: gap) else {
                defects.add(gap.loss(isPart: history.isPart))
                continue
            }
            var known = together[gap.activity] ?? (gap, 0, [])
            known.count += 1
            known.others.formUnion(others)
            together[gap.activity] = known
        }
        for (activity, found) in together {
            let others = found.others.sorted().map(\.scalars).joined(separator: " and ")
            notes.add(
                Defect(
                    kind: .numberedTogether, activityID: activity.rawValue,
                    position: found.first.position,
                    detail: "\(activity.scalars) looks like \(others), and an earlier release "
                        + "numbered them together: at \(found.count) of its events versions are "
                        + "left out, which those have. No event was lost. What was folded then "
                        + "is put right by islet projections rebuild, once; nothing else is to be "
                        + "done"))
        }
    }
}

extension ActivityID {
    /// With what is not ASCII by its numbers, to tell apart what looks the same.
    fileprivate var scalars: String {
        rawValue.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    }
}
