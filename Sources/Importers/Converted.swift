import Domain
import Foundation
import Terminal

/// What a file of somebody else's makes.
public struct Converted {
    /// An activity that the file tells of, and why no events are made of it, or what of its events
    /// is not certain.
    struct Remark: Hashable {
        var subject: String
        var reason: String

        var text: String { "\(subject.shown()) \(reason)" }
    }

    public var events: [ConvertedEvent] = []
    var leftOut: [Remark] = []
    /// What was made of something that the file does not say for certain.
    var assumed: [Remark] = []
    var setAside: SetAside?

    /// What a person reads of them, a line each.
    public var remarks: [String] {
        leftOut.map { "left out: \($0.text)" } + assumed.map { "assumed: \($0.text)" }
            + (setAside?.summary ?? [])
    }

    /// Only those activities whose id contains the text.
    func only(_ text: String) -> Converted {
        Converted(
            events: events.filter { $0.subject.contains(text) },
            leftOut: leftOut.filter { $0.subject.contains(text) },
            assumed: assumed.filter { $0.subject.contains(text) }, setAside: setAside)
    }
}

extension Converted {
    /// Of one match.
    init(_ match: ConvertedMatch) throws(ConversionError) {
        self.init(events: try match.events())
        if let reason = match.unfinished {
            assumed = [
                Remark(
                    subject: match.subject,
                    reason: "is not over, for \(reason); its full time is left out")
            ]
        }
    }
}
