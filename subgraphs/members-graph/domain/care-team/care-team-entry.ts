import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// Who cares for a member, as what, and since when (api.md section 6 "care team"; states: FHIR R4 CareTeamStatus).

export const CARE_TEAM_STATUSES = ['proposed', 'active', 'suspended', 'inactive', 'entered-in-error'] as const;
export type CareTeamStatus = (typeof CARE_TEAM_STATUSES)[number];

/** Those that an entry may be made in, and the action that makes it so. */
export const ENTERED_AS = { proposed: 'propose', active: 'add' } as const;
export type FirstCareTeamStatus = keyof typeof ENTERED_AS;

export const CARE_TEAM_STEPS = ['activate', 'suspend', 'resume', 'end', 'mark-in-error'] as const;
export type CareTeamStep = (typeof CARE_TEAM_STEPS)[number];
export type CareTeamAction = 'propose' | 'add' | CareTeamStep;

const row = (from: CareTeamStatus | null, action: CareTeamAction, to: CareTeamStatus, event: string) => ({
  from,
  action,
  to,
  scope: 'care-team:write' as const,
  emits: [`care-team.${event}`],
});
const wrong = (from: CareTeamStatus) => row(from, 'mark-in-error', 'entered-in-error', 'entered-in-error');

/** Who comes back after an end is another entry: the period of the first one stays as it was. */
export const CARE_TEAM_MACHINE = stateMachine<CareTeamStatus, CareTeamAction>('care-team entry', [
  row(null, 'propose', 'proposed', 'proposed'),
  row(null, 'add', 'active', 'added'),
  row('proposed', 'activate', 'active', 'activated'),
  row('proposed', 'end', 'inactive', 'ended'),
  wrong('proposed'),
  row('active', 'suspend', 'suspended', 'suspended'),
  row('active', 'end', 'inactive', 'ended'),
  wrong('active'),
  row('suspended', 'resume', 'active', 'resumed'),
  row('suspended', 'end', 'inactive', 'ended'),
  wrong('suspended'),
  wrong('inactive'),
]);

/** From `start` on and before `end`; null is open. */
export interface Period {
  readonly start: Date | null;
  readonly end: Date | null;
}

const startOf = ({ start }: Period): number => start?.getTime() ?? Number.NEGATIVE_INFINITY;
const endOf = ({ end }: Period): number => end?.getTime() ?? Number.POSITIVE_INFINITY;

export const overlaps = (a: Period, b: Period): boolean => startOf(a) < endOf(b) && startOf(b) < endOf(a);

/** Where nobody tells otherwise, an end is now; one that is already over, or has not begun, keeps its period. */
export const endedAt = (period: Period, now: Date): Period =>
  startOf(period) >= now.getTime() || endOf(period) <= now.getTime() ? period : { ...period, end: now };

/** Who somebody is: by NPI, by actor, by organization, or by name where nothing better is told. */
export interface Carer {
  readonly npi: string | null;
  readonly actor: string | null;
  readonly name: string | null;
  readonly organization: string | null;
}

const folded = (text: string): string => text.trim().toLowerCase().replaceAll(/\s+/g, ' ');

/** The same for the same carer; null where nothing says who it is. */
export function carerKey({ npi, actor, name, organization }: Carer): string | null {
  if (npi !== null) return `npi:${npi}`;
  if (actor !== null) return `actor:${actor}`;
  if (name !== null) return `name:${folded(name)}`;
  return organization === null ? null : `organization:${folded(organization)}`;
}

/** Roles are words as people write them: `PCP` and `pcp` are one. */
export const roleKey = folded;

/** Holds a place in the team, so that the same one beside it is refused. */
export const holdsPlace = (status: CareTeamStatus): boolean =>
  status === 'proposed' || status === 'active' || status === 'suspended';
