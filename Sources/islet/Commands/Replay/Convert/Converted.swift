import API
import Domain
import Foundation

/// What a file of somebody else's makes.
struct Converted {
    /// An activity that the file tells of, and that no events are made of.
    struct LeftOut: Hashable {
        var subject: String
        var reason: String
    }

    var events: [ConvertedEvent] = []
    var leftOut: [LeftOut] = []

    /// Only those activities whose id contains the text.
    func only(_ text: String) -> Converted {
        Converted(
            events: events.filter { $0.subject.contains(text) },
            leftOut: leftOut.filter { $0.subject.contains(text) })
    }
}

extension ConvertedEvent {
    /// What a server refuses the event for.
    var faults: [API.EventFault] { API.faults(ofEvent: Array(line.utf8)) }
}
