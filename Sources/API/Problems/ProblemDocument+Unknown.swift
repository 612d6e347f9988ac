import Domain
import JSON

extension ProblemDocument.InputError {
    /// One for each member of a body that its path does not know. A slip such as `expires` for
    /// `expiresAt` must not give more than was asked for without a word.
    ///
    /// Bodies of phones are not looked at so: an app may be newer than the server.
    /// - Parameters:
    ///   - names: of all members that there are.
    ///   - noun: what such a member is.
    static func unknown(
        in body: JSON, besides names: [String], _ problem: Problem, noun: String = "member"
    ) -> [Self] {
        guard case .object(let members) = body else { return [] }
        let known = names.map { "`\($0)`" }.joined(separator: ", ")
        return members.filter { member in !names.contains { $0.hasBytes(of: member.name) } }
            .prefix(Limits.errorsListedMax)
            .map {
                .init(
                    problem: problem, pointer: "/\(JSONPointer.escaped($0.name))",
                    detail: "There is no \(noun) `\($0.name)`; there is \(known).")
            }
    }
}
