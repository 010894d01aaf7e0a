import { postLargeBody } from './support/large-body.js';
import type { Figure } from './support/measure.js';
import { startStack } from './support/stack.js';

const megabytes = Number(process.env['LARGE_MEGABYTES'] ?? 500);
/** Enough for the service to have all of itself loaded and compiled. */
const warmUpMegabytes = 8;
const aimMegabytes = 150;

/** Memory that the service takes while one 837 of 500 MB goes in by the route, with a broken tail. */
export async function benchLargeBody(): Promise<Figure> {
  const stack = await startStack();
  try {
    await postLargeBody(stack, { first: 1, megabytes: warmUpMegabytes });
    const large = await postLargeBody(stack, { first: 100_001, megabytes });
    const { bytes, seconds, claimsSent, accepted, rejected, growthMegabytes } = large;
    if (accepted !== claimsSent) throw new Error(`${claimsSent} claims were sent whole, and ${accepted} accepted`);
    const line =
      `${(bytes / 1_000_000).toFixed(0)} MB in ${seconds.toFixed(0)} s: ${(bytes / 1_000_000 / seconds).toFixed(1)} MB/s, ` +
      `${accepted} events (${Math.round(accepted / seconds)}/s), all that were sent whole; ${rejected} refused: the broken tail`;
    return {
      name: `One 837 of ${megabytes} MB: growth of resident memory`,
      unit: 'MB',
      aim: aimMegabytes,
      lower: true,
      values: [growthMegabytes],
      lines: [line],
    };
  } finally {
    await stack.stop();
  }
}
