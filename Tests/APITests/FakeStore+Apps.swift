import EventStore

extension AppStore {
    /// No app, and nothing that waits.
    static let none = AppStore(
        keys: { [] }, add: { _, _ in nil }, remove: { _, _, _ in 0 },
        reseal: { _, _, _ in false }, alarms: { [] }, raise: { _ in }, clear: { _ in },
        held: { [] }, heldBy: { _, _ in [] }, release: { _ in })
}
