/// A flat JSON object, read once into its members without building strings for those that nobody
/// asks for.
public struct PlainObject {
    /// One member, by its places in the text.
    public struct Member {
        var name: Range<Int>
        /// Of its value, quotes included.
        public var literal: Range<Int>
        /// What its value says.
        public var value: PlainJSONScanner.Scalar
    }

    /// What its places are in.
    public let scanner: PlainJSONScanner
    private var members: [Member] = []

    /// Reads the object that comes next, and leaves the scanner behind it.
    /// - Returns: nil when that is anything but a flat object that is plainly written, of no more
    ///   members than can be compared one by one; then a parser that takes everything has to say
    ///   what it is.
    public init?(_ scanner: inout PlainJSONScanner) {
        self.scanner = scanner
        members.reserveCapacity(8)
        let isFlat = scanner.members { scanner, name in
            let isOther = !members.contains { scanner.equals($0.name, name) }
            guard isOther, members.count < Limits.plainMembersMax, let value = scanner.scalar()
            else { return false }
            let literal = scanner.scalarStart..<scanner.index
            members.append(Member(name: name, literal: literal, value: value))
            return true
        }
        guard isFlat else { return nil }
    }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there is such a member, even if it is null.
    public func has(_ name: String) -> Bool { member(name) != nil }

    /// The member of that name; nil when there is none.
    public func member(_ name: String) -> Member? {
        members.first { scanner.equals($0.name, name) }
    }

    /// Compact and with sorted members, so that equal objects are equal bytes.
    public mutating func writeCanonically(to bytes: inout [UInt8]) {
        members.sort {
            scanner.bytes($0.name).lexicographicallyPrecedes(scanner.bytes($1.name))
        }
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            // With its quotes.
            let name = (member.name.lowerBound - 1)..<(member.name.upperBound + 1)
            bytes.append(contentsOf: scanner.bytes(name))
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: scanner.bytes(member.literal))
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
