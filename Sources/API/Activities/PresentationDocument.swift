import Domain
import Projections

/// The JSON form of what a person sees: the same as `Presentation` encodes to, in a fifth of the
/// time, which every read of an activity takes.
enum PresentationDocument {
    static func json(_ presentation: Presentation) -> JSON {
        let expanded = presentation.expanded
        return [
            "compactLeading": line(presentation.compactLeading),
            "compactTrailing": line(presentation.compactTrailing),
            "expanded": [
                "bottom": line(expanded.bottom), "center": line(expanded.center),
                "leading": line(expanded.leading), "trailing": line(expanded.trailing),
            ],
            "lockScreen": .array(presentation.lockScreen.map(line)),
            "minimal": line(presentation.minimal),
        ]
    }

    private static func line(_ line: Presentation.Line) -> JSON {
        let text = JSON.string(line.text)
        return switch line.clock {
        case nil: ["text": text]
        case .countdown(let end): ["clock": ["countdown": ["to": moment(end)]], "text": text]
        case .countUp(let start): ["clock": ["countUp": ["from": moment(start)]], "text": text]
        }
    }

    private static func moment(_ moment: Moment) -> JSON { .string(moment.rfc3339) }
}
