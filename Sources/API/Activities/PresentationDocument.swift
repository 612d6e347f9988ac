import Domain
import Encodings
import Foundation
import JSON
import Projections

/// The JSON form of what a person sees: the bytes that `Presentation` encodes to, in a tenth of the
/// time, which every read of an activity and every change that is sent takes.
enum PresentationDocument {
    static func json(_ presentation: Presentation) -> JSON {
        let expanded = presentation.expanded
        var text: [UInt8] = []
        text.reserveCapacity(1_024)
        append(#"{"compactLeading":"#, presentation.compactLeading, to: &text)
        append(#","compactTrailing":"#, presentation.compactTrailing, to: &text)
        append(#","expanded":{"bottom":"#, expanded.bottom, to: &text)
        append(#","center":"#, expanded.center, to: &text)
        append(#","leading":"#, expanded.leading, to: &text)
        append(#","trailing":"#, expanded.trailing, to: &text)
        text.append(#"},"lockScreen":["#)
        for (index, line) in presentation.lockScreen.enumerated() {
            append(index > 0 ? "," : "", line, to: &text)
        }
        append(#"],"minimal":"#, presentation.minimal, to: &text)
        text.append("}")
        return .encoded(Data(text))
    }

    private static func append(
        _ before: StaticString, _ line: Presentation.Line, to text: inout [UInt8]
    ) {
        text.append(before)
        switch line.clock {
        case nil: text.append("{")
        case .countdown(let end): append(#"{"clock":{"countdown":{"to":"#, end, to: &text)
        case .countUp(let start): append(#"{"clock":{"countUp":{"from":"#, start, to: &text)
        }
        text.append(#""text":"#)
        CanonicalText.append(line.text, to: &text)
        text.append("}")
    }

    private static func append(
        _ before: StaticString, _ moment: Moment, to text: inout [UInt8]
    ) {
        text.append(before)
        CanonicalText.append(moment.rfc3339, to: &text)
        text.append("}},")
    }
}
