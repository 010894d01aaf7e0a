import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import {
  CARE_TEAM_MACHINE,
  type Carer,
  type CareTeamStep,
  carerKey,
  ENTERED_AS,
  endedAt,
  type FirstCareTeamStatus,
  holdsPlace,
  overlaps,
  roleKey,
} from '../../domain/care-team/care-team-entry.js';
import type { CareTeamStore, StoredCareTeamEntry, TenantCareTeam } from '../ports/care-team-store.js';
import { inOrder, timeAt } from '../records/given-times.js';
import { personOf } from '../records/person-of.js';
import { freshRecord, type RecordKind, type StepDeps, stepped, takeStep } from '../records/take-step.js';

export interface CareTeamDeps extends StepDeps {
  readonly careTeam: CareTeamStore;
  readonly directory: MemberDirectory;
}

const KIND: RecordKind = {
  machine: CARE_TEAM_MACHINE,
  idKind: 'careTeam',
  idName: 'care_team_id',
  family: 'care-team',
};

export interface CareTeamGiven {
  readonly member_id: string;
  readonly role: string;
  readonly status?: FirstCareTeamStatus;
  readonly npi?: string;
  readonly actor?: string;
  readonly name?: string;
  readonly organization?: string;
  readonly period?: { readonly start?: string; readonly end?: string };
  readonly note?: string;
}

/** Those who enter one place at once try again this often; each try sees one more entry than the last. */
const MAX_ATTEMPTS = 20;

/**
 * Puts somebody into a member's care team. One carer has one role of one member once at a time: entries of a place are numbered,
 * so of two that saw the same ones before them, one must look again.
 *
 * @throws VALIDATION_ERROR, CONFLICT where the same carer has the role in an overlapping period
 */
export async function createCareTeamEntry(
  deps: CareTeamDeps,
  context: RequestContext,
  given: CareTeamGiven,
): Promise<StoredCareTeamEntry> {
  const tenantId = authorise(context, 'care-team:write');
  const person = await personOf(deps.directory, tenantId, given.member_id);
  const seat = JSON.stringify([carerKey(carerOf(given)), roleKey(given.role)]);
  const place = JSON.stringify([person[0], seat]);
  const rows = deps.careTeam(tenantId);
  const status = given.status ?? 'active';
  const entry = { ...freshRecord(deps, context, KIND), tenant_id: tenantId, ...contentOf(given), status, seat, place };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await rows.beside(seat, place, person);
    const own = standing.find(({ id }) => id === entry.id);
    if (own !== undefined) return own;
    refuseOverlap(
      standing.filter((one) => person.includes(one.member_id)),
      entry,
    );
    const last = Math.max(0, ...standing.filter((one) => one.place === place).map((one) => one.place_number));
    const record: StoredCareTeamEntry = { ...entry, place_number: last + 1 };
    const write = stepped(deps, context, KIND, { from: null, record, action: ENTERED_AS[status] });
    if ((await rows.insert(write)) === 'taken') continue;
    await rows.relay(write);
    return write.record;
  }
  throw problem('CONFLICT', { message: 'The care team is being changed by others; read it and try again.' });
}

const carerOf = ({ npi, actor, name, organization }: CareTeamGiven): Carer => ({
  npi: npi ?? null,
  actor: actor ?? null,
  name: name ?? null,
  organization: organization ?? null,
});

function contentOf(given: CareTeamGiven) {
  const carer = carerOf(given);
  if (carerKey(carer) === null) {
    throw problem('VALIDATION_ERROR', {
      errors: [fault('', 'carer', 'Needs npi, actor, name or organization.')],
    });
  }
  const start = timeAt('/period/start', given.period?.start);
  const end = timeAt('/period/end', given.period?.end);
  inOrder('/period/end', start, end);
  const { member_id, role, note = null } = given;
  return { member_id, role, ...carer, period: { start, end }, note, ended_reason: null };
}

function refuseOverlap(
  standing: readonly StoredCareTeamEntry[],
  { period }: Pick<StoredCareTeamEntry, 'period'>,
): void {
  const other = standing.find((one) => holdsPlace(one.status) && overlaps(one.period, period));
  if (other === undefined) return;
  throw problem('CONFLICT', {
    message: 'The same person has this role in an overlapping period.',
    extra: { care_team_id: other.id },
  });
}

/** Takes a step of an entry. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export function stepCareTeamEntry(
  deps: CareTeamDeps,
  context: RequestContext,
  asked: { id: string; action: CareTeamStep; revision: number | undefined; reason: string | null },
): Promise<StoredCareTeamEntry> {
  const rows: TenantCareTeam = deps.careTeam(authorise(context, 'care-team:write'));
  return takeStep({ ...deps, rows }, context, KIND, asked, {
    change: (standing) => {
      if (asked.action !== 'end') return standing;
      const now = new Date(deps.clock.nowMs());
      return { ...standing, period: endedAt(standing.period, now), ended_reason: asked.reason };
    },
    taken: () => problem('CONFLICT'),
  });
}
