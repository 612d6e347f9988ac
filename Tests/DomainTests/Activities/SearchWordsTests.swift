import Domain
import Testing

@Test func `words are found whatever their case, accents and punctuation`() {
    let words = SearchWords("1. FC Köln", "São-Paulo", nil, "KOE")
    #expect(words.words == ["1", "fc", "koe", "koln", "paulo", "sao"])
    #expect(words.contains(all: SearchWords("KÖLN sao")))
    #expect(!words.contains(all: SearchWords("koln madrid")))
    #expect(words.contains(all: SearchWords()))
}

@Test func `one word alone is found as it is among others`() {
    for text in ["N1042", "abc", "7", "Zoë", "A-1", "", " a", String(repeating: "x", count: 65)] {
        #expect(SearchWords(text) == SearchWords(text, nil), "\(text)")
    }
}

@Test func `words survive being stored`() {
    for text in ["", "a", "N-1042", "Zürich Ελλάδα 東京 Łódź", "...", "👍"] {
        let words = SearchWords(text)
        #expect(SearchWords(stored: words.stored) == words, "\(text)")
    }
    // A vowel sign with nothing to stand on but the space before it.
    let words = SearchWords("\u{93E}b", "a")
    #expect(words.words.count == 2)
    #expect(SearchWords(stored: words.stored) == words)
}

@Test func `an endless name gives a bounded number of words`() {
    let many = SearchWords((0..<1000).map { "w\($0)" }.joined(separator: " "))
    #expect(many.words.count <= 24)
    #expect(SearchWords(String(repeating: "x", count: 1000)).isEmpty)
}

@Test func `late is what misses its promise, not what is called off`() {
    let promised = Moment(unixSeconds: 1000)
    let (before, after) = (Moment(unixSeconds: 999), Moment(unixSeconds: 1001))
    var facts = ActivityFacts(promisedAt: promised)
    #expect(!facts.isLate(.live, at: promised))
    #expect(facts.isLate(.live, at: after))
    #expect(!facts.isLate(.ended, at: after))
    facts.expectedAt = after
    #expect(facts.isLate(.live, at: before))
    facts.actualAt = promised
    #expect(!facts.isLate(.ended, at: after))
    facts.actualAt = after
    #expect(facts.isLate(.ended, at: before))
    #expect(!ActivityFacts(expectedAt: after, actualAt: after).isLate(.live, at: after))
}
