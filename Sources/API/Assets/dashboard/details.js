import { activityPath, read } from "./api.js";
import { moment, since } from "./clocks.js";
import { button, el, facts, letterName, table } from "./dom.js";
import { number, t } from "./words.js";

/** Phones that are read at once when somebody wants to see more. */
const MORE_PHONES = 500;

/**
 * What there is to say of the version that is looked at, each in its slot. A slot that shows it
 * already is left alone: somebody may read it, have marked it, or be on one of its buttons.
 */
export class Details {
    slots = Object.fromEntries(
        ["why", "payload", "state", "phones", "letters"].map((name) => [name, el("div", "stack")]));
    /** By slot, what is drawn in it. */
    #shown = new Map();
    /** The newest call: what an older one finds is not shown any more. */
    #call = 0;
    /** How many pages of phones beyond the first somebody has asked for. */
    #morePages = 0;

    /**
     * @param looked {id, version, state, delivery, isHeld, canRetry}
     * @param onRetry called with the dead letter.
     * @param onMore called to show it once more, with more phones.
     * @returns whether all of it is shown that can be.
     */
    async show({ id, version, state, delivery, isHeld, canRetry }, { onRetry, onMore }, signal) {
        const call = (this.#call += 1);
        let isWhole = true;
        const fill = async (name, reading, draw) => {
            let found;
            try {
                found = await reading;
            } catch (error) {
                if (signal.aborted) return;
                isWhole &&= !error.mayPass;
                found = error.message;
                draw = (text) => [el("p", "hint", text)];
            }
            const shown = JSON.stringify(found);
            if (this.#call !== call || this.#shown.get(name) === shown) return;
            this.#shown.set(name, shown);
            const slot = this.slots[name];
            const hadFocus = slot.contains(document.activeElement?.closest(".further, table"));
            slot.replaceChildren(...draw(found));
            // Who asked for more goes on from there, or from the list that has no more.
            if (hadFocus) (slot.querySelector(".further") ?? slot.querySelector("table"))?.focus({ preventScroll: true });
        };
        const ask = (path) => read(path, signal);
        await Promise.all([
            fill("why", ask(activityPath(id, `/why?version=${version}`)), why),
            fill("payload", ask(activityPath(id, `/payload?version=${version}`))
                .then((found) => ({ ...found, isHeld })), payload),
            fill("state", { state }, () => [state === undefined
                ? el("p", "hint", t("nothingDecided")) : code(t("contentState"), state)]),
            fill("phones", this.#phones(id, delivery, ask),
                (found) => phones(found, () => {
                    this.#morePages += 1;
                    onMore();
                })),
            fill("letters", ask(`/v1/dead-letters?activity=${encodeURIComponent(id)}&limit=50`),
                ({ deadLetters }) => letters(deadLetters, canRetry, onRetry)),
        ]);
        return isWhole;
    }

    /** Those that need help first, each once. */
    async #phones(id, { closed, behind, phones: first, gone, next }, ask) {
        const served = [...first];
        for (let page = 0; page < this.#morePages && next; page += 1) {
            const more = await ask(
                activityPath(id, `/phones?after=${served.at(-1).id}&limit=${MORE_PHONES}`));
            served.push(...more.phones);
            next = more.next;
        }
        return { closed, phones: eachOnce([...behind, ...served, ...gone]), hasMore: next !== null };
    }
}

/** Phones of several lists; one that is in two of them stands where it comes first. */
export function eachOnce(phones) {
    return [...new Map(phones.map((phone) => [phone.id, phone])).values()];
}

/** Why a version was decided so: the server's own sentences, and what they rest on. */
function why(found) {
    const parts = [el("ul", "sentences", ...found.sentences.map((text) => el("li", "", ...sentence(text))))];
    const decision = found.decision;
    if (decision?.alert) {
        parts.push(el("p", "spoken", el("strong", "", decision.alert.title), " ", decision.alert.body));
    }
    if (found.changes?.length) {
        parts.push(table(t("changes"), [t("member"), t("before"), t("after")],
            found.changes.map((change) => [change.member, change.before, change.after])));
    }
    // Of what nothing was decided about, what was reported is all that there is.
    if (!decision) parts.push(code(t("event"), found.event.data));
    if (decision?.order) parts.push(gauge(decision.order));
    if (decision) {
        parts.push(facts([
            [t("rule"), decision.rule], [t("policyVersion"), decision.policyVersion],
            [t("decidedAt"), moment(decision.decidedAt)],
        ]));
    }
    return parts;
}

/** With its moments in the reader's zone; how they are in the log is in their hint. */
function sentence(text) {
    return text.split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/).map((part, index) => {
        if (index % 2 === 0) return part;
        return el("time", { dateTime: part, title: part }, moment(part));
    });
}

