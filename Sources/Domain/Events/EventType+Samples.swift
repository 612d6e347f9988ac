public import Foundation

extension EventType {
    /// Data of the newest version that are as large as its fields allow: each text at its bound, in
    /// quotation marks, which JSON writes as two bytes.
    /// - Parameters:
    ///   - isComplete: whether fields that may be absent are there.
    ///   - isLate: whether moments are the last that there are, or the first.
    public func largestData(isComplete: Bool = true, isLate: Bool = true) -> Data {
        let members = (versions.last ?? []).filter { isComplete || $0.isRequired }
            .map { "\"\($0.name)\":\($0.shape.largest(isLate: isLate))" }
        return Data("{\(members.joined(separator: ","))}".utf8)
    }
}

extension EventField.Shape {
    fileprivate func largest(isLate: Bool) -> String {
        switch self {
        case .text(let bytesMax): "\"\(String(repeating: "\\\"", count: bytesMax))\""
        case .integer(let range): "\(range.upperBound)"
        case .moment: "\"\(isLate ? "9999" : "0001")-12-31T23:59:59.999999Z\""
        case .choice(let values):
            "\"\(values.max { $0.utf8.count < $1.utf8.count } ?? "")\""
        case .flag: "true"
        }
    }
}
