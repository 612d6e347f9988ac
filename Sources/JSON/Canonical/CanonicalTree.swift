import IsletActivities

/// JSON that is being put together, in whatever order its parts come; written at the end, compact
/// and with sorted members.
///
/// All text lies in one buffer and all values in another, where they name each other by their
/// places: an object or an array for each would take longer than all the rest.
final class CanonicalTree {
    /// Of a value among all values. The root's also stands for "none": it is nobody's child.
    typealias Place = Int

    static let root: Place = 0

    enum Sort {
        /// Nothing was said of it yet.
        case unknown
        case literal, array, object
    }

    private struct Value {
        var sort = Sort.unknown
        /// Where the text has it, if it is a literal.
        var literal = 0..<0
        var name = Name()
        var firstChild = root
        var lastChild = root
        var next = root
    }

    /// Of a member.
    private struct Name {
        /// Where the text has it, quotes included.
        var literal = 0..<0
        /// Its first bytes as a number, which settles nearly every comparison.
        var head: UInt64 = 0
        /// As it is, when the literal has it with escapes.
        var odd: String?
    }

    // One encoder after the other touches them, none while another does: what checks that at run
    // time would take a tenth of it.
    @exclusivity(unchecked) private var text: [UInt8] = []
    @exclusivity(unchecked) private var values = [Value()]

    init() {
        text.reserveCapacity(1_024)
        values.reserveCapacity(64)
    }

    // MARK: Putting together

    func isUnknown(_ place: Place) -> Bool { values[place].sort == .unknown }

    /// - Parameter write: appends the value's JSON.
    func setLiteral(_ place: Place, _ write: (inout [UInt8]) -> Void) {
        let start = text.count
        write(&text)
        values[place].literal = start..<text.count
        values[place].sort = .literal
    }

    /// - Parameter sort: an object or an array, which may have members or elements from then on.
    func make(_ sort: Sort, _ place: Place) {
        let before = values[place].sort
        precondition(before == .unknown || before == sort, "encoded in two forms at once")
        values[place].sort = sort
    }

    /// It takes the place of an earlier one of that name.
    func addMember(_ name: String, to object: Place) -> Place {
        var value = Value()
        let start = text.count
        if !CanonicalText.append(name, to: &text) { value.name.odd = name }
        value.name.literal = start..<text.count
        value.name.head = CanonicalText.head(of: name)
        return add(value, to: object)
    }

    /// The member of that name, a new one if there is none.
    func member(_ name: String, of object: Place) -> Place {
        children(of: object).last { self.name(of: $0) == name } ?? addMember(name, to: object)
    }

    func addElement(to array: Place) -> Place { add(Value(), to: array) }

    func count(of array: Place) -> Int { children(of: array).count }

    private func add(_ value: Value, to parent: Place) -> Place {
        let place = values.count
        values.append(value)
        let last = values[parent].lastChild
        if last == Self.root {
            values[parent].firstChild = place
        } else {
            values[last].next = place
        }
        values[parent].lastChild = place
        return place
    }

    private func children(of place: Place) -> [Place] {
        var children: [Place] = []
        var child = values[place].firstChild
        while child != Self.root {
            children.append(child)
            child = values[child].next
        }
        return children
    }

    // MARK: Writing

    func write() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 2 * values.count)
        write(Self.root, to: &bytes)
        return bytes
    }

    private func write(_ place: Place, to bytes: inout [UInt8]) {
        switch values[place].sort {
        case .literal: bytes.append(contentsOf: text[values[place].literal])
        case .array: writeArray(place, to: &bytes)
        // A value that encodes nothing is an object without members.
        case .object, .unknown: writeObject(place, to: &bytes)
        }
    }

    private func writeArray(_ place: Place, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in children(of: place).enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(element, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private func writeObject(_ place: Place, to bytes: inout [UInt8]) {
        var members = children(of: place).sorted(by: precedes)[...]
        bytes.append(UInt8(ascii: "{"))
        while let first = members.popFirst() {
            // Of several of one name the last stands, as in a dictionary; sorting leaves them in
            // their order.
            var member = first
            while let next = members.first, !precedes(first, next) {
                member = next
                members.removeFirst()
            }
            bytes.append(contentsOf: text[values[first].name.literal])
            bytes.append(UInt8(ascii: ":"))
            write(member, to: &bytes)
            if !members.isEmpty { bytes.append(UInt8(ascii: ",")) }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private func name(of place: Place) -> String {
        let name = values[place].name
        return name.odd
            ?? String(decoding: text[name.literal].dropFirst().dropLast(), as: UTF8.self)
    }

    /// By the bytes of their names.
    private func precedes(_ left: Place, _ right: Place) -> Bool {
        let (leftHead, rightHead) = (values[left].name.head, values[right].name.head)
        return leftHead == rightHead
            ? name(of: left).precedes(name(of: right)) : leftHead < rightHead
    }
}
