import Foundation
import HTTP
import JSON
import ProjectFiles
import Testing

@testable import API

/// The shipped OpenAPI document, as far as tests check answers by it.
struct OpenAPIDocument {
    struct Operation: Hashable {
        var method: String
        var path: String
    }

    let json: JSON

    static let shipped: OpenAPIDocument = {
        let file = ProjectFiles.url("Sources/API/Assets/openapi.json")
        guard let data = try? Data(contentsOf: file), let json = try? JSONParser.parse(Array(data))
        else { preconditionFailure("openapi.json is not JSON") }
        return OpenAPIDocument(json: json)
    }()

    var operations: Set<Operation> {
        var found: Set<Operation> = []
        for path in json["paths"]?.names ?? [] {
            for method in json["paths"]?[path]?.names ?? [] {
                found.insert(Operation(method: method.uppercased(), path: path))
            }
        }
        return found
    }

    /// With the answers that it shares with others where the document only refers to them.
    func description(of operation: Operation) -> JSON? {
        var found = json["paths"]?[operation.path]?[operation.method.lowercased()]
        for status in found?["responses"]?.names ?? [] {
            guard let place = found?["responses"]?[status]?["$ref"]?.text else { continue }
            let name = String(place.trimmingPrefix("#/components/responses/"))
            found?["responses"]?[status] = json["components"]?["responses"]?[name]
        }
        return found
    }

    /// What a body looks like: its own example, or the one of its schema.
    func example(of media: JSON?) -> JSON? {
        if let own = media?["example"] { return own }
        let name = media?["schema"]?["$ref"]?.text?.split(separator: "/").last
        let schema = name.flatMap { json["components"]?["schemas"]?[String($0)] }
        return schema?["examples"]?.elements.first
    }

    /// Names of the parameters that an operation takes in the query.
    func queryParameters(of operation: Operation) -> [String] {
        let parameters = description(of: operation)?["parameters"]?.elements ?? []
        return parameters.compactMap { parameter -> String? in
            let shared = parameter["$ref"]?.text?.split(separator: "/").last.flatMap {
                json["components"]?["parameters"]?[String($0)]
            }
            let found = shared ?? parameter
            return found["in"]?.text == "query" ? found["name"]?.text : nil
        }
    }

    /// Members that the schema of an answer does not have, each by its place in the body.
    func undocumentedMembers(of answer: Answer, _ operation: Operation) throws -> [String] {
        let responses = try #require(description(of: operation)?["responses"])
        let content = try #require(responses[String(answer.status)]?["content"])
        let schema = try #require(content["application/json"]?["schema"])
        return strangers(in: try answer.json(), schema, at: "")
    }

    private func strangers(in value: JSON, _ schema: JSON, at place: String) -> [String] {
        if let name = schema["$ref"]?.text?.split(separator: "/").last {
            let named = json["components"]?["schemas"]?[String(name)]
            return named.map { strangers(in: value, $0, at: place) } ?? [place]
        }
        if let choices = (schema["anyOf"] ?? schema["oneOf"])?.elements {
            return choices.map { strangers(in: value, $0, at: place) }
                .min { $0.count < $1.count } ?? []
        }
        if let items = schema["items"] {
            return value.elements.enumerated().flatMap {
                strangers(in: $0.element, items, at: "\(place)/\($0.offset)")
            }
        }
        guard let properties = schema["properties"] else { return [] }
        return value.names.flatMap { name -> [String] in
            guard let member = value[name] else { return [] }
            guard let known = properties[name] else {
                return schema["additionalProperties"] == nil ? ["\(place)/\(name)"] : []
            }
            return strangers(in: member, known, at: "\(place)/\(name)")
        }
    }

    /// With `ISLET_EXAMPLES` set to a folder every answer is left there, for `Clients/examples.py`,
    /// which takes the document's examples from them.
    private static func record(_ answer: Answer, _ operation: String) throws {
        guard let folder = ProcessInfo.processInfo.environment["ISLET_EXAMPLES"],
            answer.text.utf8.count <= 8_000, let body = try? answer.json()
        else { return }
        let members: [JSON.Member] = [
            .init(name: "operation", value: .string(operation)),
            .init(name: "status", value: .integer(answer.status)),
            .init(name: "body", value: body),
        ]
        try Data(JSON.object(members).bytes)
            .write(to: URL(filePath: folder).appending(path: "\(UUID().uuidString).json"))
    }

    /// What any answer may have (RFC 9110, Fetch), and the document does not repeat for each.
    private static let general: Set = [
        "content-encoding", "content-type", "vary", "x-content-type-options",
    ]

    /// Names of the problems that an answer of an operation may be.
    func problems(of operation: Operation, _ status: String) -> [String] {
        let content = description(of: operation)?["responses"]?[status]?["content"]
        return content?["application/problem+json"]?["examples"]?.names ?? []
    }

    /// A status, header field, media type or problem that the document does not name is an error of
    /// one of the two.
    func expectDocumented(_ answer: Answer, _ method: String, _ path: String) throws {
        // Every path has it, and none has more to say of it than its methods.
        if method == "OPTIONS" {
            #expect([200, 204, 400, 404].contains(answer.status))
            return
        }
        let segments = PathTemplate.split(path[...])
        let operation = operations.first {
            $0.method == method && PathTemplate($0.path).match(segments) != nil
        }
        guard let operation else {
            #expect([404, 405].contains(answer.status), "\(method) \(path) is not documented")
            return
        }
        let responses = try #require(description(of: operation)?["responses"])
        let response = try #require(
            responses[String(answer.status)],
            "\(method) \(operation.path) may not answer \(answer.status): \(answer.text)")
        if answer.status == 201 {
            #expect(answer.header("location") != nil, "\(method) \(path)")
        }
        try Self.record(answer, "\(method) \(operation.path)")
        let known = Self.general.union(response["headers"]?.names.map { $0.lowercased() } ?? [])
        let unknown = answer.response.headers.fields.map(\.name)
            .filter { !known.contains($0) && !$0.hasPrefix("access-control-") }
        #expect(unknown == [], "\(method) \(operation.path) \(answer.status)")
        guard let content = response["content"] else { return }
        if let next = (try? answer.json())?["next"]?.text {
            #expect(answer.header("link") == "<\(next)>; rel=\"next\"", "\(method) \(path)")
        }
        let media = answer.header("content-type")?.prefix { $0 != ";" }
        #expect(content.names.contains(String(media ?? "")), "\(method) \(path)")
        guard media == "application/problem+json" else { return }
        let problem = try answer.json()["type"]?.text?.trimmingPrefix("/problems/") ?? ""
        #expect(
            problems(of: operation, String(answer.status)).contains(String(problem)),
            "\(method) \(operation.path) may not answer \(answer.text)")
    }
}
