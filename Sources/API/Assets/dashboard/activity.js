import { activityPath, call, read } from "./api.js";
import { moment, readAt, setSince } from "./clocks.js";
import { $, button, copyable, el, link, setText, spaced } from "./dom.js";
import { code, letters, payload, phones, why } from "./details.js";
import { History } from "./history.js";
import { Sketch, truth } from "./phone.js";
import { Timeline, pastTruth } from "./timeline.js";
import { t } from "./words.js";

/** How soon the page follows what phones heard. */
const REST_MS = 2_000;
/** While the slider is moved, only what it stops at is asked for. */
const SLIDE_MS = 120;
const SPEEDS = [1, 10, 60, 600, 3600];
/** Between two versions at play: neither a blink nor a break of an hour. */
const STEP_MS_MIN = 120;
const STEP_MS_MAX = 3_000;
const LOOKS = ["dark", "light", "always-on"];

/** One activity, now or at one of its versions; everything on the page follows the same one. */
export class ActivityPage {
    #go;
    #can;
    #id = null;
    #version = null;
    #current = null;
    #delivery = null;
    #history = null;
    #signal = null;
    #parts = null;
    #timers = { rest: null, slide: null, play: null };
    #settings = { large: false, look: "dark" };
    /** Version whose details stand on the page. */
    #detailed = null;
    /** The version that is looked at, with its event and decision. */
    #seen = null;

    constructor({ go, can }) {
        this.#go = go;
        this.#can = can;
    }

    async open(id, address) {
        const version = /^[1-9]\d{0,14}$/.test(address.get("version")) ? Number(address.get("version")) : null;
        if (id !== this.#id) {
            this.close();
            this.#id = id;
            this.#signal = new AbortController();
            this.#history = new History(id, this.#signal.signal);
            this.#version = version;
            this.#build();
            await this.#load();
        } else if (version !== this.#version) {
            this.#version = version;
            await this.#draw();
        }
    }

