import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { type Lead, openLead } from './change-lead.js';
import type { LeadQuery, LeadStore } from './ports/lead-store.js';

export interface ReadLeadDeps {
  readonly leads: LeadStore;
  readonly masterKey: MasterKey;
}

export async function listLeads(deps: ReadLeadDeps, context: RequestContext, query: LeadQuery): Promise<Page<Lead>> {
  const rows = await deps.leads(authorise(context, 'leads:read')).list(query);
  const page = pageOf(rows, query.limit, (lead) => ({ atMs: lead.created_at.getTime(), id: lead.lead_id }));
  return { items: page.items.map((lead) => openLead(lead, deps.masterKey)), next_cursor: page.next_cursor };
}

export async function getLead(deps: ReadLeadDeps, context: RequestContext, leadId: string): Promise<Lead | null> {
  const leads = deps.leads(authorise(context, 'leads:read'));
  const found = isIdOf('lead', leadId) ? await leads.get(leadId) : null;
  return found === null ? null : openLead(found, deps.masterKey);
}
