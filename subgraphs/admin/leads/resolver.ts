import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { LEAD_MACHINE } from './domain.js';
import {
  closeLead,
  convertLead,
  createLead,
  getLead,
  type LeadDeps,
  type Lead as LeadRecord,
  listLeads,
  stepLead,
  updateLead,
} from './leads.js';
import { Lead, LeadClosing, LeadConversionInput, LeadFilter, LeadInput, LeadPage, LeadPatch } from './schema.js';

const shown = showing(Lead, ({ status }: LeadRecord) => ({ allowed_actions: allowedActions(LEAD_MACHINE, status) }));

const LEAD_ID = { description: 'Identifier of the lead.' };

@Resolver()
export class LeadResolver {
  readonly #deps: LeadDeps;

  constructor(deps: LeadDeps) {
    this.#deps = deps;
  }

  @Query(() => LeadPage, { description: 'Lists the leads of the tenant.' })
  async leads(@Args(() => LeadFilter) filter: LeadFilter, @Ctx() context: RequestContext): Promise<Page<Lead>> {
    return mapPage(await listLeads(this.#deps, context, listQueryOf(filter)), shown);
  }

  @Query(() => Lead, { nullable: true, description: 'Returns a lead.' })
  async lead(@Arg('lead_id', () => String, LEAD_ID) id: string, @Ctx() context: RequestContext): Promise<Lead | null> {
    const found = await getLead(this.#deps, context, id);
    return found && shown(found);
  }

  @Mutation(() => Lead, { description: 'Creates a lead.' })
  async createLead(@Arg('input', () => LeadInput) input: LeadInput, @Ctx() context: RequestContext): Promise<Lead> {
    return shown(await createLead(this.#deps, context, LeadInput.complete(input)));
  }

  @Mutation(() => Lead, { description: 'Changes an open lead.' })
  async updateLead(
    @Arg('lead_id', () => String, LEAD_ID) leadId: string,
    @Arg('input', () => LeadPatch) input: LeadPatch,
    @Ctx() context: RequestContext,
  ): Promise<Lead> {
    const patch = { leadId, members: LeadPatch.given(input), revision: input.revision };
    return shown(await updateLead(this.#deps, context, patch));
  }

  @Mutation(() => Lead, { description: 'Marks a new lead as contacted.' })
  async contactLead(@Arg('lead_id', () => String, LEAD_ID) id: string, @Ctx() context: RequestContext): Promise<Lead> {
    return shown(await stepLead(this.#deps, context, id, 'contact'));
  }

  @Mutation(() => Lead, { description: 'Marks a contacted lead as qualified.' })
  async qualifyLead(@Arg('lead_id', () => String, LEAD_ID) id: string, @Ctx() context: RequestContext): Promise<Lead> {
    return shown(await stepLead(this.#deps, context, id, 'qualify'));
  }

  @Mutation(() => Lead, { description: 'Converts a qualified lead into another record; final.' })
  async convertLead(
    @Arg('lead_id', () => String, LEAD_ID) id: string,
    @Arg('converted_to', () => LeadConversionInput, { description: 'The other record.' })
    convertedTo: LeadConversionInput,
    @Ctx() context: RequestContext,
  ): Promise<Lead> {
    return shown(await convertLead(this.#deps, context, id, convertedTo));
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
