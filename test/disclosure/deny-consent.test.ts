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
  silentBefore,
} from './kit.js';
import { type DisclosedWorld, PURPOSE } from './world.js';

let kit: DisclosureKit;
let world: DisclosedWorld;
let before: Before;

beforeAll(async () => {
  kit = await disclosureKit();
  world = await kit.world();
  before = await askBefore(world.clerk, world, PURPOSE);
  const consent = { member_id: world.member, decision: 'DENY', purpose: PURPOSE };
  const denied = await world.clerk.post('/v1/consent', consent);
  if (denied.status !== 200) throw new Error(`not denied: ${denied.text}`);
}, 300_000);

afterAll(() => kit.stop());

describe('a denied consent', () => {
  it('follows answers for the purpose with the word on each channel', () => {
    expect(silentBefore(before, PURPOSE)).toEqual([]);
  });

  it('withholds the records from each route and each field of the graph that takes the purpose', async () => {
    const questions = [...allQuestions(world, PURPOSE), ...before.again];
    expect(await leaksOf(world.clerk, world, questions, hiddenOf(world))).toEqual(NO_LEAKS);
  });

  it('withholds them from readers of another process on the same database', async () => {
    const questions = [...before.disclosed, ...before.again];
    expect(await leaksOf(kit.other.as(world.clerk.key), world, questions, [])).toEqual(NO_LEAKS);
  });

  it('withholds them from a search that is sent again under an Idempotency-Key', async () => {
    const { keys, marker } = world;
    const body = { query: marker, purpose: PURPOSE };
    const path = '/v1/search';
    const question = { name: 'replay', path, method: 'POST' as const, body, headers: keys.denied };
    expect(await leaksOf(world.clerk, world, [question], hiddenOf(world))).toEqual(NO_LEAKS);
  });

  it('closes the bundle that was sealed for the purpose', async () => {
    const bundle = `/v1/bundles/${world.ids['purposeBundle']}`;
    for (const path of ['download', 'edx', 'edx?format=csv', 'edx?format=zip']) {
      const refused = await world.clerk.get(`${bundle}/${path}`);
      expect([path, refused.status, refused.json.code]).toEqual([path, 403, 'FORBIDDEN']);
    }
  });

  it('withholds nothing from a reader who states another purpose', async () => {
    const shown = await world.clerk.get(`/v1/events/${world.ids['event']}?purpose=TREATMENT`);
    expect(shown.text).toContain(world.marker);
  });
});
