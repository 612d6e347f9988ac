import { activityPath, read } from "./api.js";

/** As many versions as a complaint is about, and more than a browser's memory minds. */
const VERSIONS_MAX = 5_000;

/**
 * What shows what happened and when, without what it was about: of values only their kinds and
 * lengths, and neither names, nor texts, nor tokens. What is not named here is left out.
 */
export async function evidence(id, history, newest) {
    const [phones, letters] = await Promise.all([
        read(activityPath(id, "/phones?limit=500")),
        read(`/v1/dead-letters?activity=${encodeURIComponent(id)}&limit=100`),
    ]);
    const versions = [];
    for await (const page of history.all(newest, VERSIONS_MAX)) {
        for (const { event, decision } of page) {
            versions.push({ event: redactedEvent(event), decision: decision && redactedDecision(decision) });
        }
    }
    return {
        form: "islet-evidence/1", madeAt: new Date().toISOString(), activity: id, newest,
        isWhole: newest <= VERSIONS_MAX, versions,
        delivery: phones.delivery, closed: phones.closed,
        phones: [...phones.phones, ...phones.gone],
        deadLetters: letters.deadLetters.map(({ carrier, attempts, version, givenUpAt, reason }) =>
            ({ carrier, attempts, version, givenUpAt, reason })),
    };
}

function redactedEvent({ type, time, recordedat, position, version, schemaversion, data }) {
    return { type, time, recordedat, position, version, schemaversion, data: covered(data) };
}

function redactedDecision(decision) {
    const { version, position, verdict, significance, rule, policyVersion, rulesVersion, order } = decision;
    const { bytes, staleAt, dismissAt, relevanceScore, decidedAt, outcome, changes } = decision;
    return {
        version, position, verdict, significance, rule, policyVersion, rulesVersion, order, bytes,
        staleAt, dismissAt, relevanceScore, decidedAt, outcome, hasAlert: decision.alert !== null,
        changed: (changes ?? []).map((change) => change.member),
    };
}

/** The shape of a value. */
function covered(value) {
    if (value === null || typeof value === "boolean") return typeof value;
    if (Array.isArray(value)) return value.map(covered);
    if (typeof value === "object") {
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, covered(each)]));
    }
    return typeof value === "string" ? `text of ${value.length}` : typeof value;
}

export function download(name, document_) {
    const url = URL.createObjectURL(
        new Blob([JSON.stringify(document_, null, 2)], { type: "application/json" }));
    const anchor = document.createElement("a");
    anchor.href = url;
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
