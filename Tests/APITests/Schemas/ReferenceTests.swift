import Domain
import EventStore
import Foundation
import HTTP
import JSON
import ProjectFiles
import Testing

@testable import API

/// What tools and people make of the OpenAPI document.
struct ReferenceTests {
    /// Made by `make test`, and by
    /// `tools/venv .build/clients/venv Tests/APITests/Clients/requirements.txt`.
    private static let python = ProjectFiles.python("clients")

    @Test(.timeLimit(.minutes(2)))
    func `a person reads the reference in a real browser, from no other host`() async throws {
        let api = await Harness()
        let served = try await ServedAPI.start { await api.handler($0) }
        let run = try await runScript(
            "Browser/docs_check.py", ["http://127.0.0.1:\(served.port)"])
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("ok: the console is silent"))
        await served.stop()
    }

    /// Scripts that play a story, and how many things each client has found to be well in the end.
    /// A missing Java is a failure, since the set-up script installs it.
    @Test(
        .timeLimit(.minutes(5)),
        .enabled(
            if: ProjectFiles.hasPython("clients"),
            "needs clients in Python: make test installs them"),
        arguments: [
            ("story.py", ["generated": 15, "cloudevents": 10]),
            ("openapi_generator.py", ["openapi-generator": 8]),
        ])
    func `clients made from the document, and CloudEvents' own, play a story`(
        script: String, counts: [String: Int]
    ) async throws {
        let api = await Harness()
        let served = try await ServedAPI.start { request in
            let response = await api.handler(request)
            if request.method == "POST" { try? await api.fake.fold(Harness.mine) }
            return response
        }
        let run = try await runScript(
            "Clients/\(script)", ["http://127.0.0.1:\(served.port)"], python: Self.python.path)
        #expect(run.status == 0, "\(run.output)")
        let seen = run.output.split(separator: "\n")
        for (client, count) in counts {
            #expect(seen.count { $0.hasPrefix("ok: \(client):") } == count, "\(run.output)")
        }
        await served.stop()
    }

    @Test func `the document has a tag, and a client that has it gets no body`() async throws {
        let api = await Harness()
        let answer = try await api.get("/openapi.json", key: nil)
        let tag = try #require(answer.header("etag"))
        let again = try await api.call(
            "GET", "/openapi.json", key: nil, headers: [("if-none-match", tag)])
        #expect(again.status == 304)
        #expect(again.bytes.isEmpty)
    }

    @Test func `everything in the document is described, and nothing hides in an allOf`() throws {
        let document = OpenAPIDocument.shipped.json
        #expect(!String(decoding: document.bytes, as: UTF8.self).contains(#""allOf""#))
        for tag in document["tags"]?.elements ?? [] { #expect(tag["description"] != nil) }
        let schemas = try #require(document["components"]?["schemas"])
        for name in schemas.names {
            let schema = try #require(schemas[name])
            #expect(schema["description"]?.text?.isEmpty == false, "\(name)")
            for member in schema["properties"]?.names ?? [] {
                let about = schema["properties"]?[member]?["description"]?.text
                #expect(about?.isEmpty == false, "\(name).\(member)")
                #expect(schema["properties"]?[member]?["properties"] == nil, "\(name).\(member)")
                #expect(schema["properties"]?[member]?["const"] == nil, "\(name).\(member)")
            }
        }
    }

    @Test func `an answer that three operations give is written once, among the components`() {
        let paths = OpenAPIDocument.shipped.json["paths"]
        var uses: [JSON: Int] = [:]
        for operation in OpenAPIDocument.shipped.operations {
            let responses = paths?[operation.path]?[operation.method.lowercased()]?["responses"]
            for status in responses?.names ?? [] {
                if let response = responses?[status], response["$ref"] == nil {
                    uses[response, default: 0] += 1
                }
            }
        }
        #expect(!uses.isEmpty)
        for (response, count) in uses { #expect(count < 3, "\(response)") }
    }

    @Test func `each value of an enum is of the type beside it`() throws {
        func check(_ schema: JSON, _ path: String) throws {
            if let type = schema["type"], case .array(let values)? = schema["enum"] {
                let types = type.text.map { [$0] } ?? type.elements.compactMap(\.text)
                for value in values where !types.contains(where: { value.isOf($0) }) {
                    Issue.record("\(path): \(value) is none of \(types)")
                }
            }
            for (index, element) in schema.elements.enumerated() {
                try check(element, "\(path)/\(index)")
            }
            for name in schema.names {
                if let member = schema[name] { try check(member, "\(path)/\(name)") }
            }
        }
        try check(OpenAPIDocument.shipped.json, "")
    }

    // MARK: Examples

    private static let story = [
        ("POST", "/v1/events"), ("GET", "/v1/events"), ("GET", "/v1/activities"),
        ("GET", "/v1/activities/{id}"), ("GET", "/v1/activities/{id}/decisions"),
        ("GET", "/v1/activities/{id}/events"),
        ("POST", "/v1/activities/{id}/registrations"),
        ("POST", "/v1/activities/{id}/registrations/rotation"),
        ("POST", "/v1/activities/{id}/registrations/report"),
        ("POST", "/v1/activities/{id}/registrations/removal"),
        ("PUT", "/v1/start-tokens/{installation}/{kind}"),
        ("PUT", "/v1/activities/{id}/audience"),
        ("POST", "/v1/activities/{id}/tickets"), ("PUT", "/v1/policies/{kind}"),
        ("PUT", "/v1/activities/{id}/channels/{bundleId}"),
        ("GET", "/v1/activities/{id}/channels/{bundleId}"),
        ("POST", "/v1/activities/{id}/channel"), ("GET", "/livez"), ("GET", "/readyz"),
    ]

    private static let places = [
        "id": "order-42", "installation": "phone-1", "kind": "PizzaDelivery",
        "bundleId": "com.example.pizza",
    ]

    /// No two tickets are the same.
    private static func text(_ json: JSON?) -> String {
        String(decoding: json?.bytes ?? [], as: UTF8.self)
            .replacing(/islet_t1\.[\w.\-]+/, with: "islet_t1.…")
    }

    @Test func `examples of bodies are taken, and examples of answers are what is answered`()
        async throws
    {
        let api = await Harness()
        for (method, path) in Self.story {
            let operation = try #require(
                OpenAPIDocument.shipped.description(of: .init(method: method, path: path)))
            let body = operation["requestBody"]?["content"]?["application/json"]?["example"]
            let target = Self.places.reduce(path) {
                $0.replacing("{\($1.key)}", with: $1.value)
            }
            let isAdmin = method == "PUT" && path.hasPrefix("/v1/policies")
            let answer = try await api.call(
                method, target, key: isAdmin ? "admin" : "all",
                body: body.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "",
                type: body == nil ? nil : "application/json")
            #expect((200..<300).contains(answer.status), "\(method) \(path): \(answer.text)")
            if method == "POST" { try await api.fake.fold(Harness.mine) }
            let json = try answer.json()
            let content = operation["responses"]?[String(answer.status)]?["content"]
            let example = OpenAPIDocument.shipped.example(of: content?["application/json"])
            #expect(Self.text(example) == Self.text(json), "\(method) \(path)")
        }
    }

    @Test func `an example of an answer that its schema has is not written once more`() {
        let document = OpenAPIDocument.shipped
        for operation in document.operations {
            let responses = document.description(of: operation)?["responses"]
            for status in responses?.names ?? [] {
                let content = responses?[status]?["content"]
                for type in content?.names ?? [] {
                    guard var media = content?[type], let own = media["example"] else { continue }
                    media["example"] = nil
                    #expect(document.example(of: media) != own, "\(operation) \(status)")
                }
            }
        }
    }

    @Test func `every answer and every schema has an example, and problems say what they say`()
        throws
    {
        let document = OpenAPIDocument.shipped
        for operation in document.operations {
            let responses = document.description(of: operation)?["responses"]
            for status in responses?.names ?? [] {
                let content = responses?[status]?["content"]
                for type in content?.names ?? [] {
                    let media = content?[type]
                    let own = media?["example"] ?? media?["examples"]
                    // One schema has all problems: which of them these are, only the answer says.
                    let isProblem = type == "application/problem+json"
                    #expect(
                        (own ?? (isProblem ? nil : document.example(of: media))) != nil,
                        "\(operation) \(status) \(type)")
                }
                for name in document.problems(of: operation, status) {
                    let problem = Problem(rawValue: name)
                    #expect(problem?.status == Int(status), "\(operation) \(name)")
                }
            }
        }
        let components = document.json["components"]
        for name in components?["schemas"]?.names ?? [] {
            let examples = components?["schemas"]?[name]?["examples"]?.elements
            #expect(examples?.isEmpty == false, "\(name)")
        }
        for name in components?["examples"]?.names ?? [] {
            let value = components?["examples"]?[name]?["value"]
            let problem = try #require(Problem(rawValue: name))
            #expect(value?["title"]?.text == problem.title, "\(name)")
            #expect(value?["status"] == .integer(problem.status), "\(name)")
            #expect(value?["remedy"]?.text == problem.remedy, "\(name)")
        }
    }

    /// The harness checks each answer by the document, with its problem.
    @Test func `a condition and a broken body are refused as the document says`() async throws {
        let document = OpenAPIDocument.shipped
        let api = await Harness()
        for operation in document.operations where operation.method != "GET" {
            let about = try #require(document.description(of: operation))
            let scopes = about["security"]?.elements.flatMap { $0["key"]?.elements ?? [] }
            let key = "only-\(scopes?.first?.text ?? "")"
            let target = Self.places.reduce(operation.path) {
                $0.replacing("{\($1.key)}", with: $1.value)
            }.replacing(/\{\w+\}/, with: "1")
            func ask(_ body: String, _ field: (String, String)) async throws -> Answer {
                try await api.call(
                    operation.method, target, key: key, body: body, type: "application/json",
                    headers: [field])
            }
            let unpacked = try await ask("{", ("content-encoding", "gzip"))
            try unpacked.expectProblem(.malformedRequest)
            if operation.method != "POST" {
                #expect(try await ask("", ("if-match", "\"1\"")).status == 400, "\(operation)")
            }
            guard about["requestBody"] != nil else { continue }
            let broken = try await ask("{", ("accept", "*/*"))
            // Some look first for what their path names, or for a master key.
            #expect([400, 404, 409].contains(broken.status), "\(operation): \(broken.text)")
            #expect(document.problems(of: operation, "400").contains("malformed-json"))
        }
    }

    @Test func `every body in JSON has an example, in each form that events come in`()
        async throws
    {
        let document = OpenAPIDocument.shipped
        for operation in document.operations {
            let content = document.description(of: operation)?["requestBody"]?["content"]
            for type in content?.names ?? [] {
                #expect(content?[type]?["example"] != nil, "\(operation) \(type)")
            }
        }
        let intake = document.description(of: .init(method: "POST", path: "/v1/events"))
        for type in intake?["requestBody"]?["content"]?.names ?? [] {
            let example = try #require(
                intake?["requestBody"]?["content"]?[type]?["example"])
            let body = example.text ?? String(decoding: example.bytes, as: UTF8.self)
            let answer = try await Harness().call("POST", "/v1/events", body: body, type: type)
            #expect(answer.status == 201, "\(type): \(answer.text)")
        }
    }
}

extension JSON {
    /// As JSON Schema names types.
    fileprivate func isOf(_ type: String) -> Bool {
        switch self {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .number: type == "number" || (type == "integer" && wholeNumber != nil)
        case .string: type == "string"
        case .array: type == "array"
        case .object, .encoded: type == "object"
        }
    }
}
