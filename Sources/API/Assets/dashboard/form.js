import { button, el, setText } from "./dom.js";
import { t } from "./words.js";

let number = 0;

/** Says at a field whether something is wrong, and what, for screen readers as well. A hint stands there always. */
export function markField(field, isBad, what, hint) {
    const about = [hint, isBad && what].filter(Boolean).map(({ id }) => id).join(" ");
    for (const [name, value] of [["aria-invalid", isBad && "true"], ["aria-describedby", about]]) {
        if (value) field.setAttribute(name, value);
        else field.removeAttribute(name);
    }
}

/** What the server finds wrong with something that was sent: a list, and marks at the fields. */
export class Faults {
    element = el("ul", "faults");
    #marked = new Set();

    constructor(id) {
        Object.assign(this.element, { id, hidden: true });
    }

    /**
     * @param faults {pointer, detail} of the server.
     * @param find gives the field for the names of a pointer: its `focus()`, `refuse(detail)` and `label`.
     */
    show(faults, find) {
        for (const field of this.#marked) field.refuse("");
        const said = new Map();
        this.element.hidden = faults.length === 0;
        this.element.replaceChildren(...faults.map(({ pointer = "", detail }) => {
            const path = pointer.split("/").slice(1)
                .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
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

/** A form that is folded away until somebody wants it; faults are listed, and stand beside their fields. */
export class Form {
    #fields = new Map();
    #error = el("p", "error");

    /**
     * @param fields {name, label, type, options, value, isNeeded, range, pointsTo}; the type is that of
     *     an input, or `checks` for several of some options; `pointsTo` is the member that it becomes,
     *     if that has another name.
     * @param send called with the values by name.
     * @param kept an object of this form's, which outlives it, for what is typed and not sent yet.
     */
    constructor(title, action, fields, send, kept = {}) {
        number += 1;
        const faults = new Faults(`faults-${number}`);
        const said = el("div", "stack", this.#error, faults.element);
        said.setAttribute("role", "alert");
        const submit = button(action, "", () => {});
        submit.type = "submit";
        const form = el("form", "form", ...fields.map((field) => this.#add(field, kept.values?.[field.name])), said, submit);
        form.addEventListener("input", () => (kept.values = this.#values()));
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            submit.disabled = true;
            this.#show(faults, "", []);
            try {
                await send(this.#values());
                form.reset();
                delete kept.values;
            } catch (error) {
                this.#show(faults, error.message, error.errors ?? []);
            }
            submit.disabled = false;
        });
        this.element = el("details", "panel", el("summary", "", title), form);
        this.element.open = Boolean(kept.values);
    }

    #values() {
        return Object.fromEntries([...this.#fields].map(([name, field]) => [name, field.read()]));
    }

    #show(faults, message, errors) {
        setText(this.#error, errors.length > 0 ? t("faultsFound", errors.length) : message);
        faults.show(errors, ([first]) =>
            [...this.#fields.values()].find(({ pointsTo }) => pointsTo === first));
    }

    #add({ name, label, type = "text", options = [], value = "", isNeeded = false, range, pointsTo = name }, before) {
        number += 1;
        const id = `field-${number}`;
        const said = el("span", "error");
        said.id = `${id}-fault`;
        const isChecks = type === "checks";
        const inputs = (isChecks ? options : [before ?? value]).map((each) => {
            const input = el("input");
            Object.assign(input, isChecks
                ? { type: "checkbox", value: each, checked: before?.includes(each) ?? false }
                : { type, id, value: each, required: isNeeded, autocomplete: "off" });
            if (range) [input.min, input.max] = range;
            return input;
        });
        const caption = el(isChecks ? "legend" : "label", "", t(label));
        if (!isChecks) caption.htmlFor = id;
        const element = isChecks
            ? el("fieldset", "checks", caption, ...inputs.map((box) => el("label", "", box, ` ${box.value}`)), said)
            : el("div", "field", caption, inputs[0], said);
        const refuse = (detail) => {
            setText(said, detail);
            for (const input of inputs) markField(input, detail, said);
        };
        // It was about what stood there then.
        element.addEventListener("input", () => refuse(""));
        this.#fields.set(name, {
            pointsTo, refuse, label: t(label), focus: () => inputs[0].focus(),
            read: () => (isChecks ? inputs.filter((box) => box.checked).map((box) => box.value)
                : inputs[0].value.trim()),
        });
        return element;
    }
}
