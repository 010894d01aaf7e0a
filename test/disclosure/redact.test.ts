import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  allQuestions,
  askBefore,
  type Before,
  type DisclosureKit,
  disclosureKit,
  hiddenOf,
  leaksOf,
  NO_LEAKS,
  repeatsOf,
  silentBefore,
} from './kit.js';
import type { DisclosedWorld } from './world.js';

let kit: DisclosureKit;
let world: DisclosedWorld;
let before: Before;

beforeAll(async () => {
  kit = await disclosureKit();
  world = await kit.world();
  before = await askBefore(world.clerk, world);
  const { ids, marker } = world;
  const redactions = [
    ...['event', 'rival', 'rawEvent'].map((kind) => ({
      subject: { kind: 'EVENT', id: ids[kind] },
      pointers: ['/payload', '/source_record_id'],
    })),
    { subject: { kind: 'DOCUMENT', id: ids['document'] }, terms: [marker] },
  ];
  for (const redaction of redactions) {
    const why = { reason: 'Names a third person.', basis: '45 CFR 164.502(b)' };
    const draft = await world.clerk.post('/v1/redactions', { ...why, ...redaction });
    const done = await world.counsel.post(`/v1/redactions/${draft.json?.redaction_id}/apply`, {});
    if (done.status !== 200) throw new Error(`not redacted: ${draft.text} ${done.text}`);
    world = { ...world, ids: { ...ids, redaction: draft.json.redaction_id } };
  }
}, 300_000);

afterAll(() => kit.stop());

describe('a redaction', () => {
  it('follows answers with the word on each channel', () => {
    expect(silentBefore(before)).toEqual([]);
  });

  it('hides the word from each route and each field of the graph, from cursors and entity tags', async () => {
    const questions = [...allQuestions(world), ...before.again];
    expect(await leaksOf(world.clerk, world, questions, hiddenOf(world))).toEqual(NO_LEAKS);
  });

  it('hides it from replays under an Idempotency-Key and from redeliveries', async () => {
    expect(await leaksOf(world.clerk, world, repeatsOf(world), [])).toEqual(NO_LEAKS);
    for (const { body } of kit.receiver.received) expect(body.toString()).not.toContain(world.marker);
  });

  it('hides it from readers of another process on the same database', async () => {
    const questions = [...before.disclosed, ...before.again, ...repeatsOf(world)];
    const reader = kit.other.as(world.clerk.key);
    expect(await leaksOf(reader, world, questions, [])).toEqual(NO_LEAKS);
  });

  it('leaves older bundles to readers of originals', async () => {
    const { ids, tenantId, clerk } = world;
    const scopes = ['bundles:export', 'bundles:read', 'documents:unredacted'];
    const made = await kit.operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'trusted', scopes });
    const trusted = kit.operator.as(made.json.api_key);
    for (const path of ['download', 'edx']) {
      const refused = await clerk.get(`/v1/bundles/${ids['bundle']}/${path}`);
      expect(refused).toMatchObject({ status: 403, json: { code: 'FORBIDDEN', redaction_ids: expect.any(Array) } });
      expect(refused.json.redaction_ids).toHaveLength(4);
      expect(refused.json.regenerate).toBe(`/v1/bundles/${ids['bundle']}/regenerate`);
      expect((await trusted.get(`/v1/bundles/${ids['bundle']}/${path}`)).text).toContain(world.marker);
    }
  });

  it('leaves the word in no log', () => {
    expect(kit.log()).not.toContain(world.marker);
  });
});
