import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { shownExtra } from '../../../shared/graph/extra.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { shownPeriod } from '../records/domain.js';
import { parseWord } from '../records/index.js';
import { MemberRecordStepInput } from '../records/schema.js';
import {
  type CareTeamDeps,
  createCareTeamEntry,
  getCareTeamEntry,
  listCareTeam,
  stepCareTeamEntry,
} from './change-care-team.js';
import { CARE_TEAM_MACHINE, CARE_TEAM_STEPS } from './domain.js';
import type { StoredCareTeamEntry } from './ports.js';
import { CareTeamEntry, CareTeamEntryInput, CareTeamFilter, CareTeamPage } from './schema.js';

export const shownCareTeamEntry = showing(CareTeamEntry, ({ status, period, extra }: StoredCareTeamEntry) => ({
  ...shownExtra(extra),
  period: shownPeriod(period),
  allowed_actions: allowedActions(CARE_TEAM_MACHINE, status),
}));

const ID = { description: 'Identifier of the entry.' };

@Resolver()
export class CareTeamResolver {
  readonly #deps: CareTeamDeps;

  constructor(deps: CareTeamDeps) {
    this.#deps = deps;
  }

  @Query(() => CareTeamPage, { description: 'Lists the carers of members of the tenant.' })
  async careTeam(
    @Args(() => CareTeamFilter) filter: CareTeamFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<CareTeamEntry>> {
    return mapPage(await listCareTeam(this.#deps, context, listQueryOf(filter)), shownCareTeamEntry);
  }

  @Query(() => CareTeamEntry, { nullable: true, description: 'Returns an entry of a care team.' })
  async careTeamEntry(
    @Arg('care_team_id', () => String, ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<CareTeamEntry | null> {
    const found = await getCareTeamEntry(this.#deps, context, id);
    return found && shownCareTeamEntry(found);
  }

  @Mutation(() => CareTeamEntry, { description: "Adds a carer to a member's care team." })
  async createCareTeamEntry(
    @Arg('input', () => CareTeamEntryInput) input: CareTeamEntryInput,
    @Ctx() context: RequestContext,
  ): Promise<CareTeamEntry> {
    const { status, period, extra } = input;
    const request = {
      members: CareTeamEntryInput.complete(input),
      status: status ?? undefined,
      period: period == null ? undefined : withoutNulls(period),
      extra: extra ?? undefined,
    };
    return shownCareTeamEntry(await createCareTeamEntry(this.#deps, context, request));
  }

  @Mutation(() => CareTeamEntry, { description: 'Takes a step of an entry of a care team.' })
  async stepCareTeamEntry(
    @Arg('care_team_id', () => String, ID) id: string,
    @Arg('action', () => String, { description: `One of ${CARE_TEAM_STEPS.join(', ')}.` }) action: string,
    @Arg('input', () => MemberRecordStepInput) { reason, revision }: MemberRecordStepInput,
    @Ctx() context: RequestContext,
  ): Promise<CareTeamEntry> {
    const request = { id, action: parseWord('action', CARE_TEAM_STEPS, action), reason: reason ?? null };
    const stepped = stepCareTeamEntry(this.#deps, context, { ...request, revision: revision ?? undefined });
    return shownCareTeamEntry(await stepped);
  }
}
