import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { postLargeBody } from '../../bench/support/large-body.js';
import { type Stack, startStack } from '../../bench/support/stack.js';

// An 837 that repeats an interchange with new control numbers, sent to a service in a separate process. `npm run
// test:long` sends 500 MB.

const MEGABYTES = Number(process.env['LARGE_BODY_MEGABYTES'] ?? 4);
/** Enough for the heap to reach its size: what grows afterwards grows with the body. */
const WARM_UP_MEGABYTES = 8;
/** Of resident memory, however large the body is. */
const MAX_GROWTH_MEGABYTES = 150;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

it('ingests a large body in constant memory, and loses only the broken end of a truncated one', async () => {
  await postLargeBody(stack, { first: 1, megabytes: WARM_UP_MEGABYTES });
  const large = await postLargeBody(stack, { first: 100_001, megabytes: MEGABYTES });
  expect(large.bytes).toBeGreaterThan(MEGABYTES * 1_000_000);
  expect(large.accepted).toBe(large.claimsSent);
  expect(large.duplicated).toBe(0);
  // The truncated claim, reported once.
  expect(large.rejected).toBe(1);
  expect(large.growthMegabytes).toBeLessThan(MAX_GROWTH_MEGABYTES);
}, 3_600_000);
