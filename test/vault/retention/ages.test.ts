import { describe, expect, it } from '@jest/globals';
import type { CountsFrom } from '../../../shared/contracts/disposal.js';
import { eventCutoffs, isAgedDocument, latestRecordedMs } from '../../../subgraphs/vault/retention/domain/rules.js';

const NOW_MS = Date.parse('2026-03-02T00:00:00.000Z');
const OLD_MS = Date.parse('2010-03-02T00:00:00.000Z');

const rulesBy = (counts_from?: CountsFrom) => ({
  default_years: 10,
  policies: [{ document_type: 'note', years: 6, ...(counts_from === undefined ? {} : { counts_from }) }],
});
const isAged = (rules: ReturnType<typeof rulesBy>, document_type: string, effectiveMs: number, createdMs: number) =>
  isAgedDocument(
    rules,
    { document_type, effective_at: new Date(effectiveMs), created_at: new Date(createdMs) },
    NOW_MS,
  );

describe('the age of a record', () => {
  it('counts from the effective time under an EFFECTIVE policy, else from the later of both times', () => {
    expect(isAged(rulesBy('EFFECTIVE'), 'note', OLD_MS, NOW_MS)).toBe(true);
    expect(isAged(rulesBy('EFFECTIVE'), 'note', NOW_MS, OLD_MS)).toBe(false);
    expect(isAged(rulesBy('LATER'), 'note', OLD_MS, NOW_MS)).toBe(false);
    expect(isAged(rulesBy('LATER'), 'note', OLD_MS, OLD_MS)).toBe(true);
    expect(isAged(rulesBy('EFFECTIVE'), 'letter', OLD_MS, NOW_MS)).toBe(false);
  });

  it('stays LATER under a stored policy without a basis', () => {
    expect(isAged(rulesBy(), 'note', OLD_MS, NOW_MS)).toBe(false);
    const cutoffs = eventCutoffs({ default_years: 10, policies: [{ event_family: 'Claims', years: 7 }] }, NOW_MS);
    expect(cutoffs.families).toEqual({
      claims: { before_ms: Date.parse('2019-03-02T00:00:00.000Z'), counts_from: 'LATER' },
    });
  });

  it('limits a sweep to old records unless a policy counts from the effective time', () => {
    expect(latestRecordedMs(rulesBy('LATER'), NOW_MS)).toBe(Date.parse('2020-03-02T00:00:00.000Z'));
    expect(latestRecordedMs(rulesBy('EFFECTIVE'), NOW_MS)).toBe(NOW_MS);
  });
});
