extension String {
    /// About its first half, cut between characters; nil when that would say too little.
    var halved: String? {
        let half = count / 2
        return half < Limits.halfCharactersMin ? nil : String(prefix(half)) + "…"
    }
}
