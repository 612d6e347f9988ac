import Domain

/// Something in the store that contradicts the log, or that is to be known about the log.
public struct Defect: Hashable, Codable, Sendable {
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case positionHole = "position-hole"
        case versionHole = "version-hole"
        /// No error in what is stored now: nothing is to be done about it.
        case numberedTogether = "numbered-together"
        case timeRunsBackwards = "time-runs-backwards"
        case unfoldable
        case snapshotDiffers = "snapshot-differs"
        case snapshotMissing = "snapshot-missing"
        case snapshotWithoutEvents = "snapshot-without-events"
        case decisionMissing = "decision-missing"
        case decisionDiffers = "decision-differs"
        case decisionWithoutEvent = "decision-without-event"
        case checkpointPastHead = "checkpoint-past-head"
    }

    public var kind: Kind
    public var activityID: String?
    /// Position in the tenant's log, where one can be named.
    public var position: Int64?
    /// What is wrong and what to do about it.
    public var detail: String
}

/// What a verification found.
public struct VerificationReport: Hashable, Codable, Sendable {
    public var tenant: String
    public var events: Int
    public var activities: Int
    /// That the ledger should have; 0 for an export, which has none.
    public var decisions: Int
    /// False where they were only counted.
    public var areDecisionsMadeAgain: Bool
    /// Recorded and not folded yet: nothing is stored beside the log that could be compared.
    public var notFolded: Int64
    /// Made by another version of the rules; only their states were compared.
    public var decisionsOfOtherRules = 0
    /// Activities whose first events are not there, as in a part of a log: not folded.
    public var activitiesWithoutBeginning = 0
    /// Activities of which a person's data were erased: they follow from what is left of the log.
    public var activitiesErased: Int64 = 0
    /// In the order of their positions.
    public var defects: [Defect]
    /// Defects beyond those named.
    public var defectsUnnamed: Int
    /// What is to be known of the log and contradicts nothing.
    public var notes: [Defect] = []
    /// Notes beyond those named.
    public var notesUnnamed = 0

    public var isSound: Bool { defects.isEmpty && defectsUnnamed == 0 }
}

/// The first defects of a log, and how many there are. Which ones are kept depends on what is found
/// and not on who finds it first.
struct DefectList: Sendable {
    private(set) var named: [Defect] = []
    private(set) var unnamed = 0

    mutating func add(_ defect: Defect) {
        let place = named.firstIndex { defect.order < $0.order } ?? named.count
        named.insert(defect, at: place)
        if named.count > Limits.defectsNamedMax {
            named.removeLast()
            unnamed += 1
        }
    }

    /// Some that nobody looked into.
    mutating func leaveOut(_ count: Int) { unnamed += count }

    mutating func add(_ other: DefectList) {
        unnamed += other.unnamed
        for defect in other.named { add(defect) }
    }
}

extension Defect {
    /// In which they are listed.
    fileprivate var order: (Int64, ByteKey, String, String) {
        (position ?? .max, ByteKey(activityID ?? ""), kind.rawValue, detail)
    }
}