/** What the budget had before and after. */
function gauge({ budgetBefore, budgetAfter, priority, priorityForFrequentUpdates, sendAfter }) {
    const rows = [[t("priority"), priority === priorityForFrequentUpdates
        ? priority : t("priorities", priority, priorityForFrequentUpdates)]];
    if (sendAfter) rows.push([t("sendAfter"), moment(sendAfter)]);
    for (const name of ["standard", "frequent", "quiet"]) {
        const [before, after] = [budgetBefore?.[name], budgetAfter?.[name]];
        if (typeof before !== "number" || typeof after !== "number") continue;
        const label = t(`budget_${name}`);
        rows.push([label, `${number(before)} → ${number(after)} `, meter(label, after, Math.max(before, after, 1))]);
    }
    return facts(rows);
}

function meter(label, value, max) {
    return el("meter", { max, value, ariaLabel: label }, value);
}

/** The body of the push, as long as APNs counts it. */
function payload(found) {
    const size = (label, bytes, most) => {
        const shown = Object.assign(meter(label, bytes, most), { high: most * 0.9 });
        return [label, `${t("bytesOf", number(bytes), number(most))} `, shown];
    };
    const sizes = [size(t("contentState"), found.stateBytes, found.stateBytesMax)];
    if (found.payload === null) return [facts(sizes), el("p", "fault", t("tooLarge"))];
    sizes.unshift(size(t("payload"), found.bytes, found.bytesMax));
    const shown = [facts(sizes), code(t("payload"), found.payload)];
    return found.isHeld ? [el("p", "hint", t("wouldSay")), ...shown] : shown;
}

function code(label, value) {
    return el("pre", { className: "code", tabIndex: 0, role: "region", ariaLabel: label },
        JSON.stringify(value, null, 2));
}

/** Each phone without its token, and what apps have reported of their cards. */
function phones({ closed, phones: all, hasMore }, onMore) {
    const reported = Object.entries(closed).filter(([, count]) => count > 0);
    const parts = [el("p", "", reported.length === 0
        ? t("nothingReported")
        : t("reported", reported.map(([name, count]) => `${t(`closed_${name}`)} ${number(count)}`).join(", ")))];
    if (all.length === 0) return [...parts, el("p", "hint", t("nobodySees"))];
    const list = table(t("phones"), [t("phone"), t("app"), t("has"), t("standing"), t("registered")],
        all.map((phone) => [
            `#${phone.id}${phone.locale ? ` ${phone.locale}` : ""}`,
            `${phone.bundleId} ${phone.environment}`,
            phone.sentVersion > 0 ? t("versionShort", phone.sentVersion) : t("nothingYet"), standing(phone), since(phone.registeredAt),
        ]));
    list.tabIndex = -1;
    parts.push(list);
    if (hasMore) {
        parts.push(el("p", "hint", t("morePhones")),
            button(t("more"), "plain further", onMore));
    }
    return parts;
}

function standing(phone) {
    if (phone.closedBy) return t("closedAs", t(`closed_${phone.closedBy}`));
    if (phone.isUnfit) return t("closed_unfit");
    if (phone.deadAt) return t("closed_dead");
    if (phone.owedAt) return t("waits", phone.lastFailure ?? t("forAPush"));
    return phone.attempts > 0 ? t("gaveUp", phone.lastFailure ?? "") : t("upToDate");
}

/** Pushes, starts and webhook messages about it that were given up. */
function letters(deadLetters, canRetry, onRetry) {
    if (deadLetters.length === 0) return [el("p", "hint", t("noLetters"))];
    const retry = (letter) => Object.assign(
        button(t("retry"), "plain small", () => onRetry(letter)), { ariaLabel: `${t("retry")}: ${letterName(letter)}` });
    return [table(t("deadLettersTitle"), [t("carrier"), t("to"), t("reason"), t("attempts"), t("when")],
        deadLetters.map((letter) => [
            t(`carrier_${letter.carrier}`), letter.to, letter.reason, letter.attempts,
            canRetry && letter.canRetry
                ? el("span", "", since(letter.givenUpAt), " ", retry(letter)) : since(letter.givenUpAt),
        ]))];
}
