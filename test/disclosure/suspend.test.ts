import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import {
  allQuestions,
  askAll,
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
  expect(silentBefore(before)).toEqual([]);
}, 300_000);

afterAll(() => kit.stop());

/** Every question of before the act, to both processes. */
async function askedAgain(): Promise<void> {
  const questions = [...allQuestions(world), ...before.again, ...repeatsOf(world)];
  expect(await leaksOf(world.clerk, world, questions, hiddenOf(world))).toEqual(NO_LEAKS);
  const other = kit.other.as(world.clerk.key);
  // Another process hears of it within 5 s (docs/api-keys.md).
  const heard = await eventually(
    () => other.get('/v1/events?limit=1'),
    ({ status }) => status >= 400,
  );
  expect([401, 403]).toContain(heard.status);
  expect(await leaksOf(other, world, [...before.disclosed, ...repeatsOf(world)], hiddenOf(world))).toEqual(NO_LEAKS);
}

const statuses = async (): Promise<readonly number[]> => {
  const heard = await askAll(world.clerk, [...before.disclosed, ...before.again, ...repeatsOf(world)]);
  return [...new Set(heard.map(({ status }) => status))];
};

describe('access that ends', () => {
  it('with the suspension of the tenant discloses nothing on any channel', async () => {
    const path = `/v1/tenants/${world.tenantId}`;
    const suspended = await kit.operator.call(path, { method: 'PATCH', body: { status: 'SUSPENDED' } });
    expect(suspended.status).toBe(200);
    await askedAgain();
    expect(await statuses()).toEqual([403]);
    const active = await kit.operator.call(path, { method: 'PATCH', body: { status: 'ACTIVE' } });
    expect(active.status).toBe(200);
    expect((await world.clerk.get(`/v1/events/${world.ids['event']}`)).text).toContain(world.marker);
  });

  it('with the revocation of the key discloses nothing on any channel', async () => {
    const revoked = await kit.operator.call(`/v1/api-keys/${world.keyId}`, {
      method: 'DELETE',
      headers: { 'x-tenant-id': world.tenantId },
    });
    expect(revoked.status).toBe(200);
    await askedAgain();
    expect(await statuses()).toEqual([401]);
  });
});
