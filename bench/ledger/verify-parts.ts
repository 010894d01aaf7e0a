import { z } from 'zod';
import { cpuSecondsOf } from '../support/cpu.js';
import type { Stack } from '../support/stack.js';

const QUERY =
  'query VerifyLedgerPart($state: String) { verifyLedgerPart(state: $state) { phase checked breaks { kind } next_state } }';

const Answer = z.object({
  data: z.object({
    verifyLedgerPart: z.object({
      phase: z.string(),
      checked: z.number(),
      breaks: z.array(z.object({ kind: z.string() })),
      next_state: z.string().nullable(),
    }),
  }),
});

/** One part of a verification of the whole ledger. */
export interface VerifiedPart {
  readonly phase: string;
  /** Entries of the ledger that this verification has checked so far. */
  readonly checked: number;
  readonly seconds: number;
  /** Seconds of the processors, which other work on the machine disturbs less. */
  readonly cpu: number;
}

/** Verifies the whole ledger of the tenant, part by part. @throws for a break */
export async function* verifiedParts(stack: Stack): AsyncGenerator<VerifiedPart> {
  for (let state: string | null | undefined; state !== null; ) {
    const [start, cpuStart] = [performance.now(), cpuSeconds(stack)];
    const text = await stack.rest.post('/graphql', JSON.stringify({ query: QUERY, variables: { state } }));
    const { phase, checked, breaks, next_state } = Answer.parse(JSON.parse(text)).data.verifyLedgerPart;
    if (breaks.length > 0) throw new Error('the ledger of the benchmark must verify');
    yield { phase, checked, seconds: (performance.now() - start) / 1_000, cpu: cpuSeconds(stack) - cpuStart };
    state = next_state;
  }
}

const cpuSeconds = ({ processes }: Stack): number =>
  Object.values(processes).reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0);
