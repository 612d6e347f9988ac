import HTTP
import JSON

extension Response {
    static func json(_ status: Int, _ value: JSON) -> Response {
        Response(
            status: status, headers: ["content-type": "application/json"],
            body: .bytes(value.bytes))
    }

    /// A page of a list, whose last member says where to go on.
    static func page(_ document: JSON, next: String?) -> Response {
        var page = document
        page["next"] = .optional(next)
        return json(200, page).linked(toNext: next)
    }

    /// With where to go on in the head as well (RFC 8288), for clients that know no more of a page.
    func linked(toNext next: String?) -> Response {
        guard let next else { return self }
        var response = self
        response.headers.append("link", Self.link(toNext: next))
        return response
    }

    static func link(toNext next: String) -> String { "<\(next)>; rel=\"next\"" }

    func located(at path: String) -> Response {
        var response = self
        response.headers.append("location", path)
        return response
    }
}
