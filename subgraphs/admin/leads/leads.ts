import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { type RecordKind, type StepDeps, stepsOf } from '../../../shared/records/steps.js';
import { type CloseReason, LEAD_MACHINE } from './domain.js';
import type { LeadPersonal, LeadStore, StoredLead } from './ports.js';
import type { LeadConversionInput, LeadMembers } from './schema.js';

export interface LeadDeps extends StepDeps {
  readonly leads: LeadStore;
}

/** A lead with its personal members decrypted. */
export type Lead = Omit<StoredLead, 'sealed'> & LeadPersonal;

const LEAD: RecordKind<StoredLead, 'lead_id'> = {
  machine: LEAD_MACHINE,
  idKind: 'lead',
  id: 'lead_id',
  noun: 'lead',
  family: 'lead',
  payload: ({ lead_id, lead_type, close_reason, duplicate_of, converted_to }, step) => ({
    lead_id,
    lead_type,
    ...step,
    ...(close_reason === null ? {} : { close_reason }),
    ...(duplicate_of === null ? {} : { duplicate_of }),
    ...(converted_to === null ? {} : { converted_to_kind: converted_to.kind }),
  }),
};

const placeOf = (tenantId: TenantId, leadId: string): string => `lead:${tenantId}:${leadId}`;

function openLead({ sealed, ...rest }: StoredLead, masterKey: MasterKey): Lead {
  const opened = masterKey.unwrap(sealed, placeOf(rest.tenant_id, rest.lead_id));
  // The key authenticates the text, and only `seal` below writes it.
  const personal: LeadPersonal = JSON.parse(opened.toString('utf8'));
  return { ...rest, ...personal };
}

/** Encrypts the personal members. The nonce is fresh even in a repeated request: one nonce must not encrypt two texts. */
function seal(deps: LeadDeps, tenantId: TenantId, leadId: string, { contact, summary }: LeadPersonal): Buffer {
  const text = Buffer.from(JSON.stringify({ contact, summary }));
  return deps.masterKey.wrap(text, placeOf(tenantId, leadId), deps.randomness);
}

const leadSteps = (deps: LeadDeps, context: RequestContext) =>
  stepsOf(LEAD, deps, context, deps.leads(authorise(context, 'leads:write')));

/** Creates a lead. Its `_records` entry holds nothing personal. @throws VALIDATION_ERROR */
export async function createLead(deps: LeadDeps, context: RequestContext, input: LeadMembers): Promise<Lead> {
  const steps = leadSteps(deps, context);
  const { contact, summary, ...members } = input;
  const created = await steps.create(async (leadId) => {
    await requireLead(steps.rows, leadId, members.duplicate_of);
    const sealed = seal(deps, steps.rows.tenantId, leadId, { contact, summary });
    return { ...members, sealed, converted_to: null, close_reason: null };
  });
  return openLead(created, deps.masterKey);
}

/** Changes members of an open lead. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT, VALIDATION_ERROR */
export async function updateLead(
  deps: LeadDeps,
  context: RequestContext,
  { leadId, members, revision }: { leadId: string; members: Partial<LeadMembers>; revision?: number | undefined },
): Promise<Lead> {
  const steps = leadSteps(deps, context);
  const change = async (before: StoredLead) => {
    const { contact: _, summary: __, ...plain } = members;
    const personal = { ...openLead(before, deps.masterKey), ...members };
    await requireLead(steps.rows, leadId, members.duplicate_of);
    return { ...plain, sealed: seal(deps, before.tenant_id, leadId, personal) };
  };
  return openLead(await steps.take(leadId, 'update', { revision, change }), deps.masterKey);
}

/** Takes a step that has no input. */
export const stepLead = async (
  deps: LeadDeps,
  context: RequestContext,
  leadId: string,
  action: 'contact' | 'qualify',
): Promise<Lead> => openLead(await leadSteps(deps, context).take(leadId, action), deps.masterKey);

/** Stores the record that the lead became. */
export async function convertLead(
  deps: LeadDeps,
  context: RequestContext,
  leadId: string,
  { kind, id }: LeadConversionInput,
): Promise<Lead> {
  const change = () => ({ converted_to: { kind, id } });
  return openLead(await leadSteps(deps, context).take(leadId, 'convert', { change }), deps.masterKey);
}

/** @throws VALIDATION_ERROR if `duplicate_of` is no lead. */
export async function closeLead(
  deps: LeadDeps,
  context: RequestContext,
  leadId: string,
  { reason, duplicate_of }: { readonly reason: CloseReason; readonly duplicate_of?: string | undefined },
): Promise<Lead> {
  const steps = leadSteps(deps, context);
  const change = async () => {
    await requireLead(steps.rows, leadId, duplicate_of);
    return { close_reason: reason, ...(duplicate_of === undefined ? {} : { duplicate_of }) };
  };
  return openLead(await steps.take(leadId, 'close', { change }), deps.masterKey);
}

/** @throws VALIDATION_ERROR if `duplicate_of` names no lead of the tenant. */
async function requireLead(leads: ReturnType<LeadStore>, own: string, other: string | null | undefined): Promise<void> {
  if (other == null) return;
  if (other !== own && isIdOf('lead', other) && (await leads.get(other)) !== null) return;
  throw problem('VALIDATION_ERROR', { errors: [fault('/duplicate_of', 'unknown', 'No lead has this identifier.')] });
}

type ReadDeps = Pick<LeadDeps, 'leads' | 'masterKey'>;

export async function listLeads(
  { leads, masterKey }: ReadDeps,
  context: RequestContext,
  query: ListQuery<StoredLead>,
): Promise<Page<Lead>> {
  return mapPage(await leads(authorise(context, 'leads:read')).page(query), (lead) => openLead(lead, masterKey));
}

export async function getLead(
  { leads, masterKey }: ReadDeps,
  context: RequestContext,
  leadId: string,
): Promise<Lead | null> {
  const rows = leads(authorise(context, 'leads:read'));
  const found = isIdOf('lead', leadId) ? await rows.get(leadId) : null;
  return found && openLead(found, masterKey);
}
