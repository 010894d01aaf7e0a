import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { LEAD_MACHINE } from '../domain/lead.js';
import { Lead, LeadClosing, LeadConversionInput, LeadFilter, LeadInput, LeadPage, LeadPatch } from '../schema/lead.js';
import {
  closeLead,
  contactLead,
  convertLead,
  createLead,
  type LeadDeps,
  type Lead as LeadRecord,
  qualifyLead,
  updateLead,
} from '../service/change-lead.js';
import { getLead, listLeads } from '../service/read-leads.js';
import { given, listWindowOf } from './list-window.js';

const shown = ({ created_at, updated_at, history, ...rest }: LeadRecord): Lead => ({
  ...rest,
  allowed_actions: allowedActions(LEAD_MACHINE, rest.status),
  created_at: isoTime(created_at.getTime()),
  updated_at: isoTime(updated_at.getTime()),
  history: history.map(({ work_id: _, at, ...step }) => ({ ...step, at: isoTime(at.getTime()) })),
});

const LEAD_ID = { description: 'The lead.' };

@Resolver()
export class LeadResolver {
  readonly #deps: LeadDeps;

  constructor(deps: LeadDeps) {
    this.#deps = deps;
  }

  @Query(() => LeadPage, { description: 'Leads of the tenant.' })
  async leads(@Args(() => LeadFilter) filter: LeadFilter, @Ctx() context: RequestContext): Promise<Page<Lead>> {
    const query = {
      ...listWindowOf(filter),
      status: filter.status ?? undefined,
      lead_type: filter.lead_type ?? undefined,
      source: filter.source ?? undefined,
      assigned_to: filter.assigned_to ?? undefined,
    };
    const page = await listLeads(this.#deps, context, query);
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => Lead, { nullable: true, description: 'A lead.' })
  async lead(@Arg('lead_id', () => String, LEAD_ID) id: string, @Ctx() context: RequestContext): Promise<Lead | null> {
    const found = await getLead(this.#deps, context, id);
    return found === null ? null : shown(found);
  }

  @Mutation(() => Lead, { description: 'Makes a lead.' })
  async createLead(@Arg('input', () => LeadInput) input: LeadInput, @Ctx() context: RequestContext): Promise<Lead> {
    return shown(await createLead(this.#deps, context, { ...given(input), lead_type: input.lead_type }));
  }

  @Mutation(() => Lead, { description: 'Changes members of an open lead.' })
  async updateLead(
    @Arg('lead_id', () => String, LEAD_ID) leadId: string,
    @Arg('input', () => LeadPatch) { revision, ...members }: LeadPatch,
    @Ctx() context: RequestContext,
  ): Promise<Lead> {
    return shown(
      await updateLead(this.#deps, context, { leadId, members: given(members), revision: revision ?? undefined }),
    );
  }

  @Mutation(() => Lead, { description: 'Notes that a new lead was contacted.' })
  async contactLead(@Arg('lead_id', () => String, LEAD_ID) id: string, @Ctx() context: RequestContext): Promise<Lead> {
    return shown(await contactLead(this.#deps, context, id));
  }

  @Mutation(() => Lead, { description: 'Notes that a contacted lead is worth following.' })
  async qualifyLead(@Arg('lead_id', () => String, LEAD_ID) id: string, @Ctx() context: RequestContext): Promise<Lead> {
    return shown(await qualifyLead(this.#deps, context, id));
  }

  @Mutation(() => Lead, { description: 'Notes what a qualified lead became; final.' })
  async convertLead(
    @Arg('lead_id', () => String, LEAD_ID) id: string,
    @Arg('converted_to', () => LeadConversionInput) { kind, id: recordId }: LeadConversionInput,
    @Ctx() context: RequestContext,
  ): Promise<Lead> {
    return shown(await convertLead(this.#deps, context, id, { kind, id: recordId }));
  }

  @Mutation(() => Lead, { description: 'Closes an open lead; final.' })
  async closeLead(
    @Arg('lead_id', () => String, LEAD_ID) id: string,
    @Arg('input', () => LeadClosing) input: LeadClosing,
    @Ctx() context: RequestContext,
  ): Promise<Lead> {
    const closing = { reason: input.reason, duplicate_of: input.duplicate_of ?? undefined };
    return shown(await closeLead(this.#deps, context, id, closing));
  }
}
