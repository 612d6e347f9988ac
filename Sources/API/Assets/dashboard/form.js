import { button, el, setText } from "./dom.js";
import { Faults, markField } from "./faults.js";
import { t } from "./words.js";

let number = 0;

/** A form that is folded away until somebody wants it; faults are listed, and stand beside their fields. */
export class Form {
    #fields = new Map();
    #kept;
    #error = el("p", "error");

    /**
     * @param fields {name, label, type, options, value, isNeeded, range, pointsTo}; the type is that of
     *     an input, or `checks` for several of some options; `pointsTo` is the member that it becomes,
     *     if that has another name.
     * @param send called with the values by name.
     * @param kept what was typed into this form before it was drawn again: an object that is the form's.
     */
    constructor(title, action, fields, send, kept = {}) {
        this.#kept = kept;
        number += 1;
        const faults = new Faults(`faults-${number}`);
        const said = el("div", "stack", this.#error, faults.element);
        said.setAttribute("role", "alert");
        const submit = button(action, "", () => {});
        submit.type = "submit";
        const form = el("form", "form", ...fields.map((field) => this.#add(field)), said, submit);
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            submit.disabled = true;
            this.#show(faults, "", []);
            try {
                await send(this.#values());
                form.reset();
            } catch (error) {
                this.#show(faults, error.message, error.errors ?? []);
            }
            submit.disabled = false;
        });
        this.element = el("details", "panel", el("summary", "", title), form);
        this.element.open = kept.isOpen ?? false;
    }

    /** For the form that is drawn in this one's place. */
    keep() {
        Object.assign(this.#kept, { values: this.#values(), isOpen: this.element.open });
    }

    #values() {
        return Object.fromEntries([...this.#fields].map(([name, field]) => [name, field.read()]));
    }

    #show(faults, message, errors) {
        setText(this.#error, errors.length > 0 ? t("faultsListed", errors.length) : message);
        faults.show(errors, ([first]) =>
            [...this.#fields.values()].find(({ pointsTo }) => pointsTo === first));
    }

    #add({ name, label, type = "text", options = [], value = "", isNeeded = false, range, pointsTo = name }) {
        number += 1;
        const id = `field-${number}`;
        const before = this.#kept.values?.[name];
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
            const about = detail ? [said] : [];
            for (const input of inputs) markField(input, Boolean(detail), ...(isChecks ? [] : about));
            // A group says it once, and not at each of its boxes.
            if (isChecks && detail) element.setAttribute("aria-describedby", said.id);
            else element.removeAttribute("aria-describedby");
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
