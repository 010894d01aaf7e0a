import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import type { ActorDirectory } from '../../../shared/contracts/tenants.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { storedExtra } from '../../../shared/graph/extra.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { retryOnConflict } from '../../../shared/records/conflicts.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { type RecordKind, type StepDeps, stepsOf } from '../../../shared/records/steps.js';
import { overlaps, type Period } from '../records/domain.js';
import { idsOfPerson, parsePeriod, requireKnownActor } from '../records/index.js';
import {
  CARE_TEAM_MACHINE,
  type CareTeamStep,
  CREATED_AS,
  carerKey,
  endedAt,
  type FirstCareTeamStatus,
  holdsPlace,
  roleKey,
} from './domain.js';
import type { CareTeamStore, StoredCareTeamEntry } from './ports.js';
import type { CareTeamMembers } from './schema.js';

export interface CareTeamDeps extends StepDeps {
  readonly careTeam: CareTeamStore;
  readonly directory: MemberDirectory;
  readonly actorDirectory: ActorDirectory;
}

const CARE_TEAM: RecordKind<StoredCareTeamEntry, 'care_team_id'> = {
  machine: CARE_TEAM_MACHINE,
  idKind: 'careTeam',
  id: 'care_team_id',
  noun: 'care-team entry',
  family: 'care-team',
  // Member, carer and role are personal: the entry says only that the record changed.
  payload: ({ care_team_id }, step) => ({ care_team_id, ...step }),
};

const careTeamSteps = (deps: CareTeamDeps, context: RequestContext) =>
  stepsOf(CARE_TEAM, deps, context, deps.careTeam(authorise(context, 'care-team:write')));

interface EntryRequest {
  readonly members: CareTeamMembers;
  readonly status?: FirstCareTeamStatus | undefined;
  readonly period?: { readonly start?: string; readonly end?: string } | undefined;
  readonly extra?: JsonObject | undefined;
}

/** Concurrent requests for one place retry this often; each retry sees at least one more entry. */
const MAX_ATTEMPTS = 20;

class PlaceTaken extends Error {}

/**
 * Adds a carer to a member's care team. A carer has one role of a member once at a time: entries of a place are numbered, so
 * that one of two concurrent requests fails and reads again.
 *
 * @throws VALIDATION_ERROR, CONFLICT if the carer has the role in an overlapping period
 */
export async function createCareTeamEntry(
  deps: CareTeamDeps,
  context: RequestContext,
  { members, status = 'active', period: given, extra }: EntryRequest,
): Promise<StoredCareTeamEntry> {
  const steps = careTeamSteps(deps, context);
  const { rows } = steps;
  const carer = carerKey(members);
  if (carer === null) {
    throw problem('VALIDATION_ERROR', { errors: [fault('', 'carer', 'Needs npi, actor, name or organization.')] });
  }
  const period = parsePeriod(given);
  const kept = storedExtra(extra);
  const person = await idsOfPerson(deps.directory, rows.tenantId, members.member_id);
  const seat = JSON.stringify([carer, roleKey(members.role)]);
  const place = JSON.stringify([person[0], seat]);
  const membersOf = async (id: string) => {
    await requireKnownActor(deps.actorDirectory, rows.tenantId, '/actor', members.actor);
    // A repeated request finds its own entry.
    const entries = await deps.careTeam(rows.tenantId).entriesOf(seat, place, person);
    const others = entries.filter(({ care_team_id }) => care_team_id !== id);
    requireNoOverlap(
      others.filter(({ member_id }) => person.includes(member_id)),
      period,
    );
    const numbers = others.filter((entry) => entry.place === place).map(({ place_number }) => place_number);
    return { ...members, ...kept, period, ended_reason: null, seat, place, place_number: Math.max(0, ...numbers) + 1 };
  };
  const create = async () => {
    try {
      return await steps.create(membersOf, { action: CREATED_AS[status], taken: () => new PlaceTaken() });
    } catch (error) {
      if (error instanceof PlaceTaken) return undefined;
      throw error;
    }
  };
  return retryOnConflict('care team', create, MAX_ATTEMPTS);
}

function requireNoOverlap(entries: readonly StoredCareTeamEntry[], period: Period): void {
  const other = entries.find((entry) => holdsPlace(entry.status) && overlaps(entry.period, period));
  if (other === undefined) return;
  throw problem('CONFLICT', {
    message: 'The carer has this role in an overlapping period; see care_team_id.',
    extra: { care_team_id: other.care_team_id },
  });
}

/** Takes a step of an entry. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const stepCareTeamEntry = (
  deps: CareTeamDeps,
  context: RequestContext,
  {
    id,
    action,
    revision,
    reason,
  }: { id: string; action: CareTeamStep; revision?: number | undefined; reason: string | null },
): Promise<StoredCareTeamEntry> =>
  careTeamSteps(deps, context).take(id, action, {
    revision,
    change: ({ period }, at) => (action === 'end' ? { period: endedAt(period, at), ended_reason: reason } : {}),
  });

type ReadDeps = Pick<CareTeamDeps, 'careTeam' | 'directory'>;

/** Lists entries by creation. Finds a member under every identifier of the person. */
export async function listCareTeam(
  { careTeam, directory }: ReadDeps,
  context: RequestContext,
  {
    where: { practitioner, member_id, status },
    ...window
  }: Omit<ListQuery<StoredCareTeamEntry>, 'where'> & {
    readonly where: Partial<Pick<StoredCareTeamEntry, 'member_id' | 'status'>> & { readonly practitioner?: string };
  },
): Promise<Page<StoredCareTeamEntry>> {
  const tenantId = authorise(context, 'care-team:read');
  const member_ids = member_id === undefined ? undefined : await idsOfPerson(directory, tenantId, member_id);
  return careTeam(tenantId).pageOf(practitioner, { ...window, where: { member_id: member_ids, status } });
}

/** @returns null for an unknown entry and for another tenant's */
export async function getCareTeamEntry(
  { careTeam }: Pick<ReadDeps, 'careTeam'>,
  context: RequestContext,
  id: string,
): Promise<StoredCareTeamEntry | null> {
  const tenantId = authorise(context, 'care-team:read');
  return isIdOf('careTeam', id) ? careTeam(tenantId).get(id) : null;
}
