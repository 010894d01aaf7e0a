import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import {
  allQuestions,
  askBefore,
  type Before,
  type DisclosureKit,
  disclosureKit,
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
  const { clerk, member } = world;
  const { json } = await clerk.post('/v1/data-rights', { member_id: member, right: 'ERASURE' });
  const path = `/v1/data-rights/${json.data_right_id}`;
  await clerk.post(`${path}/verify`, { how: 'Photo identification.' });
  await clerk.post(`${path}/start`, {});
  const erased = await eventually(
    () => clerk.get(path),
    ({ json: right }) => right.fulfilment?.complete === true,
  );
  const disposed = { events: 3, documents: 1 };
  expect(erased.json.fulfilment).toMatchObject({ complete: true, disposed, refused: [] });
}, 300_000);

afterAll(() => kit.stop());

describe('an erasure that a member requests', () => {
  it('follows answers with the word on each channel', () => {
    expect(silentBefore(before)).toEqual([]);
  });

  it('removes the word from each route and each field of the graph, from cursors and entity tags', async () => {
    const questions = [...allQuestions(world), ...before.again];
    expect(await leaksOf(world.clerk, world, questions, [])).toEqual(NO_LEAKS);
  });

  it('removes it from replays under an Idempotency-Key and from redeliveries', async () => {
    expect(await leaksOf(world.clerk, world, repeatsOf(world), [])).toEqual(NO_LEAKS);
    for (const { body } of kit.receiver.received) expect(body.toString()).not.toContain(world.marker);
  });

  it('removes it from readers of another process on the same database', async () => {
    const questions = [...before.disclosed, ...before.again, ...repeatsOf(world)];
    expect(await leaksOf(kit.other.as(world.clerk.key), world, questions, [])).toEqual(NO_LEAKS);
  });

  it('leaves older bundles to readers of originals, and names how to make a new one', async () => {
    const { ids, tenantId, clerk } = world;
    const scopes = ['bundles:export', 'bundles:read', 'documents:unredacted'];
    const made = await kit.operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'trusted', scopes });
    const trusted = kit.operator.as(made.json.api_key);
    for (const path of ['download', 'edx']) {
      const refused = await clerk.get(`/v1/bundles/${ids['bundle']}/${path}`);
      const regenerate = `/v1/bundles/${ids['bundle']}/regenerate`;
      expect(refused).toMatchObject({ status: 403, json: { code: 'FORBIDDEN', redaction_ids: [], regenerate } });
      expect(refused.json.disposed).toBe(4);
      expect((await trusted.get(`/v1/bundles/${ids['bundle']}/${path}`)).text).toContain(world.marker);
    }
  });

  it('leaves the word in no log', () => {
    expect(kit.log()).not.toContain(world.marker);
  });
});
