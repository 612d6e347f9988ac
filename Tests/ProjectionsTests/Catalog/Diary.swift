import Domain
@testable import Projections

/// A kind that lets people write more than a push carries, as none of Islet's own does.
enum Diary {
    struct Attributes: Codable, Hashable, Sendable {}

    struct ContentState: Codable, Hashable, Sendable {
        var page: String
        var margin: String?
    }

    struct State: Codable, Hashable, Sendable {
        var page: Latest<String>?
        var margin: Latest<String?>?
    }
}

enum DiaryKind: ActivityKind {
    static let name = "Diary"
    static let attributesType = "DiaryAttributes"
    static let schemas: [EventSchema<StateChange<Diary.State>>] = [
        .init("Diary.PageWritten", "Somebody wrote.") { data in
            let page = try data.text("page", bytesMax: 6000)
            let margin = try data.optionalText("margin", bytesMax: 6000)
            return StateChange {
                $0.page.offer(page, at: $1)
                $0.margin.offer(margin, at: $1)
            }
        }
    ]
    static let initial = Diary.State()
    static let written = Rule("written", .timely, "There is something to read.")
    static let rules = [written]
    static let cuts: [Cut<Diary.ContentState>] = [.shortening(\.margin)]

    static func phase(of state: Diary.State) -> Phase { .live }

    static func staleAt(
        of state: Diary.State, at recordedAt: Moment, under policy: Policy
    ) -> Moment? { recordedAt.adding(seconds: 600) }

    static func attributes(of state: Diary.State) -> Diary.Attributes { Diary.Attributes() }

    static func contentState(of state: Diary.State) -> Diary.ContentState {
        Diary.ContentState(page: state.page?.value ?? "", margin: state.margin?.value)
    }

    static func assess(_ change: Change<DiaryKind>) -> Assessment {
        change.assessment(written, "A page was written.", relevanceScore: 50)
    }

    static func presentation(
        attributes: Diary.Attributes, contentState: Diary.ContentState
    ) -> Presentation {
        let page = Presentation.Line(contentState.page)
        return Presentation(
            lockScreen: [page], compactLeading: page, compactTrailing: page, minimal: page,
            expanded: Presentation.Expanded(
                leading: page, trailing: page, center: page, bottom: page))
    }
}
