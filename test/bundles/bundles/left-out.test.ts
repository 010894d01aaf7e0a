import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { download, eventOf, opened, postEvents, sealed } from '../bundles-kit.js';

// A bundle shows what it leaves out by hash alone; the list of events tells time and source to a reader with a purpose.

const MEMBER = 'M-1';
const COUNT = 6;
/** The first event of the window. */
const FROM = 4;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
}, 180_000);
afterAll(() => service.stop());

interface LeftOut {
  readonly entry_hash: string;
  readonly reason: string;
}

async function leftOutOf(http: Http, request: object): Promise<readonly LeftOut[]> {
  const { bundle_id } = await sealed(http, request);
  const { text } = await opened(await download(http, bundle_id));
  const [, ...rows] = (await text('proofs/logs.tsv')).trimEnd().split('\n');
  const cells = rows.map((row) => row.split('\t'));
  return cells.flatMap(([, , entry_hash = '', event, reason = '']) => (event === '-' ? [{ entry_hash, reason }] : []));
}

describe('an event that a bundle leaves out', () => {
  it('is found by its hash, with time and source, in the list of its member', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const events = Array.from({ length: COUNT }, (_, n) => eventOf(MEMBER, n));
    const ids = await postEvents(http, events);
    const from = events[FROM]?.event_effective_timestamp;
    const leftOut = await leftOutOf(http, { scope: { member_id: MEMBER, from } });
    expect(leftOut.map(({ reason }) => reason)).toEqual(Array.from({ length: FROM }, () => 'OUT_OF_WINDOW'));
    const { json } = await http.get(`/v1/events?member_id=${MEMBER}&purpose=LITIGATION`);
    const byHash = new Map<string, Document>(json.items.map((item: Document) => [item['entry_hash'], item]));
    // The log is in the order of the tree, which is by source.
    const found = leftOut.map(({ entry_hash }) => byHash.get(entry_hash) ?? {});
    expect(found.map((item) => item['event_id']).sort()).toEqual(ids.slice(0, FROM).sort());
    for (const item of found) {
      const { source_system, event_effective_timestamp } = events[ids.indexOf(item['event_id'])] ?? {};
      expect(item).toMatchObject({ source_system, event_effective_timestamp, recorded_at: expect.any(String) });
    }
  });

  it('stays unknown to a purpose that consent denies', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    await postEvents(
      http,
      Array.from({ length: COUNT }, (_, n) => eventOf(MEMBER, n)),
    );
    const consent = { member_id: MEMBER, decision: 'DENY', purpose: 'MARKETING' };
    expect((await http.post('/v1/consent', consent)).json).toMatchObject({ status: 'ACTIVE' });
    const leftOut = await leftOutOf(http, { scope: { member_id: MEMBER }, purpose: 'MARKETING' });
    expect(leftOut.map(({ reason }) => reason)).toEqual(Array.from({ length: COUNT }, () => 'WITHHELD'));
    const { text } = await http.get(`/v1/events?member_id=${MEMBER}&purpose=MARKETING`);
    for (const { entry_hash } of leftOut) expect(text).not.toContain(entry_hash);
  });
});