    close() {
        this.#signal?.abort();
        for (const timer of Object.values(this.#timers)) clearTimeout(timer);
        this.#id = null;
        this.#current = null;
        this.#delivery = null;
        this.#detailed = null;
        this.#seen = null;
        this.#parts = null;
        $("activity").replaceChildren();
    }

    /** A line that the stream tells. */
    take(row) {
        if (row.id === this.#id && row.version > (this.#current?.version ?? 0)) this.#restSoon(100);
    }

    redraw() {
        if (this.#id === null) return;
        this.#build();
        this.#detailed = null;
        this.#history.forget();
        if (this.#current) this.#draw();
    }

    async #load() {
        const signal = this.#signal;
        try {
            // Addresses of such names lead elsewhere.
            if (["", ".", ".."].includes(this.#id)) throw new Error(t("noName", this.#id));
            const [current, delivery] = await Promise.all([
                read(activityPath(this.#id), signal.signal),
                read(activityPath(this.#id, "/phones"), signal.signal),
            ]);
            if (signal.signal.aborted) return;
            const isChanged = this.#current?.version !== current.version
                || JSON.stringify(this.#delivery?.said) !== JSON.stringify(delivery.said)
                || JSON.stringify(this.#delivery?.delivery) !== JSON.stringify(delivery.delivery);
            this.#current = current;
            this.#delivery = delivery;
            if (isChanged) {
                this.#history.forget();
                this.#detailed = null;
            }
            this.#parts.problem.hidden = true;
            await this.#draw();
        } catch (error) {
            if (signal.signal.aborted) return;
            this.#parts.problem.hidden = false;
            setText(this.#parts.problem, error.message);
        }
        if (!signal.signal.aborted) this.#restSoon(REST_MS);
    }

    #restSoon(delay) {
        clearTimeout(this.#timers.rest);
        this.#timers.rest = setTimeout(() => this.#load(), document.hidden ? 15_000 : delay);
    }

    #build() {
        const slot = (name, className) => el(name, className);
        const parts = (this.#parts = {
            title: slot("h2", ""), id: slot("code", "id"), state: slot("p", "states"),
            problem: slot("p", "banner"), truth: slot("p", "truth"), past: slot("p", "past"),
            reached: slot("p", "hint"), fault: slot("p", "fault"),
            why: slot("div", "stack"), state_: slot("div", "stack"), payload: slot("div", "stack"),
            phones: slot("div", "stack"), letters: slot("div", "stack"), at: slot("output", "at"),
            timeline: new Timeline((version) => this.#choose(version)),
        });
        parts.problem.hidden = true;
        parts.problem.setAttribute("role", "alert");
        const back = link("/dashboard", "back", `← ${t("activities")}`);
        const tools = el("div", "tools",
            button(t("copyLink"), "plain", (event) => this.#copyLink(event.target)),
            button(t("evidence"), "plain", (event) => this.#save(event.target)));
        const section = (title, ...content) => el("section", "panel", el("h3", "", title), ...content);
        $("activity").replaceChildren(
            back, el("header", "title-bar", el("div", "", parts.title, parts.id), parts.state, tools),
            parts.problem, parts.fault, this.#slider(),
            el("div", "moment",
                el("div", "stack", this.#sketches(), parts.truth, parts.past, parts.reached),
                section(t("why"), parts.why),
                section(t("timeline"), this.#finder(), parts.timeline.element)),
            el("div", "beside",
                section(t("contentState"), parts.state_), section(t("payload"), parts.payload)),
            section(t("phones"), parts.phones), section(t("deadLettersTitle"), parts.letters),
            section(t("inTheShell"), copyable(
                `islet replay show ${shellWord(this.#id)}`, t("copy"), t("copied"))));
    }

    #slider() {
        const label = el("label", "", t("versionLabel"));
        label.htmlFor = "version";
        const range = el("input");
        Object.assign(range, { type: "range", id: "version", min: 1, max: 1, step: 1 });
        range.addEventListener("input", () => this.#slide(Number(range.value)));
        const speed = el("select", "", ...SPEEDS.map((each) => new Option(`${each}×`, each, false, each === 60)));
        speed.setAttribute("aria-label", t("speed"));
        const play = button(t("play"), "plain", () => (this.#timers.play ? this.#stop() : this.#play()));
        const now = button(t("backToNow"), "plain", () => this.#choose(null));
        Object.assign(this.#parts, { range, speed, play, now });
        return el("div", "slider", label, range, this.#parts.at, play, speed, now);
    }

    #sketches() {
        const sketch = new Sketch(["compact", "minimal", "expanded", "lock"]);
        this.#parts.sketch = sketch;
        const size = (large, name) => {
            const press = button(name, "plain small", () => {
                this.#settings.large = large;
                this.#applyLook();
            });
            press.dataset.large = large;
            return press;
        };
        const looks = LOOKS.map((look) => {
            const press = button(t(`look_${look}`), "plain small", () => {
                this.#settings.look = look;
                this.#applyLook();
            });
            press.dataset.look = look;
            return press;
        });
        this.#parts.choices = el("div", "choices", size(false, "393 × 852"), size(true, "430 × 932"), ...looks);
        return el("div", "stack", this.#parts.choices, sketch.element);
    }

    #applyLook() {
        const { sketch, choices } = this.#parts;
        const { large, look } = this.#settings;
        sketch.element.classList.toggle("large", large);
        sketch.element.dataset.look = look;
        for (const press of choices.children) {
            const isOn = "look" in press.dataset
                ? press.dataset.look === look : (press.dataset.large === "true") === large;
            press.setAttribute("aria-pressed", isOn);
        }
        this.#drawSketch();
    }

    #finder() {
        const field = el("input");
        Object.assign(field, { type: "search", placeholder: t("eventID"), maxLength: 200 });
        field.setAttribute("aria-label", t("eventID"));
        const answer = el("span", "hint");
        answer.setAttribute("role", "status");
        const form = el("form", "finder", field, button(t("find"), "plain small", () => form.requestSubmit()), answer);
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            const wanted = field.value.trim();
            if (!wanted) return;
            setText(answer, t("looking"));
            for await (const page of this.#history.all(this.#current.version, 10_000)) {
                const found = page.find((each) => each.event.id === wanted);
                if (!found) continue;
                setText(answer, t("foundAt", found.version));
                return this.#choose(found.version);
            }
            setText(answer, t("noSuchEvent"));
        });
        return form;
    }

    /** The version that is looked at. */
    get #shown() {
        return Math.min(this.#version ?? this.#current.version, this.#current.version);
    }

    #choose(version) {
        this.#stop();
        this.#move(version);
    }

    /** The address keeps the moment, and going back leads out of the page at once. */
    #move(version) {
        this.#version = version === this.#current.version ? null : version;
        const address = new URLSearchParams({ activity: this.#id });
        if (this.#version !== null) address.set("version", this.#version);
        history.replaceState(null, "", `/dashboard?${address}`);
        return this.#draw();
    }

    #slide(version) {
        this.#stop();
        this.#showAt(version);
        clearTimeout(this.#timers.slide);
        this.#timers.slide = setTimeout(() => this.#move(version), SLIDE_MS);
    }

    async #play() {
        if (this.#shown >= this.#current.version) await this.#move(1);
        setText(this.#parts.play, t("pause"));
        const step = async () => {
            const next = await this.#history.at(this.#shown + 1);
            if (!next || !this.#timers.play) return this.#stop();
            await this.#move(next.version);
            const after = await this.#history.at(next.version + 1);
            if (!after || !this.#timers.play) return this.#stop();
            const real = Date.parse(after.event.recordedat) - Date.parse(next.event.recordedat);
            const wait = real / Number(this.#parts.speed.value);
            this.#timers.play = setTimeout(step, Math.min(STEP_MS_MAX, Math.max(STEP_MS_MIN, wait)));
        };
        this.#timers.play = setTimeout(step, STEP_MS_MIN);
    }

    #stop() {
        clearTimeout(this.#timers.play);
        this.#timers.play = null;
        if (this.#parts) setText(this.#parts.play, t("play"));
    }

    async #draw() {
        const parts = this.#parts;
        const activity = this.#current;
        const version = this.#shown;
        parts.range.max = activity.version;
        if (document.activeElement !== parts.range || this.#timers.play) parts.range.value = version;
        parts.now.hidden = this.#version === null;
        parts.fault.hidden = !activity.fault;
        parts.fault.replaceChildren(...(activity.fault ? [t("faultText", activity.fault), " ", link(
            `/dashboard?view=blocked&activity=${encodeURIComponent(activity.id)}`, "", t("unblock"))] : []));
        setText(parts.id, activity.id);
        const phase = el("span", "phase", t(activity.phase));
        phase.dataset.phase = activity.phase;
        parts.state.replaceChildren(el("span", "kind", spaced(activity.kind)), " ", phase, " ", link(
            `/dashboard?view=policies&kind=${activity.kind}&activity=${encodeURIComponent(activity.id)}`,
            "go small", t("whatIf")));
        let around = [];
        try {
            around = await this.#history.around(version);
        } catch (error) {
            if (!this.#signal.signal.aborted) setText(parts.past, error.message);
            return;
        }
        if (this.#parts !== parts || this.#shown !== version) return;
        this.#seen = around.find((each) => each.version === version) ?? null;
        this.#showAt(version);
        parts.timeline.show(around, version);
        this.#applyLook();
        await this.#drawDetails(version);
    }

    #showAt(version) {
        const decidedAt = this.#seen?.version === version ? this.#seen.event.recordedat : null;
        setText(this.#parts.at, t("versionOf", version, this.#current.version)
            + (decidedAt ? ` · ${moment(decidedAt)}` : ""));
        this.#parts.range.setAttribute("aria-valuetext", this.#parts.at.textContent);
    }

    #drawSketch() {
        const parts = this.#parts;
        if (!this.#current) return;
        const isNow = this.#version === null;
        const decision = this.#seen?.decision ?? null;
        const shown = isNow ? this.#current.presentation : decision?.presentation ?? null;
        const { level, text } = isNow ? truth(this.#delivery) : pastTruth(decision);
        const element = parts.sketch.element;
        readAt(element, isNow ? null : Date.parse(this.#seen?.event.recordedat));
        const at = isNow ? Date.now() : Date.parse(this.#seen?.event.recordedat);
        const staleAt = isNow ? this.#current.staleAt : decision?.staleAt;
        element.dataset.stale = Boolean(staleAt && Date.parse(staleAt) <= at);
        parts.sketch.show(shown, level, t("sketch"));
        const title = shown?.lockScreen?.[0]?.text || this.#id;
        setText(parts.title, title);
        document.title = `${title} · Islet`;
        parts.truth.className = `truth ${level}`;
        setText(parts.truth, text);
        const notes = [];
        if (!isNow) notes.push(t("inThePast"));
        if (element.dataset.stale === "true") notes.push(t("isStale"));
        if ((isNow ? this.#current.phase : decision?.verdict) === (isNow ? "ended" : "end")) notes.push(t("isEnded"));
        setText(parts.past, notes.join(" "));
        parts.past.hidden = notes.length === 0;
        const acceptedAt = this.#delivery.delivery.acceptedAt;
        parts.reached.hidden = !isNow || !acceptedAt;
        if (!parts.reached.hidden) {
            const time = parts.reached.querySelector("time") ?? el("time");
            setSince(time, acceptedAt);
            parts.reached.replaceChildren(
                t("newestAccepted", this.#delivery.delivery.acceptedVersion), " ", time);
        }
    }

    async #drawDetails(version) {
        const key = `${version} ${this.#version === null}`;
        if (this.#detailed === key) return;
        this.#detailed = key;
        const parts = this.#parts;
        const { signal } = this.#signal;
        const fill = async (slot, make) => {
            try {
                const content = await make();
                if (this.#detailed === key && this.#parts === parts) slot.replaceChildren(...content);
            } catch (error) {
                if (!signal.aborted && this.#parts === parts) slot.replaceChildren(el("p", "hint", error.message));
            }
        };
        const decision = this.#seen?.decision;
        await Promise.all([
            fill(parts.why, () => why(this.#id, version, signal)),
            fill(parts.payload, () => payload(this.#id, version, signal, decision?.verdict === "hold")),
            fill(parts.state_, async () => [code(t("contentState"),
                this.#version === null ? this.#current.contentState : decision?.contentState ?? null)]),
            fill(parts.phones, async () => phones(this.#delivery, this.#delivery.said?.isPending
                ? this.#delivery.delivery.acceptedVersion : this.#delivery.said?.version)),
            fill(parts.letters, () => letters(this.#id, signal, this.#can("admin"), (letter) => this.#retry(letter))),
        ]);
    }

    async #retry(letter) {
        const { ask } = await import("./ask.js");
        if (!await ask(t("retryAsk", letter.to), t("retry"))) return;
        try {
            await call("POST", `/v1/dead-letters/${encodeURIComponent(letter.id)}/retry`);
        } catch (error) {
            setText(this.#parts.problem, error.message);
            this.#parts.problem.hidden = false;
        }
        this.#detailed = null;
        await this.#load();
    }

    async #copyLink(press) {
        const address = new URLSearchParams({ activity: this.#id, version: this.#shown });
        await navigator.clipboard.writeText(`${location.origin}/dashboard?${address}`);
        setText(press, t("copied"));
        setTimeout(() => setText(press, t("copyLink")), 2000);
    }

    async #save(press) {
        press.disabled = true;
        try {
            const { download, evidence } = await import("./evidence.js");
            download(`islet-evidence-${this.#id.replace(/[^\w.-]+/g, "_")}.json`,
                await evidence(this.#id, this.#history, this.#current.version));
        } catch (error) {
            setText(this.#parts.problem, error.message);
            this.#parts.problem.hidden = false;
        }
        press.disabled = false;
        press.focus();
    }
}

/** As a shell takes it for one word. */
function shellWord(text) {
    return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
