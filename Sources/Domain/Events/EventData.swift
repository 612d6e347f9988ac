/// The `data` of an event, as its type asks for them: one call for each field, with the field's
/// name and what it may have, gives what it does have.
///
/// A type asks once before any event is read, of data that only note what they are asked for: so
/// the same calls are its table of fields, by which events are checked and described. It asks for
/// all of its fields, and always in the same order.
public struct EventData {
    enum Content {
        case null
        case text(String)
        case integer(Int)
        case moment(Moment)
        case flag(Bool)
    }

    /// What is asked for is not what the field has: the type asks in different orders.
    private struct Mismatch: Error {}

    /// The contents of the fields, in the order of the table; nil where one is missing. None are
    /// there while the table is made.
    private let contents: UnsafeMutableBufferPointer<Content?>?
    private var place = 0
    /// What was asked for while the table is made.
    private(set) var fields: [EventField] = []

    init(_ contents: UnsafeMutableBufferPointer<Content?>?) { self.contents = contents }

    static func fields(_ read: (inout EventData) throws -> Void) -> [EventField] {
        var data = EventData(nil)
        do { try read(&data) } catch {
            fatalError("a type of event must throw nothing itself, and threw \(error)")
        }
        return data.fields
    }

    // MARK: What a type asks for

    /// Not blank, without control characters. A redacted export masks it, or gives each a name of
    /// its own where it is a reference.
    /// - Parameter isPersonal: whether an erasure of the activity's person takes it. It then has
    ///   room for `PersonalData.erasedBytesMax` bytes.
    public mutating func text(
        _ name: String, bytesMax: Int, isReference: Bool = false, isPersonal: Bool = false,
        sample: String? = nil
    ) throws -> String {
        guard let contents else {
            note(
                name, .text(bytesMax: bytesMax), isReference ? .reference : .masked,
                isPersonal: isPersonal, sample: sample)
            return sample ?? EventField.sampleText
        }
        guard case .text(let text) = try next(contents) else { throw Mismatch() }
        return text
    }

    /// The same of a text that may be missing.
    /// - Parameter known: texts by which a fold goes, in small letters: a redacted export leaves
    ///   them as they are.
    public mutating func optionalText(
        _ name: String, bytesMax: Int, openAmong known: [String] = [], isPersonal: Bool = false
    ) throws -> String? {
        guard let contents else {
            note(
                name, .text(bytesMax: bytesMax), known.isEmpty ? .masked : .openAmong(known),
                isRequired: false, isPersonal: isPersonal)
            return nil
        }
        switch try next(contents) {
        case nil, .null: return nil
        case .text(let text): return text
        case .integer, .moment, .flag: throw Mismatch()
        }
    }

    /// - Parameter isOpen: whether it says nothing of a person, so that a redacted export leaves it
    ///   as it is.
    public mutating func integer(
        _ name: String, in range: ClosedRange<Int>, isOpen: Bool = false, sample: Int? = nil
    ) throws -> Int {
        guard let contents else {
            note(
                name, .integer(range), isOpen ? .open : .masked, sample: sample?.description)
            return sample ?? range.lowerBound
        }
        guard case .integer(let integer) = try next(contents) else { throw Mismatch() }
        return integer
    }

    /// The same of a number that may be missing.
    public mutating func optionalInteger(
        _ name: String, in range: ClosedRange<Int>, isOpen: Bool = false
    ) throws -> Int? {
        guard let contents else {
            note(name, .integer(range), isOpen ? .open : .masked, isRequired: false)
            return nil
        }
        switch try next(contents) {
        case nil, .null: return nil
        case .integer(let integer): return integer
        case .text, .moment, .flag: throw Mismatch()
        }
    }

    /// RFC 3339 with a zone. Like all times, choices and flags it stays open in a redacted export.
    public mutating func moment(_ name: String) throws -> Moment {
        guard let contents else {
            note(name, .moment, .open)
            return Moment(unixSeconds: 0)
        }
        guard case .moment(let moment) = try next(contents) else { throw Mismatch() }
        return moment
    }

