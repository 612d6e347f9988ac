import Domain
import Foundation
import JSON

/// A content state as phones are sent it: with texts cut by the kind's own rule when it would be
/// too large for a push. One that still is too large afterwards stays whole, since it is not sent.
struct ShownState {
    /// As the stock `JSONEncoder` writes it.
    private(set) var json: Data
    /// How large it would be whole; nil when nothing was cut.
    private(set) var wholeBytes: Int?

    init<K: ActivityKind>(_ kind: K.Type, of state: K.State) {
        self.init(kind, whole: kind.contentState(of: state))
    }

    init<K: ActivityKind>(_ kind: K.Type, whole: K.ContentState) {
        var state = whole
        json = WireCoder.encode(state)
        guard json.count > Domain.Limits.pushedStateBytesMax else { return }
        var shorter = json
        while shorter.count > Domain.Limits.pushedStateBytesMax {
            guard let trimmed = kind.trimmed(state) else { return }
            let bytes = WireCoder.encode(trimmed)
            // A rule that cuts nothing would be asked for ever.
            guard bytes.count < shorter.count else { return }
            (state, shorter) = (trimmed, bytes)
        }
        wholeBytes = json.count
        json = shorter
    }

    /// What is added to the reason of a change that is shown like this.
    var remark: String {
        guard let wholeBytes else { return "" }
        return " Its texts were cut: the state would have \(wholeBytes) bytes, and a push carries "
            + "\(Domain.Limits.pushedStateBytesMax)."
    }
}
