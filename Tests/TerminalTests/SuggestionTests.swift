import Terminal
import Testing

@Suite struct SuggestionTests {
    @Test func `a word of a longer option is meant before an option that looks like it`() {
        let options = ["host", "apns-port", "control-port", "seed"]
        let asked = Suggestion.question(about: "port", among: options) { "--\($0)" }
        #expect(asked == "; did you mean --apns-port or --control-port?")
        #expect(Suggestion.question(about: "hots", among: options) == "; did you mean host?")
        #expect(Suggestion.question(about: "unlike", among: options).isEmpty)
    }
}
