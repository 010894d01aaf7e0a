import { describe, expect, it } from '@jest/globals';
import { isoTime } from '../../../shared/clock/clock.js';
import type { SigningKeyChange } from '../../../shared/contracts/signing-keys.js';
import { judgeKey } from '../../../shared/evidence/keys/judge-key.js';
import { signingKeyHistory } from '../../../subgraphs/admin/signing-keys/domain.js';

type JudgedKey = NonNullable<Parameters<typeof judgeKey>[0]>;
type KeyStanding = ReturnType<typeof judgeKey>['standing'];

const day = (n: number): string => isoTime(Date.UTC(2026, 0, n));
const CREATED: SigningKeyChange = { change: 'CREATED', at: day(1) };
const ACTIVATED: SigningKeyChange = { change: 'ACTIVATED', at: day(2) };
const ROTATED: SigningKeyChange = { change: 'ROTATED', at: day(10) };
const RETIRED: SigningKeyChange = { change: 'RETIRED', at: day(10) };
const gone = (change: 'REVOKED' | 'COMPROMISED', effective: number): SigningKeyChange => ({
  change,
  at: day(20),
  reason: change === 'REVOKED' ? 'CESSATION_OF_OPERATION' : 'KEY_COMPROMISE',
  effective_at: day(effective),
});

function key(...history: SigningKeyChange[]): JudgedKey {
  const ended = history.find(({ effective_at }) => effective_at !== undefined);
  const activated = history.find(({ change }) => change === 'ACTIVATED');
  return {
    status: ended ? 'REVOKED' : history.length > 2 ? 'RETIRED' : 'ACTIVE',
    from: activated?.at ?? null,
    revocation: ended ? { reason: ended.reason ?? '', effective_at: ended.effective_at ?? '' } : null,
    history,
  };
}

describe('the state of a key at the time of sealing', () => {
  it.each<[string, JudgedKey | null, number, KeyStanding, boolean]>([
    ['active', key(CREATED, ACTIVATED), 5, 'ACTIVE', true],
    ['active, at the instant of activation', key(CREATED, ACTIVATED), 2, 'ACTIVE', true],
    ['before it was activated', key(CREATED, ACTIVATED), 1, 'NOT_ACTIVE_YET', false],
    ['never activated', key(CREATED), 5, 'NOT_ACTIVE_YET', false],
    ['rotated since', key(CREATED, ACTIVATED, ROTATED), 5, 'ROTATED', true],
    ['rotated before', key(CREATED, ACTIVATED, ROTATED), 10, 'NO_LONGER_ACTIVE', false],
    ['retired since', key(CREATED, ACTIVATED, RETIRED), 9, 'RETIRED', true],
    ['retired before', key(CREATED, ACTIVATED, RETIRED), 11, 'NO_LONGER_ACTIVE', false],
    ['revoked since', key(CREATED, ACTIVATED, gone('REVOKED', 8)), 5, 'REVOKED_SINCE', true],
    ['revoked with effect from before', key(CREATED, ACTIVATED, gone('REVOKED', 5)), 5, 'REVOKED', false],
    ['compromised since', key(CREATED, ACTIVATED, gone('COMPROMISED', 8)), 5, 'COMPROMISED_SINCE', true],
    ['compromised before', key(CREATED, ACTIVATED, gone('COMPROMISED', 4)), 5, 'COMPROMISED', false],
    [
      'rotated since, and known later to have been compromised before',
      key(CREATED, ACTIVATED, ROTATED, gone('COMPROMISED', 3)),
      5,
      'COMPROMISED',
      false,
    ],
    [
      'rotated since, and revoked with effect from after that',
      key(CREATED, ACTIVATED, ROTATED, gone('REVOKED', 15)),
      5,
      'REVOKED_SINCE',
      true,
    ],
    ['unknown to the registry', null, 5, 'UNKNOWN', false],
  ])('%s', (_what, judged, sealed, standing, ok) => {
    expect(judgeKey(judged, day(sealed))).toMatchObject({ name: 'key-status', standing, ok });
  });

  it('accepts no key for an invalid time of sealing', () => {
    expect(judgeKey(key(CREATED, ACTIVATED), 'soon').ok).toBe(false);
    expect(judgeKey(key(CREATED, ACTIVATED, gone('REVOKED', 15)), 'soon').standing).toBe('REVOKED');
  });

  it('reports the times that decided', () => {
    const { detail } = judgeKey(key(CREATED, ACTIVATED, gone('COMPROMISED', 8)), day(5));
    expect(detail).toContain(`COMPROMISED ${day(20)} with effect from ${day(8)}`);
  });
});

describe('the history of a key', () => {
  const times = (n: number): Date => new Date(Date.UTC(2026, 0, n));
  const fresh: Parameters<typeof signingKeyHistory>[0] = {
    created_at: times(1),
    activated_at: null,
    retired_at: null,
    retirement: null,
    revoked_at: null,
    revocation_reason: null,
    revocation_effective_at: null,
  };

  it('lists every step, oldest first', () => {
    expect(signingKeyHistory(fresh)).toEqual([CREATED]);
    const active = { ...fresh, activated_at: times(2) };
    expect(signingKeyHistory({ ...active, retired_at: times(10), retirement: 'ROTATED' })).toEqual([
      CREATED,
      ACTIVATED,
      ROTATED,
    ]);
    const revoked = {
      ...active,
      retired_at: times(10),
      retirement: 'RETIRED' as const,
      revoked_at: times(20),
      revocation_reason: 'KEY_COMPROMISE',
      revocation_effective_at: times(4),
    };
    expect(signingKeyHistory(revoked)).toEqual([CREATED, ACTIVATED, RETIRED, gone('COMPROMISED', 4)]);
  });
});
