import { activityPath, call, read } from "./api.js";
import { moment, readAt, serverNow, setSince } from "./clocks.js";
import { $, ask, button, copyText, copyable, el, letterName, link, setText, spaced, statusLine } from "./dom.js";
import { Details } from "./details.js";
import { History, Timeline, download, evidence, finder, pastTruth } from "./history.js";
import { Sketch, truth } from "./phone.js";
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
/** Versions in which an event is looked for. */
const FOUND_MAX = 10_000;

/** One activity, now or at one of its versions; everything on the page follows the same one. */
export class ActivityPage {
    #can;
    #tenant;
    #id = null;
    #version = null;
    /** That was recorded: a parked one is not folded. */
    #newest = 0;
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
    /** What its card said; null of now's, which is the activity's own. */
    #card = null;

    constructor({ can, tenant }) {
        this.#can = can;
        this.#tenant = tenant;
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
            document.title = `${id} · Islet`;
            await this.#load();
        } else if (version !== this.#version) {
            this.#version = version;
            if (this.#current) await this.#draw();
        }
    }

    close() {
        this.#stop();
        this.#signal?.abort();
        for (const timer of Object.values(this.#timers)) clearTimeout(timer);
        this.#timers = { rest: null, slide: null, play: null };
        this.#id = null;
        this.#current = null;
        this.#delivery = null;
        this.#detailed = null;
        this.#seen = null;
        this.#card = null;
        this.#parts = null;
        $("activity").replaceChildren();
    }

    /** A line that the stream tells. */
    take(row) {
        if (row.id === this.#id && row.version > (this.#current?.version ?? 0)) this.#restSoon(100);
    }

    redraw() {
        if (this.#id === null) return;
        this.#stop();
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
                || standings(this.#delivery) !== standings(delivery);
            this.#current = current;
            this.#delivery = delivery;
            if (isChanged) {
                this.#history.forget();
                this.#detailed = null;
            }
            await this.#draw();
        } catch (error) {
            if (signal.signal.aborted) return;
            this.#fail(error);
        }
        if (!signal.signal.aborted) this.#restSoon(REST_MS);
    }

    /** What cannot be read is said until it can. */
    #fail(error) {
        setText(this.#parts.problem, error.message);
        this.#parts.problem.hidden = false;
    }

    #restSoon(delay) {
        clearTimeout(this.#timers.rest);
        this.#timers.rest = setTimeout(() => this.#load(), document.hidden ? 15_000 : delay);
    }

    #build() {
        const parts = (this.#parts = {
            title: el("h2", ""), id: el("code", "id"), state: el("p", "states"),
            problem: el("p", { className: "banner", role: "alert" }), truth: el("p", "truth"), past: el("p", "past"),
            reached: el("p", "hint"), newest: el("span"), since: el("time"), fault: el("p", "fault"),
            details: new Details(), at: el("output", "at"),
            said: statusLine(), body: el("div", "one"),
            timeline: new Timeline((version) => this.#choose(version)),
        });
        // Before it is read there is nothing to use.
        parts.problem.hidden = parts.body.hidden = true;
        parts.reached.append(parts.newest, " ", parts.since);
        const back = link("/dashboard", "back", `← ${t("activities")}`);
        const tools = el("div", "tools",
            button(t("copyLink"), "plain", (event) => this.#copyLink(event.target)),
            button(t("evidence"), "plain", (event) => this.#save(event.target)));
        const { slots } = parts.details;
        const section = (title, ...content) => el("section", "panel", el("h3", "", title), ...content);
        parts.body.append(
            el("header", "title-bar", el("div", "", parts.title, parts.id), parts.state, tools),
            parts.said.element, parts.fault, this.#slider(),
            el("div", "moment",
                el("div", "stack", this.#sketches(), parts.truth, parts.past, parts.reached),
                section(t("why"), slots.why),
                section(t("timeline"), finder(
                    () => this.#history.all(this.#newest, FOUND_MAX), (version) => this.#choose(version),
                ), parts.timeline.element)),
            el("div", "beside",
                section(t("contentState"), slots.state), section(t("payload"), slots.payload)),
            section(t("phones"), slots.phones), section(t("deadLettersTitle"), slots.letters),
            section(t("inTheShell"), copyable(
                `islet replay show --tenant ${shellWord(this.#tenant())} ${shellOperand(this.#id)}`)));
        $("activity").replaceChildren(back, parts.problem, parts.body);
    }

    #slider() {
        const range = el("input", {
            type: "range", id: "version", min: 1, max: 1, oninput: () => this.#slide(Number(range.value)),
        });
        const speed = el("select", { ariaLabel: t("speed") },
            ...SPEEDS.map((each) => new Option(`${each}×`, each, false, each === 60)));
        const play = button(t("play"), "plain", () => (this.#timers.play ? this.#stop() : this.#play()));
        const now = button(t("backToNow"), "plain", () => this.#choose(null));
        Object.assign(this.#parts, { range, speed, play, now });
        return el("div", "panel slider", el("label", { htmlFor: range.id }, t("versionLabel")), range, this.#parts.at, play, speed, now);
    }

    #sketches() {
        const sketch = new Sketch(["compact", "minimal", "expanded", "lock"]);
        this.#parts.sketch = sketch;
        const choice = (name, value, text) => [name, value, button(text, "plain small", () => {
            this.#settings[name] = value;
            this.#applyLook();
        })];
        this.#parts.choices = [
            choice("large", false, "393 × 852"), choice("large", true, "430 × 932"),
            ...LOOKS.map((look) => choice("look", look, t(`look_${look}`))),
        ];
        return el("div", "stack", el("div", "choices", ...this.#parts.choices.map(([, , press]) => press)),
            sketch.element);
    }

    #applyLook() {
        const { sketch, choices } = this.#parts;
        const { large, look } = this.#settings;
        sketch.element.classList.toggle("large", large);
        sketch.element.dataset.look = look;
        for (const [name, value, press] of choices) press.ariaPressed = this.#settings[name] === value;
        this.#drawSketch();
    }

    /** The version that is looked at. */
    get #shown() {
        return this.#version ?? this.#current.version;
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
        history.replaceState(history.state, "", `/dashboard?${address}`);
        return this.#draw();
    }

    #slide(version) {
        this.#stop();
        this.#showAt(version);
        clearTimeout(this.#timers.slide);
        this.#timers.slide = setTimeout(() => {
            this.#timers.slide = null;
            this.#move(version);
        }, SLIDE_MS);
    }

    async #play() {
        const parts = this.#parts;
        if (this.#shown >= this.#current.version) await this.#move(1);
        if (this.#parts !== parts) return;
        setText(this.#parts.play, t("pause"));
        const step = () => this.#step(step).catch(() => this.#stop());
        this.#timers.play = setTimeout(step, STEP_MS_MIN);
    }

    async #step(again) {
        const next = await this.#history.at(this.#shown + 1);
        if (!next || !this.#timers.play) return this.#stop();
        await this.#move(next.version);
        const after = await this.#history.at(next.version + 1);
        if (!after || !this.#timers.play) return this.#stop();
        const real = Date.parse(after.event.recordedat) - Date.parse(next.event.recordedat);
        const wait = real / Number(this.#parts.speed.value);
        this.#timers.play = setTimeout(again, Math.min(STEP_MS_MAX, Math.max(STEP_MS_MIN, wait)));
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
        // What goes out of sight loses the focus.
        if (this.#version === null && document.activeElement === parts.now) parts.range.focus();
        parts.now.hidden = this.#version === null;
        this.#drawHead(parts, activity);
        let around = [];
        let newest = 0;
        let card = null;
        try {
            [around, newest] = await Promise.all(
                [this.#history.around(version), this.#history.newest(activity.version)]);
            if (this.#version === version && version <= newest) card = await this.#history.card(version);
        } catch (error) {
            if (this.#parts === parts) this.#fail(error);
            return;
        }
        if (this.#parts !== parts || this.#shown !== version) return;
        this.#newest = newest;
        if (version > newest) {
            // There is no such version yet: what there is now is no past.
            this.#version = null;
            return this.#draw();
        }
        parts.range.max = newest;
        // Unless it is being moved: then it is ahead of what is shown.
        if (this.#timers.slide === null) parts.range.value = version;
        parts.problem.hidden = true;
        parts.body.hidden = false;
        this.#seen = around.find((each) => each.version === version) ?? null;
        this.#card = card;
        this.#showAt(version);
        parts.timeline.show(around, version);
        this.#applyLook();
        await this.#drawDetails(version);
    }

    /** Unchanged it is left alone: somebody may be on one of its links. */
    #drawHead(parts, activity) {
        const head = `${activity.phase} ${activity.fault}`;
        if (parts.head === head) return;
        parts.head = head;
        parts.fault.hidden = !activity.fault;
        parts.fault.replaceChildren(...(activity.fault ? [t("faultText", activity.fault), " ", link(
            `/dashboard?view=blocked&activity=${encodeURIComponent(activity.id)}`, "", t("unblock"))] : []));
        setText(parts.id, activity.id);
        const phase = el("span", "phase", t(activity.phase));
        phase.dataset.phase = activity.phase;
        parts.state.replaceChildren(el("span", "kind", spaced(activity.kind)), " ", phase, " ", link(
            `/dashboard?view=policies&kind=${activity.kind}&activity=${encodeURIComponent(activity.id)}`,
            "go small", t("whatIf")));
    }

    #showAt(version) {
        const decidedAt = this.#seen?.version === version ? this.#seen.event.recordedat : null;
        setText(this.#parts.at, t("versionOf", version, this.#newest)
            + (decidedAt ? ` · ${moment(decidedAt)}` : ""));
        this.#parts.range.ariaValueText = this.#parts.at.textContent;
    }

    #drawSketch() {
        const parts = this.#parts;
        if (!this.#current) return;
        const isNow = this.#version === null;
        const decision = this.#seen?.decision ?? null;
        const shown = isNow ? this.#current.presentation : this.#card?.presentation ?? null;
        const { level, text } = isNow ? truth(this.#delivery) : pastTruth(decision);
        const element = parts.sketch.element;
        readAt(element, isNow ? null : Date.parse(this.#seen?.event.recordedat));
        const at = isNow ? serverNow() : Date.parse(this.#seen?.event.recordedat);
        const staleAt = isNow ? this.#current.staleAt : decision?.staleAt;
        element.dataset.stale = Boolean(staleAt && Date.parse(staleAt) <= at);
        parts.sketch.show(shown, level, t("sketch"));
        const title = (shown ?? this.#current.presentation)?.lockScreen?.[0]?.text || this.#id;
        setText(parts.title, title);
        document.title = `${title} · Islet`;
        parts.truth.className = `truth ${level}`;
        setText(parts.truth, text);
        const notes = [];
        if (this.#version !== null && this.#version < this.#current.version) notes.push(t("inThePast"));
        if (!isNow && this.#card?.problem) notes.push(this.#card.problem);
        if (element.dataset.stale === "true") notes.push(t("isStale"));
        if ((isNow ? this.#current.phase : decision?.verdict) === (isNow ? "ended" : "end")) notes.push(t("isEnded"));
        setText(parts.past, notes.join(" "));
        parts.past.hidden = notes.length === 0;
        const acceptedAt = this.#delivery.delivery.acceptedAt;
        parts.reached.hidden = !isNow || !acceptedAt;
        if (!parts.reached.hidden) {
            setText(parts.newest, t("newestAccepted", this.#delivery.delivery.acceptedVersion));
            setSince(parts.since, acceptedAt);
        }
    }

    async #drawDetails(version) {
        const isNow = this.#version === null;
        const key = `${version} ${isNow}`;
        if (this.#detailed === key) return;
        this.#detailed = key;
        const decision = this.#seen?.decision;
        const isWhole = await this.#parts.details.show({
            id: this.#id, version, delivery: this.#delivery,
            state: isNow ? this.#current.contentState : decision?.contentState,
            isHeld: decision?.verdict === "hold", canRetry: this.#can("admin"),
        }, {
            onRetry: (letter) => this.#retry(letter),
            onMore: () => {
                this.#detailed = null;
                this.#drawDetails(this.#shown);
            },
        }, this.#signal.signal);
        // The next look asks again.
        if (!isWhole && this.#detailed === key) this.#detailed = null;
    }

    async #retry(letter) {
        const { said } = this.#parts;
        if (!await ask(t("retryAsk", letterName(letter)), t("retry"))) return;
        try {
            await call("POST", `/v1/dead-letters/${encodeURIComponent(letter.id)}/retry`);
            said.say(t("done"));
        } catch (error) {
            said.say(error.message, true);
        }
        if (said !== this.#parts?.said) return;
        said.element.focus();
        this.#detailed = null;
        await this.#load();
    }

    #copyLink(press) {
        const address = new URLSearchParams({ activity: this.#id, version: this.#shown });
        const text = `${location.origin}/dashboard?${address}`;
        copyText(press, text, () => this.#parts.said.say(text));
    }

    async #save(press) {
        const { said } = this.#parts;
        press.disabled = true;
        said.say("");
        try {
            download(`islet-evidence-${this.#id.replace(/[^\w.-]+/g, "_")}.json`,
                await evidence(this.#id, this.#history, this.#newest));
        } catch (error) {
            said.say(error.message, true);
        }
        press.disabled = false;
        press.focus();
    }
}

/** What the page says of phones. Only the first of them are counted, so those that need help stand for themselves. */
function standings(found) {
    return JSON.stringify([found?.said, found?.delivery,
        found?.behind.map(({ id, owedAt, lastFailure }) => [id, owedAt !== null, lastFailure])]);
}

/** As a shell takes it for one word, and a command for no option. */
function shellWord(text) {
    return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** No option, also if it begins as one. */
function shellOperand(text) {
    return text.startsWith("-") ? `-- ${shellWord(text)}` : shellWord(text);
}
