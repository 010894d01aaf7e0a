import { stateMachine } from '../../../shared/state-machine/state-machine.js';
import type { Period } from '../records/domain.js';

// Carers of members (api.md section 6 "care team"; states: FHIR R4 CareTeamStatus).

export const CARE_TEAM_STATUSES = ['proposed', 'active', 'suspended', 'inactive', 'entered-in-error'] as const;
export type CareTeamStatus = (typeof CARE_TEAM_STATUSES)[number];

/** Statuses of new entries, with the action that creates them. */
export const CREATED_AS = { proposed: 'propose', active: 'add' } as const;
export type FirstCareTeamStatus = keyof typeof CREATED_AS;

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

/** An ended entry stays ended; a carer who returns gets a new entry. */
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

/** Ends a period now; a period that is over, or has not begun, stays. */
export const endedAt = (period: Period, now: Date): Period =>
  (period.start !== null && period.start >= now) || (period.end !== null && period.end <= now)
    ? period
    : { ...period, end: now };

/** A carer: an NPI, an actor, an organization, or a name. */
interface Carer {
  readonly npi: string | null;
  readonly actor: string | null;
  readonly name: string | null;
  readonly organization: string | null;
}

const folded = (text: string): string => text.trim().toLowerCase().replaceAll(/\s+/g, ' ');

/** Returns an equal key for the same carer; null if nothing identifies the carer. */
export function carerKey({ npi, actor, name, organization }: Carer): string | null {
  if (npi !== null) return `npi:${npi}`;
  if (actor !== null) return `actor:${actor}`;
  if (name !== null) return `name:${folded(name)}`;
  return organization === null ? null : `organization:${folded(organization)}`;
}

/** Folds a role: `PCP` and `pcp` are one. */
export const roleKey = folded;

/** True for statuses that prevent a second entry of the same carer and role. */
export const holdsPlace = (status: CareTeamStatus): boolean =>
  status === 'proposed' || status === 'active' || status === 'suspended';
