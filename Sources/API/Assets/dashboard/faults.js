import { button, el } from "./dom.js";

/**
 * Says at a field whether something is wrong with it, for eyes and for screen readers.
 * @param about what describes the field, such as a hint and what is wrong.
 */
export function markField(field, isBad, ...about) {
    if (isBad) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    if (about.length > 0) field.setAttribute("aria-describedby", about.map(({ id }) => id).join(" "));
    else field.removeAttribute("aria-describedby");
}

/** The names that a JSON pointer leads through. */
export const names = (pointer) =>
    pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));

/** What the server finds wrong with something that was sent: a list, and marks at the fields. */
export class Faults {
    element = el("ul", "faults");
    #marked = new Set();

    constructor(id) {
        Object.assign(this.element, { id, hidden: true });
    }

    /**
     * @param faults {pointer, detail} of the server.
     * @param find gives the field for the names of a pointer, if there is one: it has `focus()`,
     *     `refuse(detail)`, and a `label` if it is not called by its pointer.
     */
    show(faults, find) {
        for (const field of this.#marked) field.refuse("");
        const said = new Map();
        this.element.hidden = faults.length === 0;
        this.element.replaceChildren(...faults.map(({ pointer = "", detail }) => {
            const path = names(pointer);
            const field = find(path);
            // The list says where; a text that begins with it would say it twice.
            const start = [pointer, path.at(-1)].map((name) => `\`${name}\` `)
                .find((each) => detail.startsWith(each)) ?? "";
            const text = detail.slice(start.length);
            if (field) said.set(field, [...(said.get(field) ?? []), text]);
            return el("li", "", field ? button(field.label ?? pointer, "plain small", () => field.focus())
                : pointer && el("code", "", pointer), ` ${text}`);
        }));
        for (const [field, texts] of said) field.refuse(texts.join(" "));
        this.#marked = new Set(said.keys());
    }
}
