import Domain
import Foundation
import JSON
@testable import Projections
import Testing

@testable import API

private func example(_ clock: Presentation.Clock?) -> Presentation {
    func line(_ text: String) -> Presentation.Line { Presentation.Line(text, clock: clock) }
    return Presentation(
        lockScreen: [line("a \"quoted\" / title"), line("")], compactLeading: line("🍕"),
        compactTrailing: line("t"), minimal: line("m\n"),
        expanded: Presentation.Expanded(
            leading: line("l"), trailing: line("r"), center: line("c"), bottom: line("b")))
}

@Test func `a presentation is written as it would be encoded`() throws {
    let moment = Moment(microseconds: 1_800_000_000_123_456)
    for clock: Presentation.Clock? in [nil, .countdown(to: moment), .countUp(from: moment)] {
        let presentation = example(clock)
        let encoded = try JSONParser.parse(Array(WireCoder.encode(presentation)))
        let written = try JSONParser.parse(PresentationDocument.json(presentation).bytes)
        #expect(written.canonicalBytes == encoded.canonicalBytes)
        let decoded = try WireCoder.decode(
            Presentation.self, from: Data(PresentationDocument.json(presentation).bytes))
        #expect(decoded == presentation)
    }
}
