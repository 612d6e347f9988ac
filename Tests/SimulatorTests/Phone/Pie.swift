import Domain
import Foundation
@testable import Projections

/// A kind of the tests' own, with every shape of field that senders get wrong.
enum Pie: ActivityKind {
    struct Attributes: Codable, Hashable { var order: String }

    struct ContentState: Codable, Hashable {
        enum Stage: Codable, Hashable { case oven, road }

        var slices: Int
        var deliveryTimer: ClosedRange<Date>?
        var due: Date?
        var stage: Stage?
    }

    static let name = "Pie"
    static let attributesType = "PieAttributes"
    static let schemas: [EventSchema<Int>] = []
    static let initial = ContentState(slices: 0)

    static func evolve(_ state: inout ContentState, with event: Int, occurredAt: Moment) {}
    static func phase(of state: ContentState) -> Phase { .live }
    static func attributes(of state: ContentState) -> Attributes { Attributes(order: "none") }
    static func contentState(of state: ContentState) -> ContentState { state }
    static func assess(_ change: Change<Pie>) -> Assessment {
        Assessment(significance: .none, rule: "none", reason: "a pie has no policy")
    }

    static func presentation(attributes: Attributes, contentState: ContentState) -> Presentation {
        let line = Presentation.Line("\(contentState.slices) slices")
        return Presentation(
            lockScreen: [Presentation.Line(attributes.order), line], compactLeading: line,
            compactTrailing: line, minimal: line,
            expanded: .init(leading: line, trailing: line, center: line, bottom: line))
    }
}

extension Presentation {
    /// What the card says about the pie, for example `3 slices`.
    var pie: String? { lockScreen.last?.text }
}
