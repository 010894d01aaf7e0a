import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { postLargeBody } from '../../bench/support/large-body.js';
import { type Stack, startStack } from '../../bench/support/stack.js';

// An 837 made by repeating an interchange with new control numbers, sent to a service in a process of its own. `npm run
// test:long` sends 500 MB.

const MEGABYTES = Number(process.env['LARGE_BODY_MEGABYTES'] ?? 2);
const WARM_UP_MEGABYTES = 2;
/** Of resident memory, however large the body is. */
const MAX_GROWTH_MEGABYTES = 150;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

test('a large body goes in by constant memory, and a broken tail loses the tail alone', async () => {
  await postLargeBody(stack, { first: 1, megabytes: WARM_UP_MEGABYTES });
  const large = await postLargeBody(stack, { first: 100_001, megabytes: MEGABYTES });
  expect(large.bytes).toBeGreaterThan(MEGABYTES * 1_000_000);
  expect(large.accepted).toBe(large.claimsSent);
  expect(large.duplicated).toBe(0);
  // The claim that was cut, told once.
  expect(large.rejected).toBe(1);
  expect(large.growthMegabytes).toBeLessThan(MAX_GROWTH_MEGABYTES);
}, 3_600_000);
