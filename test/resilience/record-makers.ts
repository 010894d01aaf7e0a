import { expect } from '@jest/globals';
import { envelope } from '../support/envelopes.js';
import { type Answer, Http } from '../support/http.js';
import { upload } from '../vault/vault-kit.js';

// Clients that make evidential records until the service dies, and the reads that must agree with their answers.

const SECRET = 'unutterable';

/** A read after the restart: the path, and what the answer must be. */
interface Promised {
  readonly path: string;
  readonly holds: (answer: Answer) => boolean;
}

/** What the answers of the service have promised so far. */
export type Promises = Promised[];

type Maker = (http: Http, name: string, promises: Promises) => Promise<void>;

/** @returns the JSON of an answer. @throws where the service died on the call, or rejected it. */
async function accepted(call: Promise<Answer>): Promise<Answer['json']> {
  const { status, json } = await call;
  if (status !== 200) throw new Error(`answered ${status}`);
  return json;
}

const WHY = { reason: 'Names a third person.', basis: '45 CFR 164.502(b)' };

async function redact(http: Http, draft: object): Promise<void> {
  const { redaction_id } = await accepted(http.post('/v1/redactions', { ...WHY, ...draft }));
  await accepted(http.post(`/v1/redactions/${redaction_id}/apply`, {}));
}

const documents: Maker = async (http, name, promises) => {
  const { document_id } = await accepted(upload(http, `whole ${name}`));
  promises.push({ path: `/v1/documents/${document_id}`, holds: ({ text }) => text === `whole ${name}` });
};

const redactedDocuments: Maker = async (http, name, promises) => {
  const { document_id } = await accepted(upload(http, `${name} ${SECRET}`));
  await redact(http, { subject: { kind: 'DOCUMENT', id: document_id }, terms: [SECRET] });
  promises.push({
    path: `/v1/documents/${document_id}`,
    holds: ({ text }) => text.includes(name) && !text.includes(SECRET),
  });
};

const redactedEvents: Maker = async (http, name, promises) => {
  const { event_id } = await accepted(http.post('/v1/events', { ...envelope(name), payload: { note: SECRET } }));
  await redact(http, { subject: { kind: 'EVENT', id: event_id }, pointers: ['/payload/note'] });
  promises.push({
    path: `/v1/events/${event_id}`,
    holds: ({ json, text }) => json.event_id === event_id && !text.includes(SECRET),
  });
};

const holds: Maker = async (http, name, promises) => {
  const scope = { member_ids: [`M-${name}`] };
  const reason = { reason: 'Litigation.', authority: 'Counsel' };
  const { hold_id } = await accepted(http.post('/v1/legal-holds', { name, scope, ...reason }));
  const path = `/v1/legal-holds/${hold_id}`;
  const states = ['ACTIVE', 'RELEASED'];
  promises.push({ path, holds: ({ json }) => states.includes(json.status) });
  await accepted(http.post(`${path}/release`, { ...reason, reason: 'Settled.' }));
  promises.push({ path, holds: ({ json }) => json.status === 'RELEASED' });
};

const bundles: Maker = async (http, name, promises) => {
  await accepted(http.post('/v1/events', { ...envelope(`${name}-b`), member_id: `M-${name}` }));
  const { bundle_id } = await accepted(http.post('/v1/bundles', { scope: { member_id: `M-${name}` } }));
  const path = `/v1/bundles/${bundle_id}`;
  promises.push({ path, holds: ({ json }) => json.bundle_id === bundle_id && json.status !== 'FAILED' });
};

const MAKERS: readonly Maker[] = [
  documents,
  documents,
  redactedDocuments,
  redactedEvents,
  redactedEvents,
  holds,
  holds,
  bundles,
];

/** Makes records of all kinds side by side until the service dies. */
export async function makeRecords(http: Http, round: string, promises: Promises): Promise<void> {
  await Promise.all(
    MAKERS.map(async (make, m) => {
      for (let n = 0; ; n++) {
        const died = await make(http, `${round}x${m}x${n}`, promises).then(
          () => false,
          () =>
            http.get('/v1/healthz').then(
              ({ status }) => status !== 200,
              () => true,
            ),
        );
        if (died) return;
      }
    }),
  );
}

const LISTS = ['/v1/documents', '/v1/legal-holds', '/v1/bundles', '/v1/redactions'];

/** Every promise holds, every list answers, and no row contradicts its fact. */
export async function expectKept(http: Http, promises: Promises): Promise<void> {
  for (const { path, holds: isKept } of promises) {
    const answer = await http.get(path);
    expect([path, answer.status, isKept(answer)]).toEqual([path, 200, true]);
  }
  for (const path of LISTS) expect([path, (await http.get(`${path}?limit=500`)).status]).toEqual([path, 200]);
  const { items } = (await http.get('/v1/exceptions?kind=CHAIN_BREAK')).json;
  expect(items).toEqual([]);
}
