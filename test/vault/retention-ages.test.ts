import { describe, expect, test } from '@jest/globals';
import type { CountsFrom } from '../../shared/contracts/disposal.js';
import {
  eventCutoffs,
  isDocumentPastAge,
  latestRecordedMs,
  yearsBefore,
} from '../../subgraphs/vault/domain/retention.js';

const NOW_MS = Date.parse('2026-03-02T00:00:00.000Z');
const OLD_MS = Date.parse('2010-03-02T00:00:00.000Z');

const rulesBy = (counts_from?: CountsFrom) => ({
  default_years: 10,
  policies: [{ document_type: 'note', years: 6, ...(counts_from === undefined ? {} : { counts_from }) }],
});
const isAged = (rules: ReturnType<typeof rulesBy>, document_type: string, effectiveMs: number, createdMs: number) =>
  isDocumentPastAge(rules, { document_type, effectiveMs, createdMs }, NOW_MS);

describe('the age of a record', () => {
  test('counts from when it happened under a policy that says so, and else from the later of both', () => {
    expect(isAged(rulesBy('EFFECTIVE'), 'note', OLD_MS, NOW_MS)).toBe(true);
    expect(isAged(rulesBy('EFFECTIVE'), 'note', NOW_MS, OLD_MS)).toBe(false);
    expect(isAged(rulesBy('LATER'), 'note', OLD_MS, NOW_MS)).toBe(false);
    expect(isAged(rulesBy('LATER'), 'note', OLD_MS, OLD_MS)).toBe(true);
    expect(isAged(rulesBy('EFFECTIVE'), 'letter', OLD_MS, NOW_MS)).toBe(false);
  });

  test('stays LATER under a policy that was stored before it could be told', () => {
    expect(isAged(rulesBy(), 'note', OLD_MS, NOW_MS)).toBe(false);
    const cutoffs = eventCutoffs({ default_years: 10, policies: [{ event_family: 'Claims', years: 7 }] }, NOW_MS);
    expect(cutoffs.families).toEqual({ claims: { before_ms: yearsBefore(NOW_MS, 7), counts_from: 'LATER' } });
  });

  test('bounds what a sweep looks at: young records only where a policy counts from when they happened', () => {
    expect(latestRecordedMs(rulesBy('LATER'), NOW_MS)).toBe(yearsBefore(NOW_MS, 6));
    expect(latestRecordedMs(rulesBy('EFFECTIVE'), NOW_MS)).toBe(NOW_MS);
  });
});
