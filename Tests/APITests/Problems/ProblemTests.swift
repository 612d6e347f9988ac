import Domain
import Foundation
import HTTP
import ProjectFiles
import Testing

@testable import API
@testable import JSON

private func page(_ name: String) throws -> String {
    try ProjectFiles.text("docs/reference/\(name)")
}

@Test(arguments: Problem.allCases)
func `every problem is explained where its type points`(problem: Problem) async throws {
    let answer = try await Harness().get(problem.type, key: nil)
    #expect(answer.status == 200)
    #expect(answer.text.contains(problem.title))
    #expect(answer.text.contains(problem.remedy))
    #expect(answer.text.contains("Status: \(problem.status)"))
}

/// What one tenant has used up or goes through is no failure of a node.
@Test func `answers say which refusals are one tenant's own`() {
    let own = Problem.allCases.filter { ProblemDocument($0, "x").response.isOfTenant }
    #expect(Set(own) == [.quotaExceeded, .tenantMoving])
    #expect(ProblemDocument(.overloaded, "x", isOfTenant: true).response.isOfTenant)
}

@Test func `a problem that does not exist is not explained`() async throws {
    try await Harness().get("/problems/none", key: nil).expectProblem(.unknownRoute)
}

@Test func `the OpenAPI document lists the problems that there are`() {
    let types = OpenAPIDocument.shipped.json["components"]?["schemas"]?["ProblemType"]?["enum"]
    #expect(types?.elements.compactMap(\.text).sorted() == Problem.allCases.map(\.type).sorted())
}

@Test func `the reference page lists the problems that there are, word for word`() throws {
    let text = try page("problems.md")
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
    #expect(rows == Problem.allCases.map(row))
}

private func row(_ problem: Problem) -> String {
    "| `\(problem.rawValue)` | \(problem.status) | \(problem.title) | \(problem.remedy) |"
}

@Test func `a load balancer that is set up as its page says answers with such a problem`() throws {
    let text = try ProjectFiles.text("docs/how-to/high-availability.md")
    let answer = try #require(text.firstMatch(of: /http-error .* string '(\{.*\})'/)).1
    let members = try #require(
        try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
    let problem = try #require(Problem.allCases.first { $0.type == members["type"] as? String })
    #expect(members["title"] as? String == problem.title)
    #expect(members["remedy"] as? String == problem.remedy)
    #expect(members["status"] as? Int == problem.status)
    #expect(answer.contains(#""detail":"#))
}

@Test func `the reference page names every route`() throws {
    let text = try page("http-api.md")
    for operation in OpenAPIDocument.shipped.operations {
        #expect(text.contains("\(operation.method) \(operation.path)"), "\(operation)")
    }
}

@Test func `errors of one kind give their own type and mixed ones that of the whole`() {
    let one = ProblemDocument.InputError(problem: .invalidAttribute, pointer: "/id", detail: "a")
    let other = ProblemDocument.InputError(
        problem: .unknownEventType, pointer: "/type", detail: "b")
    #expect(ProblemDocument([one, one], ifMixed: .invalidEvents).problem == .invalidAttribute)
    #expect(ProblemDocument([one, other], ifMixed: .invalidEvents).problem == .invalidEvents)
}

@Test func `a message of the parser is placed by line and byte`() {
    let text = Array("{\n\n \"é\": }".utf8)
    let document = ProblemDocument(JSONError(.unexpectedCharacter, at: 9), in: text)
    #expect(document.detail.hasPrefix("Line 3, byte 7:"))
}
