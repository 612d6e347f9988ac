import JSON

extension EventData {
    /// Checks the fields of the object that a text is, in one pass and without building anything
    /// for other members.
    /// - Parameter read: not called when a field does not fit, or only might, and for anything but
    ///   a flat object that is plainly written.
    @usableFromInline static func plainly(
        _ fields: [EventField], of text: UnsafeBufferPointer<UInt8>,
        _ read: (inout EventData) throws -> Void
    ) {
        withContents(of: fields) { contents in
            var scanner = PlainJSONScanner(text)
            guard fill(contents, from: &scanner, fields) else { return }
            var data = EventData(contents)
            try? read(&data)
        }
    }

    /// The same of an object that was parsed, and which fits its fields.
    static func read(
        _ fields: [EventField], of object: JSON, _ read: (inout EventData) throws -> Void
    ) {
        withContents(of: fields) { contents in
            for (place, field) in fields.enumerated() {
                contents[place] = FieldValue(object[field.name]).flatMap(field.content(of:))
            }
            var data = EventData(contents)
            try? read(&data)
        }
    }

    private static func withContents(
        of fields: [EventField], _ body: (UnsafeMutableBufferPointer<Content?>) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: Content?.self, capacity: fields.count) { contents in
            contents.initialize(repeating: nil)
            defer { contents.deinitialize() }
            body(contents)
        }
    }

    private static func fill(
        _ contents: UnsafeMutableBufferPointer<Content?>, from scanner: inout PlainJSONScanner,
        _ fields: [EventField]
    ) -> Bool {
        let isPlain = scanner.members { scanner, name in
            let place = fields.indices.first { scanner.equals(name, fields[$0].name) }
            guard let scalar = scanner.scalar() else { return false }
            guard let place else { return true }
            // Of two by one name a parser that takes everything says which counts.
            guard case nil = contents[place],
                let content = content(
                    scalar, of: fields[place].shape, fields[place].isRequired, in: scanner)
            else { return false }
            contents[place] = content
            return true
        }
        return isPlain && scanner.isAtEnd()
            && fields.indices.allSatisfy { place in
                if case nil = contents[place] { !fields[place].isRequired } else { true }
            }
    }

    /// Nil unless `EventField.refusal(of:isStored:)` would find nothing to refuse in a log.
    private static func content(
        _ scalar: PlainJSONScanner.Scalar, of shape: EventField.Shape, _ isRequired: Bool,
        in scanner: PlainJSONScanner
    ) -> Content? {
        switch (shape, scalar) {
        case (.text(let bytesMax), .text(let text)):
            guard text.range.count <= bytesMax else { return nil }
            let string = scanner.string(text.range)
            return string.isPlainLine ? .text(string) : nil
        case (.integer(let range), .integer(let number)):
            return range.contains(number) ? .integer(number) : nil
        case (.moment, .text(let text)):
            return Moment(rfc3339Bytes: scanner.bytes(text.range)).map { .moment($0) }
        case (.choice(let choices), .text(let text)):
            return choices.first { scanner.equals(text.range, $0) }.map(Content.text)
        case (.flag, .flag(let flag)): return .flag(flag)
        case (_, .null): return isRequired ? nil : .null
        case (.text, _), (.integer, _), (.moment, _), (.choice, _), (.flag, _): return nil
        }
    }
}
