/// What gives way first, or next, when no push has room for a content state.
public struct Cut<ContentState>: Sendable {
    /// Nil when nothing is left of it to cut.
    let cutting: @Sendable (ContentState) -> ContentState?

    /// A text that every app needs some of: it is halved for as long as that says something.
    public static func shortening(
        _ text: any WritableKeyPath<ContentState, String> & Sendable
    ) -> Cut {
        Cut { state in
            guard let half = state[keyPath: text].halved else { return nil }
            var shorter = state
            shorter[keyPath: text] = half
            return shorter
        }
    }

    /// A text that an app can do without: it is halved, and left out in the end.
    public static func shortening(
        _ text: any WritableKeyPath<ContentState, String?> & Sendable
    ) -> Cut {
        Cut { state in
            guard let whole = state[keyPath: text] else { return nil }
            var shorter = state
            shorter[keyPath: text] = whole.halved
            return shorter
        }
    }

    /// A member that says nothing when only half of it is there.
    public static func leavingOut<Value>(
        _ member: any WritableKeyPath<ContentState, Value?> & Sendable
    ) -> Cut {
        Cut { state in
            guard state[keyPath: member] != nil else { return nil }
            var shorter = state
            shorter[keyPath: member] = nil
            return shorter
        }
    }
}

extension ActivityKind {
    /// The state with the next of its cuts made; nil when nothing is left to cut.
    public static func trimmed(_ contentState: ContentState) -> ContentState? {
        for cut in cuts {
            if let shorter = cut.cutting(contentState) { return shorter }
        }
        return nil
    }
}

extension String {
    /// About its first half, cut between characters; nil when that would say too little.
    var halved: String? {
        let half = count / 2
        return half < Limits.halfCharactersMin ? nil : String(prefix(half)) + "…"
    }
}
