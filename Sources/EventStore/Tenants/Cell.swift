/// A database with nodes of its own. Each tenant belongs to one.
public struct Cell: Hashable, Encodable, Sendable {
    /// A short word of `a`–`z` and `0`–`9`.
    public var name: String
    /// Of this cell, 1 to 64: it makes ids of tenants and keys that no other number makes.
    public var number: Int?
    /// Where its API is reached, without a slash at the end; nil when callers do not get it.
    public var url: String?
    /// Whether it is the one that was asked.
    public var isHere: Bool

    public init(name: String, number: Int? = nil, url: String? = nil, isHere: Bool = false) {
        self.name = name
        self.number = number
        self.url = url
        self.isHere = isHere
    }

    /// What is wrong with a name; nil for one that cells can have. The database asks for the same.
    public static func complaint(about name: String) -> String? {
        let letters = name.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard letters == true, isPlain, name.utf8.count <= 16 else {
            return "a cell's name is 1 to 16 of a-z and 0-9, and begins with a letter"
        }
        let isLikeTicket =
            name.utf8.first == UInt8(ascii: "t") && name.utf8.count > 1
            && name.utf8.dropFirst().allSatisfy { $0 < UInt8(ascii: "a") }
        return isLikeTicket ? "t with digits begins tickets: choose another name" : nil
    }
}
