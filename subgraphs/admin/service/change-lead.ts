import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf, type Randomness } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import {
  type CloseReason,
  LEAD_MACHINE,
  type LeadAction,
  type LeadContact,
  type LeadConversion,
  type LeadPersonal,
  type LeadType,
} from '../domain/lead.js';
import type { LeadStore, LeadWrite, StoredLead, TenantLeads } from './ports/lead-store.js';

export interface LeadDeps extends WorkDeps {
  readonly leads: LeadStore;
  readonly clock: Clock;
}

/** A lead with what is personal opened. */
export type Lead = Omit<StoredLead, 'sealed'> & LeadPersonal;

/** Members that a caller may give or change; null takes one away. */
export interface LeadMembers {
  readonly source?: string | null;
  readonly contact?: LeadContact | null;
  readonly summary?: string | null;
  readonly consent_to_contact?: boolean;
  readonly score?: number | null;
  readonly assigned_to?: string | null;
  readonly duplicate_of?: string | null;
}

/** Writers who meet on one lead try again this often. */
const MAX_ATTEMPTS = 5;

const placeOf = (tenantId: TenantId, leadId: string): string => `lead:${tenantId}:${leadId}`;

export const openLead = ({ sealed, ...rest }: StoredLead, masterKey: MasterKey): Lead => {
  const opened = masterKey.unwrap(sealed, placeOf(rest.tenant_id, rest.lead_id));
  return { ...rest, ...(JSON.parse(opened.toString('utf8')) as LeadPersonal) };
};

/** The nonce is always fresh, whatever a repeated request makes repeatable: one nonce must not seal two texts. */
const sealed = (
  deps: { readonly masterKey: MasterKey; readonly randomness: Randomness },
  tenantId: TenantId,
  leadId: string,
  { contact, summary }: LeadPersonal,
): Buffer =>
  deps.masterKey.wrap(Buffer.from(JSON.stringify({ contact, summary })), placeOf(tenantId, leadId), deps.randomness);

/** Makes a lead. Recorded as a `_records` entry without anything personal. @throws VALIDATION_ERROR */
export async function createLead(
  deps: LeadDeps,
  context: RequestContext,
  input: LeadMembers & { readonly lead_type: LeadType },
): Promise<Lead> {
  const tenantId = authorise(context, 'leads:write');
  const leads = deps.leads(tenantId);
  const leadId = forWork(deps, context, 'create-lead').ids.next('lead');
  await refuseUnknownLead(leads, leadId, input.duplicate_of);
  const at = new Date(deps.clock.nowMs());
  const lead: LeadWrite['lead'] = {
    lead_id: leadId,
    tenant_id: tenantId,
    lead_type: input.lead_type,
    source: input.source ?? null,
    sealed: sealed(deps, tenantId, leadId, { contact: input.contact ?? null, summary: input.summary ?? null }),
    consent_to_contact: input.consent_to_contact ?? false,
    score: input.score ?? null,
    assigned_to: input.assigned_to ?? null,
    duplicate_of: input.duplicate_of ?? null,
    converted_to: null,
    close_reason: null,
    status: 'NEW',
    revision: 1,
    created_at: at,
    created_by: context.principal.keyId,
    updated_at: at,
  };
  const write = writeOf(deps, context, null, lead, 'create');
  const stored = await leads.insert(write);
  if (stored !== null) await leads.relay(write);
  // The identifier is taken only when this very request has run before: what it made is the answer.
  const standing = stored ?? (await leads.get(leadId));
  if (standing === null) throw new Error('a fresh lead collided with one of another tenant');
  return openLead(standing, deps.masterKey);
}

/** Changes members of an open lead. @throws NOT_FOUND, INVALID_TRANSITION when it is final, CONFLICT, VALIDATION_ERROR */
export function updateLead(
  deps: LeadDeps,
  context: RequestContext,
  { leadId, members, revision }: { leadId: string; members: LeadMembers; revision?: number | undefined },
): Promise<Lead> {
  return change(deps, context, leadId, 'update', async (standing, leads) => {
    if (revision !== undefined && standing.revision !== revision) {
      throw problem('CONFLICT', { message: 'The lead is at another revision than the one named.' });
    }
    await refuseUnknownLead(leads, leadId, members.duplicate_of);
    const { contact, summary, ...plain } = members;
    const before = openLead(standing, deps.masterKey);
    const personal = {
      contact: contact === undefined ? before.contact : contact,
      summary: summary === undefined ? before.summary : summary,
    };
    return { ...plain, sealed: sealed(deps, standing.tenant_id, leadId, personal) };
  });
}

