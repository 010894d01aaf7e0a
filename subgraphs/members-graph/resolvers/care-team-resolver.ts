import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { CARE_TEAM_MACHINE, CARE_TEAM_STEPS, type CareTeamStep } from '../domain/care-team/care-team-entry.js';
import { MemberRecordStepInput } from '../schema/appointment-input.js';
import { CareTeamEntry, CareTeamEntryInput, CareTeamFilter, CareTeamPage } from '../schema/care-team.js';
import { type CareTeamDeps, createCareTeamEntry, stepCareTeamEntry } from '../service/care-team/change-care-team.js';
import { getCareTeamEntry, listCareTeam } from '../service/care-team/read-care-team.js';
import type { StoredCareTeamEntry } from '../service/ports/care-team-store.js';
import { windowed } from './list-window.js';
import { oneOf } from './one-of.js';
import { iso, isoOrNull, shownSteps } from './shown-steps.js';

const ID = { description: 'The entry.' };

@Resolver()
export class CareTeamResolver {
  readonly #deps: CareTeamDeps;

  constructor(deps: CareTeamDeps) {
    this.#deps = deps;
  }

  @Query(() => CareTeamPage, { description: 'Who cares for members of the tenant.' })
  async careTeam(
    @Args(() => CareTeamFilter) filter: CareTeamFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<CareTeamEntry>> {
    const page = await listCareTeam(this.#deps, context, windowed(filter));
    return { items: page.items.map(shownCareTeamEntry), next_cursor: page.next_cursor };
  }

  @Query(() => CareTeamEntry, { nullable: true, description: 'One carer of a member.' })
  async careTeamEntry(
    @Arg('care_team_id', () => String, ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<CareTeamEntry | null> {
    const found = await getCareTeamEntry(this.#deps, context, id);
    return found === null ? null : shownCareTeamEntry(found);
  }

  @Mutation(() => CareTeamEntry, { description: "Puts somebody into a member's care team." })
  async createCareTeamEntry(
    @Arg('input', () => CareTeamEntryInput) input: CareTeamEntryInput,
    @Ctx() context: RequestContext,
  ): Promise<CareTeamEntry> {
    const { member_id, role, period, ...rest } = input;
    const given = { ...withoutNulls(rest), ...(period == null ? {} : { period: withoutNulls(period) }) };
    return shownCareTeamEntry(await createCareTeamEntry(this.#deps, context, { ...given, member_id, role }));
  }

  @Mutation(() => CareTeamEntry, { description: 'Takes a step of an entry of a care team.' })
  async stepCareTeamEntry(
    @Arg('care_team_id', () => String, ID) id: string,
    @Arg('action', () => String, { description: CARE_TEAM_STEPS.join(', ') }) action: string,
    @Arg('input', () => MemberRecordStepInput) { reason, revision }: MemberRecordStepInput,
    @Ctx() context: RequestContext,
  ): Promise<CareTeamEntry> {
    const asked = { id, action: oneOf<CareTeamStep>('action', CARE_TEAM_STEPS, action), reason: reason ?? null };
    return shownCareTeamEntry(
      await stepCareTeamEntry(this.#deps, context, { ...asked, revision: revision ?? undefined }),
    );
  }
}

/** An entry of a care team as it is shown. */
export function shownCareTeamEntry(stored: StoredCareTeamEntry): CareTeamEntry {
  const { id, seat: _seat, place: _place, place_number: _number, period, created_at, updated_at, ...rest } = stored;
  return {
    ...rest,
    care_team_id: id,
    period: { start: isoOrNull(period.start), end: isoOrNull(period.end) },
    allowed_actions: allowedActions(CARE_TEAM_MACHINE, rest.status),
    created_at: iso(created_at),
    updated_at: iso(updated_at),
    history: shownSteps(rest.history),
  };
}