    /// The same of a time that may be missing.
    public mutating func optionalMoment(_ name: String) throws -> Moment? {
        guard let contents else {
            note(name, .moment, .open, isRequired: false)
            return nil
        }
        switch try next(contents) {
        case nil, .null: return nil
        case .moment(let moment): return moment
        case .text, .integer, .flag: throw Mismatch()
        }
    }

    /// One of an enum's raw values.
    /// - Parameter choices: those that are taken, which are all unless it says otherwise.
    public mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, among choices: @autoclosure () -> [Choice]? = nil
    ) throws -> Choice {
        guard let contents else {
            let choices = choices() ?? Array(Choice.allCases)
            note(name, .choice(choices.map(\.rawValue)), .open)
            return choices[0]
        }
        guard let choice: Choice = try choice(contents) else { throw Mismatch() }
        return choice
    }

    /// The same of a choice that may be missing.
    public mutating func optionalChoice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) throws -> Choice? {
        guard let contents else {
            note(name, .choice(Choice.allCases.map(\.rawValue)), .open, isRequired: false)
            return nil
        }
        return try choice(contents)
    }

    /// True or false.
    public mutating func flag(_ name: String) throws -> Bool {
        guard let contents else {
            note(name, .flag, .open)
            return true
        }
        guard case .flag(let flag) = try next(contents) else { throw Mismatch() }
        return flag
    }

    // MARK: How

    private mutating func next(
        _ contents: UnsafeMutableBufferPointer<Content?>
    ) throws -> Content? {
        guard place < contents.count else { throw Mismatch() }
        defer { place += 1 }
        return contents[place]
    }

    private mutating func choice<Choice: RawRepresentable<String>>(
        _ contents: UnsafeMutableBufferPointer<Content?>
    ) throws -> Choice? {
        switch try next(contents) {
        case nil, .null: return nil
        case .text(let text):
            guard let choice = Choice(rawValue: text) else { throw Mismatch() }
            return choice
        case .integer, .moment, .flag: throw Mismatch()
        }
    }

    private mutating func note(
        _ name: String, _ shape: EventField.Shape, _ disclosure: EventField.Disclosure,
        isRequired: Bool = true, isPersonal: Bool = false, sample: String? = nil
    ) {
        if fields.contains(where: { $0.name.hasBytes(of: name) }) {
            fatalError("a type of event asks for the field \(name) twice")
        }
        if isPersonal, case .text(let bytesMax) = shape, bytesMax < PersonalData.erasedBytesMax {
            fatalError(
                "the personal field \(name) must have bytesMax "
                    + "\(PersonalData.erasedBytesMax) or more, for what an erasure leaves there")
        }
        fields.append(
            EventField(
                name: name, shape: shape, isRequired: isRequired, disclosure: disclosure,
                isPersonal: isPersonal, sample: sample ?? shape.sample))
    }
}

extension EventData {
    /// When the thing is expected to arrive, as of the event.
    public mutating func estimatedAt() throws -> Moment? { try optionalMoment("estimatedAt") }

    /// The name of a person, of a team or of a thing.
    public mutating func name(
        _ name: String, isPersonal: Bool = false, sample: String? = nil
    ) throws -> String {
        try text(name, bytesMax: Limits.nameBytesMax, isPersonal: isPersonal, sample: sample)
    }

    /// The same of a name that may be missing.
    public mutating func optionalName(
        _ name: String, openAmong known: [String] = []
    ) throws -> String? {
        try optionalText(name, bytesMax: Limits.nameBytesMax, openAmong: known)
    }

    /// An amount with its currency, as the merchant writes it.
    public mutating func amount(_ name: String) throws -> String {
        try text(name, bytesMax: Limits.amountBytesMax)
    }

    /// The same of an amount that may be missing.
    public mutating func optionalAmount(_ name: String) throws -> String? {
        try optionalText(name, bytesMax: Limits.amountBytesMax)
    }

    /// Why, in the merchant's own words.
    public mutating func reason(isPersonal: Bool = false) throws -> String? {
        try optionalText("reason", bytesMax: Limits.reasonBytesMax, isPersonal: isPersonal)
    }
}
