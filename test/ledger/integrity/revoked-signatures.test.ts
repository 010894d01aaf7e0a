import { describe, expect, it } from '@jest/globals';
import { RevokedSignatures } from '../../../subgraphs/ledger/integrity/revoked-signatures.js';
import { PartFindings } from '../../../subgraphs/ledger/integrity/verify-state.js';
import type { CheckpointRow, TenantTree } from '../../../subgraphs/ledger/transparency/index.js';

const at = (minute: number): Date => new Date(Date.UTC(2026, 2, 2, 14, minute));
const REVOKED = {
  revocation: {
    reason: 'KEY_COMPROMISE' as const,
    effective_at: at(10).toISOString(),
    revoked_at: at(30).toISOString(),
  },
};

/** A tree with a second incarnation, declared at minute 20. @param signed the incarnation of its newest checkpoint */
const treeOf = (signed: number): Pick<TenantTree, 'latestIncarnation' | 'latestCheckpoint'> => ({
  // Rows with the members that are read here.
  latestIncarnation: async () => ({ incarnation: 2, declared_at: at(20) }) as never,
  latestCheckpoint: async () => ({ incarnation: signed }) as CheckpointRow,
});

const judgeOf = (signed: number) =>
  RevokedSignatures.of({ tree: treeOf(signed) as TenantTree }, new PartFindings({ listed: 0, unlisted: 0 }));

describe('a signature under a key that was revoked from minute 10 on', () => {
  it.each<[string, number, number, number | null, boolean]>([
    ['stands when it was made before', 2, 5, 1, false],
    ['is replaced by the next incarnation, which is signed', 2, 15, 1, false],
    ['is broken while the next incarnation is not signed', 1, 15, 1, true],
    ['is broken in the incarnation that replaces, whatever time its row names', 2, 15, 2, true],
    ['is judged by its time where its text names no incarnation', 2, 15, null, false],
    ['is broken when it was made after the declaration', 2, 25, null, true],
  ])('%s', async (_, signed, minute, incarnation, isBroken) => {
    const judge = await judgeOf(signed);
    expect(judge.isBroken(REVOKED, { at: at(minute), incarnation })).toBe(isBroken);
  });
});