export const contactLead = (deps: LeadDeps, context: RequestContext, leadId: string): Promise<Lead> =>
  change(deps, context, leadId, 'contact', async () => ({}));

export const qualifyLead = (deps: LeadDeps, context: RequestContext, leadId: string): Promise<Lead> =>
  change(deps, context, leadId, 'qualify', async () => ({}));

/** Tells what became of it. */
export const convertLead = (
  deps: LeadDeps,
  context: RequestContext,
  leadId: string,
  convertedTo: LeadConversion,
): Promise<Lead> => change(deps, context, leadId, 'convert', async () => ({ converted_to: convertedTo }));

/** @throws VALIDATION_ERROR for a duplicate of no lead. */
export const closeLead = (
  deps: LeadDeps,
  context: RequestContext,
  leadId: string,
  input: { readonly reason: CloseReason; readonly duplicate_of?: string | undefined },
): Promise<Lead> =>
  change(deps, context, leadId, 'close', async (_standing, leads) => {
    await refuseUnknownLead(leads, leadId, input.duplicate_of);
    return {
      close_reason: input.reason,
      ...(input.duplicate_of === undefined ? {} : { duplicate_of: input.duplicate_of }),
    };
  });

type Changes = (standing: StoredLead, leads: TenantLeads) => Promise<Partial<LeadWrite['lead']>>;

/** One step of the state table: read, ask the table, write on the revision that was read. */
async function change(
  deps: LeadDeps,
  context: RequestContext,
  leadId: string,
  action: LeadAction,
  changes: Changes,
): Promise<Lead> {
  const leads = deps.leads(authorise(context, 'leads:write'));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('lead', leadId) ? await leads.get(leadId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    if (isDoneBy(context, standing, action)) return openLead(standing, deps.masterKey);
    const step = transition(LEAD_MACHINE, standing.status, action);
    const { history: _, ...before } = standing;
    const lead = {
      ...before,
      ...(await changes(standing, leads)),
      status: step.to,
      revision: standing.revision + 1,
      updated_at: new Date(deps.clock.nowMs()),
    };
    const write = writeOf(deps, context, standing, lead, action);
    const stored = await leads.replace(write, standing.revision);
    if (stored === null) continue;
    await leads.relay(write);
    return openLead(stored, deps.masterKey);
  }
  throw problem('CONFLICT', { message: 'The lead is being changed by others; read it and try again.' });
}

/** The same request, run again after its answer was lost. */
const isDoneBy = ({ workId }: RequestContext, { history }: StoredLead, action: LeadAction): boolean =>
  workId !== null && history.some((entry) => entry.work_id === workId && entry.action === action);

async function refuseUnknownLead(leads: TenantLeads, own: string, other: string | null | undefined): Promise<void> {
  if (other == null) return;
  if (other !== own && isIdOf('lead', other) && (await leads.get(other)) !== null) return;
  throw problem('VALIDATION_ERROR', { errors: [fault('/duplicate_of', 'unknown', 'No such lead.')] });
}

function writeOf(
  deps: LeadDeps,
  context: RequestContext,
  standing: StoredLead | null,
  lead: LeadWrite['lead'],
  action: LeadAction,
): LeadWrite {
  const step = transition(LEAD_MACHINE, standing?.status ?? null, action);
  const { keyId, actorId } = context.principal;
  const { ids } = forWork(deps, context, `${action}-lead-entries`);
  const pending = step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: lead.tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'lead',
        event_type: eventType,
        event_effective_timestamp: isoTime(lead.updated_at.getTime()),
        outcome: step.to,
        payload: {
          lead_id: lead.lead_id,
          lead_type: lead.lead_type,
          action,
          from: step.from,
          to: step.to,
          revision: lead.revision,
          by: keyId,
          ...(actorId === null ? {} : { actor_id: actorId }),
          ...(lead.close_reason === null ? {} : { close_reason: lead.close_reason }),
          ...(lead.duplicate_of === null ? {} : { duplicate_of: lead.duplicate_of }),
          ...(lead.converted_to === null ? {} : { converted_to_kind: lead.converted_to.kind }),
        },
      },
    }),
  );
  return {
    lead,
    change: {
      revision: lead.revision,
      action,
      from: step.from,
      to: step.to,
      at: lead.updated_at,
      by: keyId,
      actor_id: actorId,
      work_id: context.workId,
    },
    pending,
  };
}
