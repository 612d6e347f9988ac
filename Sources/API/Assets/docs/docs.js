// Draws the reference from openapi.json. Texts are set as texts, never as markup.

const methods = ["get", "put", "post", "delete"];

function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

/** Words with `code` between backticks. */
function prose(text = "") {
    return text.split("`").map((part, index) => index % 2 ? element("code", {}, part) : part);
}

function schemaName(reference) { return reference.split("/").pop(); }

/** What stands in the components if only a reference to it is here. */
function resolved(document_, part, one) {
    return one.$ref ? document_.components[part][schemaName(one.$ref)] : one;
}

/** A short word for what a value is, with links to named schemas. */
function kind(schema) {
    if (!schema) return ["anything"];
    if (schema.$ref) {
        const name = schemaName(schema.$ref);
        return [element("a", { href: `#schema-${name}` }, name)];
    }
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices) return choices.flatMap((one, index) => index ? [" or ", ...kind(one)] : kind(one));
    if (schema.enum) return [element("code", {}, schema.enum.map((one) => JSON.stringify(one)).join(" | "))];
    const type = [schema.type ?? "anything"].flat().join(" or ");
    if (schema.type === "array") return ["array of ", ...kind(schema.items)];
    return [schema.format ? `${type} (${schema.format})` : type];
}

function bounds(schema = {}) {
    const words = [["minimum", "from"], ["maximum", "to"], ["minLength", "at least", "characters"],
        ["maxLength", "at most", "characters"], ["maxItems", "at most", "entries"], ["default", "default"]];
    const found = words.filter(([name]) => schema[name] !== undefined)
        .map(([name, before, after = ""]) => `${before} ${schema[name]} ${after}`.trim());
    return found.length ? ` (${found.join(", ")})` : "";
}

function row(name, schema, description, isRequired) {
    return element("tr", {},
        element("td", {}, element("code", {}, name), isRequired ? "" : element("span", { class: "muted" }, " optional")),
        element("td", {}, ...kind(schema), bounds(schema)),
        element("td", {}, ...prose(description)));
}

/** Wider than a phone, it scrolls by itself, and the page stays where it is. */
function table(rows) {
    return element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...rows)));
}

function example(value) {
    return element("pre", { tabindex: "0" }, typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

function parameters(document_, list = []) {
    const known = list.map((one) => resolved(document_, "parameters", one));
    if (!known.length) return [];
    return [element("h4", {}, "Parameters"),
        table(known.map((one) => row(`${one.name} (${one.in})`, one.schema, one.description, one.required)))];
}

function content(document_, title, content_ = {}) {
    return Object.entries(content_).flatMap(([type, one]) => {
        const shown = one.example ?? resolved(document_, "schemas", one.schema).examples?.[0];
        return [
            element("h4", {}, `${title}: `, element("code", {}, type)),
            element("p", {}, ...kind(one.schema)),
            ...(shown === undefined ? [] : [example(shown)]),
        ];
    });
}

function problems(answer) {
    const names = Object.keys(answer.content?.["application/problem+json"]?.examples ?? {});
    return names.flatMap((name, index) => [
        index ? ", " : " Such as ", element("a", { href: `/problems/${name}` }, element("code", {}, name))]);
}

function operation(document_, path, method, one) {
    const scopes = (one.security ?? []).flatMap((way) => Object.entries(way))
        .map(([name, list]) => name === "ticket" ? "a ticket of the activity" : `a key with ${list.join(", ")}`);
    const answers = Object.entries(one.responses)
        .map(([status, answer]) => [status, resolved(document_, "responses", answer)]);
    return element("section", { id: one.operationId },
        element("h3", {}, element("span", { class: "method" }, method.toUpperCase()), " ", element("code", {}, path)),
        element("p", {}, one.summary ?? ""),
        element("p", {}, ...prose(one.description)),
        element("p", { class: "muted" }, scopes.length ? `Needs ${scopes.join(" or ")}.` : "Open to anybody."),
        ...parameters(document_, one.parameters),
        ...content(document_, "Body", one.requestBody?.content),
        element("h4", {}, "Answers"),
        table(answers.map(([status, answer]) => element("tr", {},
            element("td", {}, element("code", {}, status)),
            element("td", {}, ...prose(answer.description), ...problems(answer))))),
        ...answers.filter(([status]) => status < "300")
            .flatMap(([status, answer]) => content(document_, `Answer ${status}`, answer.content)));
}

function schema(name, one) {
    const members = Object.entries(one.properties ?? {});
    return element("section", { id: `schema-${name}` },
        element("h3", {}, name),
        element("p", {}, ...prose(one.description)),
        ...(members.length
            ? [table(members.map(([key, value]) => row(key, value, value.description, one.required?.includes(key))))]
            : [element("p", {}, ...kind(one))]),
        ...(one.examples ?? []).map(example));
}

function draw(document_) {
    const contents = document.getElementById("contents");
    const reference = document.getElementById("reference");
    reference.replaceChildren();
    document.getElementById("about").append(" ", ...prose(document_.info.description));
    for (const tag of document_.tags) {
        const list = element("ul");
        reference.append(element("h2", {}, tag.name), element("p", {}, ...prose(tag.description)));
        for (const [path, operations] of Object.entries(document_.paths)) {
            for (const method of methods) {
                const one = operations[method];
                if (one?.tags?.[0] !== tag.name) continue;
                reference.append(operation(document_, path, method, one));
                list.append(element("li", {}, element("a", { href: `#${one.operationId}` }, one.summary ?? path)));
            }
        }
        contents.append(element("strong", {}, tag.name), list);
    }
    reference.append(element("h2", {}, "Schemas"));
    for (const [name, one] of Object.entries(document_.components.schemas)) reference.append(schema(name, one));
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

try {
    const answer = await fetch("/openapi.json");
    if (!answer.ok) throw new Error(`/openapi.json answered ${answer.status}`);
    draw(await answer.json());
} catch (error) {
    document.getElementById("reference").replaceChildren(
        element("p", { role: "alert" }, `The reference cannot be drawn: ${error.message}`));
}
