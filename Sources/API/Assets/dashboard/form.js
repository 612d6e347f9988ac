import { button, el, setText } from "./dom.js";
import { t } from "./words.js";

let number = 0;

/** Says at a field whether something is wrong, and what, for screen readers as well. A hint stands there always. */
export function markField(field, isBad, what, hint) {
    field.ariaInvalid = isBad ? "true" : null;
    const about = [hint, isBad && what].filter(Boolean).map(({ id }) => id).join(" ");
    if (about) field.setAttribute("aria-describedby", about);
    else field.removeAttribute("aria-describedby");
}

/** What the server finds wrong with something that was sent: a list, and marks at the fields. */
export class Faults {
    #marked = new Set();

    constructor(id) {
        this.element = el("ul", { className: "faults", id, hidden: true });
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

/** Whether somebody has typed into a form, or sent it in vain. */
export const isBegun = (kept) => Boolean(kept?.values ?? kept?.failure);

/** A form that is folded away until somebody wants it; faults are listed, and stand beside their fields. */
export class Form {
    #fields = new Map();
    #error = el("p", "error");
    #faults;

    /**
     * @param fields {name, label, type, options, value, isNeeded, range, pointsTo}; the type is that of
     *     an input, or `checks` for several of some options; `pointsTo` is the member that it becomes,
     *     if that has another name.
     * @param send called with the values by name.
     * @param kept an object of this form's, which outlives it: what is typed and not sent yet, what was
     *     wrong with what was sent, and the fields that were changed since then.
     */
    constructor(title, action, fields, send, kept = {}) {
        number += 1;
        this.#faults = new Faults(`faults-${number}`);
        const said = el("div", { className: "stack", role: "alert" }, this.#error, this.#faults.element);
        const submit = el("button", "", action);
        const form = el("form", "form", ...fields.map((field) => this.#add(field, kept.values?.[field.name])), said, submit);
        form.addEventListener("input", ({ target }) => {
            kept.values = this.#values();
            // What was wrong was about what stood there then.
            const [name, field] = [...this.#fields].find(([, { element }]) => element.contains(target));
            field.refuse("");
            kept.changed?.add(name);
        });
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            const focused = document.activeElement;
            submit.disabled = true;
            this.#show(kept.failure = null);
            try {
                await send(this.#values());
                form.reset();
                kept.values = undefined;
            } catch (error) {
                this.#show(kept.failure = error);
                kept.changed = new Set();
            }
            submit.disabled = false;
            // Unless somebody has gone on: a button that is disabled loses the focus.
            if (document.activeElement === document.body) focused.focus();
        });
        this.element = el("details", "panel", el("summary", "", title), form);
        this.element.open = isBegun(kept);
        if (kept.failure) this.#show(kept.failure);
        for (const name of kept.changed ?? []) this.#fields.get(name).refuse("");
    }

    #values() {
        return Object.fromEntries([...this.#fields].map(([name, field]) => [name, field.read()]));
    }

    #show(failure) {
        const errors = failure?.errors ?? [];
        setText(this.#error, errors.length > 0 ? t("faultsFound", errors.length) : failure?.message ?? "");
        this.#faults.show(errors, ([first]) =>
            [...this.#fields.values()].find(({ pointsTo }) => pointsTo === first));
    }

    #add({ name, label, type = "text", options = [], value = "", isNeeded = false, range, pointsTo = name }, before) {
        number += 1;
        const id = `field-${number}`;
        const said = el("span", { className: "error", id: `${id}-fault` });
        const isChecks = type === "checks";
        const inputs = (isChecks ? options : [before ?? value]).map((each) => {
            const input = el("input", isChecks
                ? { type: "checkbox", value: each, checked: before?.includes(each) ?? false }
                : { type, id, value: each, required: isNeeded, autocomplete: "off" });
            if (range) [input.min, input.max] = range;
            return input;
        });
        const caption = isChecks ? el("legend", "", t(label)) : el("label", { htmlFor: id }, t(label));
        const element = isChecks
            ? el("fieldset", "checks", caption, ...inputs.map((box) => el("label", "", box, ` ${box.value}`)), said)
            : el("div", "field", caption, inputs[0], said);
        const refuse = (detail) => {
            setText(said, detail);
            for (const input of inputs) markField(input, detail, said);
        };
        this.#fields.set(name, {
            element, pointsTo, refuse, label: t(label), focus: () => inputs[0].focus(),
            read: () => (isChecks ? inputs.filter((box) => box.checked).map((box) => box.value)
                : inputs[0].value.trim()),
        });
        return element;
    }
}
