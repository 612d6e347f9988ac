/// What a database would get wrong that does not keep an old owner from the new one's work: bugs
/// that are put in on purpose.
public enum MemoryFlaw: Sendable {
    /// What a process owns that stands still is owned for as long as it does.
    case keptLocks
    /// A fan-out that is taken over goes on with the timestamp it had.
    case repeatedStamps
    /// A fold is committed whose checkpoint has been another one's since.
    case unlockedFolds
}
