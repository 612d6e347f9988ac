import { activityPath, read } from "./api.js";
import { since } from "./clocks.js";
import { $, el, link, setText } from "./dom.js";
import { Sketch, truth } from "./phone.js";
import { t } from "./words.js";

/** So that running down the table with a key asks for what is looked at alone. */
const REST_MS = 120;

/** The phone of the row that is selected, beside the table. */
export class Preview {
    #row = null;
    #activity = null;
    #timer = null;
    #asked = "";

    show(row) {
        if (this.#row?.id !== row.id) {
            this.#activity = null;
            this.#asked = "";
        }
        this.#row = row;
        $("preview").hidden = false;
        setText($("preview-title"), row.title);
        this.#load();
    }

    /** A line that is known better by now. */
    take(row) {
        if (this.#row?.id === row.id) this.show(row);
    }

    close() {
        this.#row = null;
        this.#activity = null;
        this.#asked = "";
        clearTimeout(this.#timer);
        $("preview").hidden = true;
    }

    redraw() {
        if (this.#row) this.#draw();
    }

    #load() {
        const wanted = `${this.#row.id} ${this.#row.version}`;
        if (this.#asked === wanted) return this.#draw();
        clearTimeout(this.#timer);
        this.#timer = setTimeout(async () => {
            this.#asked = wanted;
            try {
                const found = await read(activityPath(this.#row.id));
                if (this.#row?.id !== found.id) return;
                this.#activity = found;
            } catch (error) {
                this.#asked = "";
                $("preview-body").replaceChildren(el("p", "hint", error.message));
                return;
            }
            this.#draw();
        }, REST_MS);
    }

    #draw() {
        if (!this.#activity || !this.#row.delivery) return;
        const row = this.#row;
        const { level, text } = truth(row);
        const sketch = new Sketch(["compact", "lock"]);
        sketch.show(this.#activity.presentation, level, t("sketch"));
        const parts = [sketch.element, el("p", `truth ${level}`, text)];
        if (row.delivery.acceptedAt && level !== "no") {
            parts.push(el("p", "hint", t("acceptedSince"), " ", since(row.delivery.acceptedAt)));
        }
        if (row.fault) parts.push(el("p", "fault", t("faultText", row.fault)));
        if (row.said) {
            const badge = el("span", "badge", t(`verdict_${row.said.verdict}`));
            badge.dataset.verdict = row.said.verdict;
            parts.push(el("p", "", badge, " ", row.said.title ?? row.said.why ?? row.said.rule));
        }
        parts.push(link(`/dashboard?activity=${encodeURIComponent(row.id)}`, "go", t("openIt")));
        $("preview-body").replaceChildren(...parts);
    }
}
