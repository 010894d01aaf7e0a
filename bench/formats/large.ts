import { postLargeBody } from '../support/large-body.js';
import { atMost, type Figure } from '../support/measure.js';
import { startStack } from '../support/stack.js';

const megabytes = Number(process.env['LARGE_MEGABYTES'] ?? 500);
/** Enough for the service to load and compile all of its code. */
const warmUpMegabytes = 8;
const aimMegabytes = 150;

/** Measures the service's memory during the upload of one 837 of 500 MB with a broken tail. */
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
    return atMost(
      `One 837 of ${megabytes} MB: growth of resident memory`,
      'MB',
      aimMegabytes,
      [growthMegabytes],
      [line],
    );
  } finally {
    await stack.stop();
  }
}
