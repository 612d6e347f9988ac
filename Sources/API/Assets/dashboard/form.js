import { button, el, setText } from "./dom.js";
import { t } from "./words.js";

let number = 0;

/** A form that is folded away until somebody wants it; faults stand beside their fields. */
export class Form {
    #fields = new Map();
    #error = el("p", "error");

    /**
     * @param fields {name, label, type, options, value, isNeeded}; the type is that of an input, or
     *     `checks` for several of some options, or `area` for a text of several lines.
     * @param send called with the values by name.
     */
    constructor(title, action, fields, send) {
        this.#error.setAttribute("role", "alert");
        const submit = button(action, "", () => {});
        submit.type = "submit";
        const form = el("form", "form", ...fields.map((field) => this.#field(field)), this.#error, submit);
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            submit.disabled = true;
            setText(this.#error, "");
            try {
                await send(Object.fromEntries([...this.#fields].map(([name, read]) => [name, read()])));
                form.reset();
            } catch (error) {
                const faults = error.errors?.map((each) => each.detail) ?? [];
                setText(this.#error, faults.length > 1 ? faults.join(" ") : error.message);
            }
            submit.disabled = false;
        });
        this.element = el("details", "panel", el("summary", "", title), form);
    }

    #field({ name, label, type = "text", options = [], value = "", isNeeded = false }) {
        number += 1;
        if (type === "checks") {
            const boxes = options.map((option) => {
                const box = el("input");
                Object.assign(box, { type: "checkbox", value: option });
                return box;
            });
            this.#fields.set(name, () => boxes.filter((box) => box.checked).map((box) => box.value));
            return el("fieldset", "checks", el("legend", "", t(label)),
                ...boxes.map((box) => el("label", "", box, ` ${box.value}`)));
        }
        const input = el(type === "area" ? "textarea" : "input");
        if (type !== "area") input.type = type;
        Object.assign(input, { id: `field-${number}`, value, required: isNeeded, autocomplete: "off" });
        const caption = el("label", "", t(label));
        caption.htmlFor = input.id;
        this.#fields.set(name, () => input.value.trim());
        return el("div", "field", caption, input);
    }
}
