import Domain
import EventStore

extension StartStore {
    /// Nobody has put anything, and what is put is forgotten.
    static let none = StartStore(
        putToken: { _, _ in .new }, removeToken: { _, _, _ in 0 }, tokens: { _, _, _ in [] },
        putAudience: { _, _, _, _ in .new }, audience: { _, _ in nil })
}

extension StartingStore {
    static let none = StartingStore(
        abandon: { _ in }, due: { _, _, _, _ in [] }, page: { _, _, _ in [] },
        begin: { _, _ in [] }, record: { _, _, _ in }, finish: { _ in }, close: { _ in },
        restarts: .none)
}

extension RestartStore {
    static let none = RestartStore(
        overtake: { _, _ in }, page: { _, _, _, _ in [] }, due: { _, _, _, _, _ in [] },
        replaced: { _, _, _ in [] }, ended: { _, _ in })
}
