import Domain
public import Projections

extension LaundryKind {
    public static func presentation(
        attributes: LaundryAttributes, contentState: LaundryAttributes.ContentState
    ) -> Presentation {
        let machine = Presentation.Line(attributes.machine)
        let status =
            contentState.isDone
            ? Presentation.Line("Done")
            : Presentation.Line("Done in", clock: .countdown(to: Moment(contentState.endsAt)))
        let note = contentState.note.map { Presentation.Line($0) }
        return Presentation(
            lockScreen: [machine, status, note].compactMap(\.self),
            compactLeading: Presentation.Line("Wash"), compactTrailing: status, minimal: status,
            expanded: Presentation.Expanded(
                leading: machine, trailing: status, center: status, bottom: note ?? machine))
    }
}
